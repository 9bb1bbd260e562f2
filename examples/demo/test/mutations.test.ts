import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEdit, changedLine, editFor, inverse } from "../src/policy/edits.js";
import { hintsFrom } from "../src/policy/hints.js";
import { mutationsOf } from "../src/policy/mutations/index.js";
import { applyMutation, inverseOf } from "../src/policy/mutations/mutation.js";
import { vocabularyOf } from "../src/policy/mutations/vocabulary.js";
import { tokenize } from "../src/policy/tokens.js";
import { variants } from "./variants.js";

const NO_HINTS = hintsFrom([]);
const POLICY = fileURLToPath(new URL("../src/policy", import.meta.url));

/** Sources of all sorts: those of the variants, and the policy's own. */
const SOURCES = [
  ...new Set([
    ...variants().flatMap(({ files }) =>
      Object.entries(files).flatMap(([path, text]) => (/\.[cm]?js$/.test(path) ? [text] : [])),
    ),
    ...readdirSync(POLICY, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => readFileSync(`${POLICY}/${path}`, "utf8")),
  ]),
];

const propose = (source: string, hints = NO_HINTS) => mutationsOf(source, hints, vocabularyOf([source]));
const results = (source: string, hints = NO_HINTS): readonly string[] =>
  propose(source, hints).map((mutation) => applyMutation(source, mutation));

const anySource = fc.constantFrom(...SOURCES);
const PROPOSED = SOURCES.map((source) => ({ source, all: propose(source) })).filter(
  ({ all }) => all.length > 0,
);
const anyMutation = fc
  .constantFrom(...PROPOSED)
  .chain(({ source, all }) => fc.constantFrom(...all).map((mutation) => ({ source, mutation })));

describe("tokens", () => {
  it("cover everything but blanks and comments", () => {
    fc.assert(
      fc.property(anySource, (source) => {
        let at = 0;
        for (const token of tokenize(source)) {
          expect(
            source
              .slice(at, token.start)
              .replace(/\/\*[^]*?\*\/|\/\/[^\n]*|#![^\n]*/g, "")
              .trim(),
          ).toBe("");
          expect(source.slice(token.start, token.end)).toBe(token.text);
          at = token.end;
        }
      }),
    );
  });

  it("tell a division from a regular expression, and code in a template from its text", () => {
    const kinds = (source: string): string =>
      tokenize(source)
        .map(({ kind, text }) => `${kind}:${text}`)
        .join(" ");
    expect(kinds("a / b / c")).toBe("name:a punctuator:/ name:b punctuator:/ name:c");
    expect(kinds("x = /a\\/[/]b/g")).toBe("name:x punctuator:= regex:/a\\/[/]b/g");
    expect(kinds("`a ${b + `c`} d`")).toBe("template:`a ${ name:b punctuator:+ template:`c` template:} d`");
  });
});

describe("a mutation", () => {
  it("changes one place, in one line, and its inverse restores the file byte for byte", () => {
    fc.assert(
      fc.property(anyMutation, ({ source, mutation }) => {
        const changed = applyMutation(source, mutation);
        expect(changed).not.toBe(source);
        expect(applyMutation(changed, inverseOf(source, mutation))).toBe(source);
        const before = source.split("\n");
        const after = changed.split("\n");
        expect(after.length).toBe(before.length);
        expect(after.filter((line, index) => line !== before[index]).length).toBe(1);
      }),
      { numRuns: 300 },
    );
  });

  it("becomes an edit that has one place before and after, so that it can be taken back", () => {
    fc.assert(
      fc.property(anyMutation, ({ source, mutation }) => {
        const edit = editFor("/workspace/a.js", source, mutation);
        if (!edit) return;
        const changed = applyMutation(source, mutation);
        expect(source.split(edit.before).length).toBe(2);
        expect(changed.split(edit.after).length).toBe(2);
        expect(applyEdit(source, edit)).toBe(changed);
        expect(applyEdit(changed, inverse(edit))).toBe(source);
        expect(changedLine(source, edit).line).toBe(mutation.line);
      }),
      { numRuns: 300 },
    );
  });

  it("takes more lines into the edit when one line is not unique", () => {
    const source = "a = 1;\nb();\na = 1;\nc();\n";
    const mutation = propose(source).find(({ line, kind }) => line === 3 && kind === "number");
    const edit = mutation && editFor("/workspace/a.js", source, mutation);
    expect(edit?.before).toBe("b();\na = 1;\nc();");
  });

  it.each([
    ["if (a < b) c();", "if (a <= b) c();"],
    ["const n = list[list.length];", "const n = list[list.length - 1];"],
    ["const n = list[i + 1];", "const n = list[i];"],
    ["const ok = a && b;", "const ok = a || b;"],
    ["if (!ready) go();", "if (ready) go();"],
    ["if (ready) go();", "if (!ready) go();"],
    ["move(from, to);", "move(to, from);"],
    ["list.sort((a, b) => a - b);", "list.sort((a, b) => b - a);"],
    [
      "const f = async () => { const x = load(1); return x; };",
      "const f = async () => { const x = await load(1); return x; };",
    ],
    ["const low = Math.max(a, b);", "const low = Math.min(a, b);"],
    ["list.push(x);", "list.unshift(x);"],
    ["t.replace(/ /, '-');", "t.replace(/ /g, '-');"],
    ["let sum = 0; for (const n of ns) { sum = n; }", "let sum = 0; for (const n of ns) { sum += n; }"],
    ["const o = { deep: true };", "const o = { deep: false };"],
  ])("of %j may be %j", (before, after) => {
    expect(results(before)).toContain(after);
  });

  it("takes constants from what was expected", () => {
    const hints = {
      ...NO_HINTS,
      numbers: [{ expected: 42, actual: 21 }],
      texts: [{ expected: "a, b", actual: "a; b" }],
    };
    expect(results("const n = 7 * x;", hints)).toContain("const n = 14 * x;");
    expect(results('parts.join("; ");', hints)).toContain('parts.join(", ");');
  });

  it("replaces an unknown name by the nearest known one", () => {
    const hints = { ...NO_HINTS, unknownNames: new Set(["heigth"]) };
    expect(results("const area = (height) => heigth * 2;", hints)).toContain(
      "const area = (height) => height * 2;",
    );
  });

  it("never touches comments, and awaits nothing outside an async function", () => {
    expect(results("// a < b\n/* 1 + 1 */")).toEqual([]);
    expect(results("function f() { return load(1); }").filter((text) => text.includes("await"))).toEqual([]);
  });
});
