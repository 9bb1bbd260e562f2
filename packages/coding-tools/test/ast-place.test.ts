import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Placement } from "../src/ast/place-text.js";
import { AST_LANGUAGES, type AstLanguage } from "../src/index.js";
import { edited } from "./ast-support.js";

const put = async (
  language: AstLanguage,
  text: string,
  operation: Placement,
  symbol: string,
  code: string,
): Promise<string> => (await edited(language, text, { operation, symbol, text: code })).text;

const CLASS = `class A {
  x = 1; // one

  // about run
  @dec()
  run() {
    return 1;
  }
}
`;

describe("placing a text", () => {
  it("brings it to the symbol's level, wherever it was written", async () => {
    const body = `  run() {\n    return 2;\n  }`;
    const expected = CLASS.replace("return 1", "return 2");
    for (const code of [
      "run() {\n  return 2;\n}",
      "        run() {\n          return 2;\n        }",
      body,
      body.trimStart(),
      `\n\n${body}\n\n`,
      body.replaceAll("\n", "\r\n"),
    ]) {
      expect(await put("typescript", CLASS, "replace", "A.run", code)).toBe(expected);
    }
  });

  it("leaves what stands before a declaration unless the text brings its own", async () => {
    const exported = "/** Old. */\n@dec\nexport default class A {}\n";
    const replace = (code: string) => put("typescript", exported, "replace", "A", code);
    expect(await replace("class A { x = 1 }")).toBe("/** Old. */\n@dec\nexport default class A { x = 1 }\n");
    expect(await replace("@own\nexport class A {}")).toBe("/** Old. */\n@own\nexport class A {}\n");
    expect(await replace("/** New. */\nexport class A {}")).toBe("/** New. */\nexport class A {}\n");
    const { notes } = await edited("typescript", exported, {
      symbol: "A",
      operation: "replace",
      text: "/** New. */\nclass A {}",
    });
    expect(notes).toEqual([
      "The old one was exported, the new one is not.",
      "The decorators of the old one are gone.",
    ]);
    const ambient = "declare function f(): void;\n";
    expect(await put("typescript", ambient, "replace", "f", "declare function f(): 1;")).toBe(
      "declare function f(): 1;\n",
    );
    expect(await put("typescript", ambient, "replace", "f", "function f(): 1;")).toBe(
      "declare function f(): 1;\n",
    );
    const python = "# about f\n@dec\ndef f():\n    return 1\n    # the end\n\n\nx = 1\n";
    expect(await put("python", python, "replace", "f", "def f():\n  return 2")).toBe(
      "# about f\n@dec\ndef f():\n  return 2\n\n\nx = 1\n",
    );
    expect(await put("python", python, "replace", "f", "@own\ndef f(): pass")).toBe(
      "# about f\n@own\ndef f(): pass\n\n\nx = 1\n",
    );
    const go = "package m\n\n// F is old.\nfunc F() {}\n";
    expect(await put("go", go, "replace", "F", "// F is new.\nfunc F() { return }")).toBe(
      "package m\n\n// F is new.\nfunc F() { return }\n",
    );
  });

  it("inserts before the doc comment and the decorators, and after the comment that ends the line", async () => {
    expect(await put("typescript", CLASS, "insert_before", "A.run", "get y() {\n  return 0;\n}")).toBe(
      CLASS.replace("  // about", "  get y() {\n    return 0;\n  }\n\n  // about"),
    );
    expect(await put("typescript", CLASS, "insert_after", "A.x", "y = 2;")).toBe(
      CLASS.replace("// one\n", "// one\n  y = 2;\n"),
    );
    expect(await put("typescript", CLASS, "insert_after", "run", "stop() {}")).toBe(
      CLASS.replace("  }\n}", "  }\n\n  stop() {}\n}"),
    );
    const python = "import a\n\n\n# about C\n@dec\nclass C:\n    x = 1\n\n    def m(self):\n        pass\n";
    expect(await put("python", python, "insert_before", "C", "def f():\n    pass")).toBe(
      python.replace("# about", "def f():\n    pass\n\n\n# about"),
    );
    expect(await put("python", python, "insert_after", "C.m", "def n(self):\n    pass")).toBe(
      `${python}\n    def n(self):\n        pass\n`,
    );
  });

  it("puts a comment or decorator right before a declaration", async () => {
    expect(await put("typescript", CLASS, "insert_before", "A.run", "@more()")).toBe(
      CLASS.replace("  @dec()", "  @more()\n  @dec()"),
    );
    expect(await put("go", "package m\n\nfunc F() {}\n", "insert_before", "F", "// F does.")).toBe(
      "package m\n\n// F does.\nfunc F() {}\n",
    );
  });

  it("puts commas between the entries of objects and enums", async () => {
    const object = "const o = {\n  a: 1,\n  b: 2\n};\n";
    expect(await put("javascript", object, "insert_after", "o.a", "c: 3")).toBe(
      object.replace("1,", "1,\n  c: 3,"),
    );
    expect(await put("javascript", object, "insert_after", "o.b", "c: 3")).toBe(
      object.replace("2", "2,\n  c: 3"),
    );
    expect(await put("javascript", object, "insert_before", "o.a", "c: 3,")).toBe(
      object.replace("  a", "  c: 3,\n  a"),
    );
    expect(await put("javascript", object, "replace", "o.a", "a: 9,")).toBe(object.replace("1", "9"));
    expect(await put("javascript", object, "insert_before", "o.b", "// bee")).toBe(
      object.replace("  b", "  // bee\n  b"),
    );
    expect(await put("typescript", "enum E { X, Y }\n", "replace", "E.X", "X = 3")).toBe(
      "enum E { X = 3, Y }\n",
    );
  });

  it("leaves what stands in strings of several lines where it is, but moves a docstring", async () => {
    const code = "run() {\n  return `\na\n  ${[\n    1,\n  ]}\n`;\n}";
    expect(await put("typescript", CLASS, "replace", "A.run", code)).toContain(
      "  run() {\n    return `\na\n  ${[\n      1,\n    ]}\n`;\n  }\n",
    );
    const python = "class C:\n    def m(self):\n        pass\n";
    const doc = 'def m(self):\n    """One.\n\n    Two.\n    """\n    return """\nx\n"""';
    expect(await put("python", python, "replace", "C.m", doc)).toBe(
      'class C:\n    def m(self):\n        """One.\n\n        Two.\n        """\n        return """\nx\n"""\n',
    );
  });

  it("writes tabs where the file has tabs, and spaces where it has spaces", async () => {
    const go = "package m\n\nfunc F() {\n\tif a {\n\t\tb()\n\t}\n}\n";
    expect(await put("go", go, "insert_after", "F", "func G() {\n    if a {\n        b()\n    }\n}")).toBe(
      `${go}\nfunc G() {\n\tif a {\n\t\tb()\n\t}\n}\n`,
    );
    expect(
      await put("typescript", CLASS, "replace", "run", "run() {\n\tif (a) {\n\t\tb();\n\t}\n}"),
    ).toContain("  run() {\n    if (a) {\n      b();\n    }\n  }\n");
  });

  it("refuses what would not parse, with the place, and does it when that is wanted", async () => {
    const broken = { symbol: "A.run", operation: "replace", text: "run() {\n  if (\n}" } as const;
    await expect(edited("typescript", CLASS, broken)).rejects.toMatchObject({
      code: "syntax_error",
      message: expect.stringMatching(/would not parse, at its line \d+ \(.*allow_syntax_errors/) as string,
    });
    const { text, notes } = await edited("typescript", CLASS, { ...broken, allowSyntaxErrors: true });
    expect(text).toContain("    if (\n");
    expect(notes.join()).toMatch(/^It does not parse now: line \d+/);
  });

  it("refuses to edit a symbol that does not parse, and says where else the file does not", async () => {
    const text = "function a() {\n  if (;\n}\n\nfunction b() {}\n";
    await expect(
      edited("javascript", text, { symbol: "a", operation: "replace", text: "x" }),
    ).rejects.toThrow("a does not parse as it is: line 2");
    const { notes, text: after } = await edited("javascript", text, {
      symbol: "b",
      operation: "replace",
      text: "function b() { return 1; }",
    });
    expect(after).toBe(text.replace("b() {}", "b() { return 1; }"));
    expect(notes.join()).toContain("The file did not parse before, elsewhere: line 2");
  });
});

interface Sample {
  readonly symbol: (at: number) => string;
  readonly code: (name: string) => string;
  readonly comment: string;
}

const BRACES: Sample = {
  symbol: (at) => `function f${at}(a) {\n  return "汉字 😀";\n}`,
  code: (name) => `function ${name}() {\n  const 名 = "🎉";\n  return 名;\n}`,
  comment: "//",
};

const SAMPLES: Readonly<Record<AstLanguage, Sample>> = {
  typescript: BRACES,
  tsx: BRACES,
  javascript: BRACES,
  python: {
    symbol: (at) => `@dec\ndef f${at}(a):\n    return "汉字 😀"`,
    code: (name) => `def ${name}():\n    return "🎉"`,
    comment: "#",
  },
  go: {
    symbol: (at) => `func f${at}(a int) string {\n\treturn "汉字 😀"\n}`,
    code: (name) => `func ${name}() {\n\treturn\n}`,
    comment: "//",
  },
};

describe("outside the symbol", () => {
  it("not a character changes, whatever stands there and however its lines end", async () => {
    const filler = fc
      .array(fc.constantFrom("😀😀", "汉字", "é\u0301", "\t x", "'", "`", '"', "{", "", "\\"), {
        maxLength: 4,
      })
      .map((words) => words.join(" "));
    const between = fc.array(fc.tuple(filler, fc.constantFrom("\n", "\r\n")), { minLength: 1, maxLength: 3 });
    const property = fc.asyncProperty(
      fc.constantFrom(...AST_LANGUAGES),
      fc.array(fc.tuple(between, fc.constantFrom("\n", "\r\n")), { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.constantFrom("replace", "insert_before", "insert_after", "rename" as const),
      async (language, parts, pick, operation) => {
        const { symbol, code, comment } = SAMPLES[language];
        const at = pick % parts.length;
        const pieces = parts.map(([lines, eol], index) => ({
          before: lines.map(([text, end]) => `${comment} ${text}${end}`).join("") + eol,
          own: symbol(index).replaceAll("\n", eol),
          after: eol,
        }));
        const head = language === "go" ? "package m\n\n" : "";
        const all = (some: typeof pieces) =>
          some.map(({ before, own, after }) => before + own + after).join("");
        const target = pieces[at] as (typeof pieces)[number];
        const prefix = head + all(pieces.slice(0, at)) + target.before;
        const suffix = target.after + all(pieces.slice(at + 1));
        const name = `f${at}`;
        const result = await edited(
          language,
          prefix + target.own + suffix,
          operation === "rename"
            ? { symbol: name, operation, from: name, to: "renamed" }
            : { symbol: name, operation: operation as Placement, text: code("fresh") },
        );
        expect(result.text.startsWith(prefix)).toBe(true);
        expect(result.text.endsWith(suffix)).toBe(true);
        const middle = result.text.slice(prefix.length, result.text.length - suffix.length);
        if (operation.startsWith("insert")) expect(middle).toContain(target.own);
        expect(middle).toContain(operation === "rename" ? "renamed" : "fresh");
        // New lines end as the lines of the symbol do.
        const eol = target.own.includes("\r\n") ? "\r\n" : "\n";
        if (operation !== "rename") expect(middle.split(eol).join("")).not.toMatch(/[\r\n]/);
      },
    );
    await fc.assert(property, { numRuns: 250 });
  });
});
