import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { DebugConfiguration, DebugPort } from "../debug-port.js";
import type { ActiveEditor, EditorPort, OpenEditor } from "../editor-port.js";
import type { LanguagePort, SourceRange } from "../language-port.js";
import { caseOf, honoursAbort, refuses, type ConformanceCase, type Subject } from "./conformance-case.js";

const SOURCES = {
  "answer.ts": "/** A number. */\nexport const answer = 42;\n",
  "user.ts": 'import { answer } from "./answer";\n\nexport const twice = answer * 2;\n',
};

/** The promises of `LanguagePort`. `create` gives a port that knows these TypeScript files, which have no faults. */
export const languageConformance = ({
  create,
}: {
  create: (files: Readonly<Record<string, string>>) => Promise<Subject<LanguagePort>> | Subject<LanguagePort>;
}): ConformanceCase[] => {
  const test = (name: string, run: (port: LanguagePort) => Promise<void>): ConformanceCase =>
    caseOf(
      `language: ${name}`,
      () => create(SOURCES),
      ({ port }) => run(port),
    );
  const use = { line: 3, column: 22 };
  const holds = (range: SourceRange, line: number, column: number): boolean =>
    range.start.line <= line &&
    line <= range.end.line &&
    (range.start.line < line || range.start.column <= column);
  return [
    test("symbols of a document have positions that count from 1", async (port) => {
      const { symbols, truncated } = await port.documentSymbols("answer.ts");
      const answer = symbols.find((symbol) => symbol.name === "answer");
      assert.ok(answer && holds(answer.location.range, 2, 14), JSON.stringify(symbols));
      assert.equal(answer.location.path, "answer.ts");
      assert.equal(truncated, false);
    }),
    test("symbols of the workspace are found whatever their case, and capped", async (port) => {
      const { symbols } = await port.workspaceSymbols("ANSW");
      assert.ok(symbols.some((symbol) => symbol.name === "answer" && symbol.location.path === "answer.ts"));
      const one = await port.workspaceSymbols("", { maxResults: 1 });
      assert.deepEqual([one.symbols.length <= 1, one.truncated], [true, one.symbols.length === 1]);
    }),
    test("a definition is found in another file", async (port) => {
      const { locations } = await port.definition("user.ts", use);
      assert.ok(locations.some(({ path, range }) => path === "answer.ts" && range.start.line === 2));
    }),
    test("references hold the declaration only when asked", async (port) => {
      const paths = (found: readonly { path: string }[]): string[] => found.map((each) => each.path);
      assert.ok(paths((await port.references("user.ts", use)).locations).includes("answer.ts"));
      const others = await port.references("user.ts", use, { includeDeclaration: false });
      assert.ok(!paths(others.locations).includes("answer.ts"));
      assert.ok(paths(others.locations).includes("user.ts"));
    }),
    test("diagnostics are clean, problems or unknown, and never two of them", async (port) => {
      for (const path of Object.keys(SOURCES) as (keyof typeof SOURCES)[]) {
        const found = await port.diagnostics(path);
        assert.equal(found.status === "problems", found.problems.length > 0);
        if (found.status !== "unknown")
          assert.equal(found.contentHash, createHash("sha256").update(SOURCES[path]).digest("hex"));
      }
    }),
    test("nothing to say is undefined and no refusal", async (port) => {
      assert.equal(await port.hover("user.ts", { line: 2, column: 1 }), undefined);
      assert.deepEqual((await port.definition("user.ts", { line: 2, column: 1 })).locations, []);
    }),
    test("positions that are none and files that are not there are refused", async (port) => {
      await refuses(port.hover("user.ts", { line: 0, column: 1 }), "invalid_argument");
      await refuses(port.definition("user.ts", { line: 1, column: 1.5 }), "invalid_argument");
      await refuses(port.documentSymbols("nowhere.ts"), "not_found");
      await refuses(port.diagnostics("nowhere.ts"), "not_found");
    }),
    test("an aborted call rejects with the reason", (port) =>
      honoursAbort({
        documentSymbols: (options) => port.documentSymbols("user.ts", options),
        workspaceSymbols: (options) => port.workspaceSymbols("a", options),
        diagnostics: (options) => port.diagnostics("user.ts", options),
        definition: (options) => port.definition("user.ts", use, options),
        references: (options) => port.references("user.ts", use, options),
        hover: (options) => port.hover("user.ts", use, options),
      })),
  ];
};

/** What an editor is asked to show. */
export interface EditorScene {
  readonly active?: Omit<ActiveEditor, "truncated">;
  readonly others?: readonly Omit<OpenEditor, "active">[];
}

const at = (line: number, column: number, endLine: number, endColumn: number): SourceRange => ({
  start: { line, column },
  end: { line: endLine, column: endColumn },
});

/** The promises of `EditorPort`. `create` gives an editor that shows the scene. */
export const editorConformance = ({
  create,
}: {
  create: (scene: EditorScene) => Promise<Subject<EditorPort>> | Subject<EditorPort>;
}): ConformanceCase[] => {
  const active = {
    path: "src/a.ts",
    language: "typescript",
    dirty: true,
    selection: at(1, 7, 1, 11),
    selectedText: "über",
    visible: at(1, 1, 40, 1),
  };
  const others = [{ path: "README.md", language: "markdown", dirty: false }];
  const test = (
    name: string,
    scene: EditorScene,
    run: (port: EditorPort) => Promise<void>,
  ): ConformanceCase =>
    caseOf(
      `editor: ${name}`,
      () => create(scene),
      ({ port }) => run(port),
    );
  return [
    test("no open editor is undefined and an empty list", {}, async (port) => {
      assert.equal(await port.active(), undefined);
      assert.deepEqual(await port.open(), []);
    }),
    test("the active editor shows what is selected and visible", { active, others }, async (port) => {
      assert.deepEqual(await port.active(), { ...active, truncated: false });
      const open = await port.open();
      assert.deepEqual(
        open.map((each) => [each.path, each.active, each.dirty]),
        [
          ["src/a.ts", true, true],
          ["README.md", false, false],
        ],
      );
    }),
    test("a long selection is cut, never within a character", { active }, async (port) => {
      const shown = await port.active({ maxSelectedBytes: 1 });
      assert.deepEqual([shown?.selectedText, shown?.truncated], ["", true]);
    }),
    test("an aborted call rejects with the reason", { active }, (port) =>
      honoursAbort({ active: (options) => port.active(options), open: (options) => port.open(options) }),
    ),
  ];
};

/** The promises of `DebugPort`. The program that `configuration` starts stops at once, and ends when it goes on. */
export const debugConformance = ({
  create,
}: {
  create: () =>
    | Promise<Subject<DebugPort> & { configuration: DebugConfiguration }>
    | (Subject<DebugPort> & { configuration: DebugConfiguration });
}): ConformanceCase[] => {
  const test = (
    name: string,
    run: (port: DebugPort, configuration: DebugConfiguration) => Promise<void>,
  ): ConformanceCase =>
    caseOf(`debug: ${name}`, create, ({ port, configuration }) => run(port, configuration));
  return [
    test("without a session the calls that need one are refused as unavailable", async (port) => {
      assert.deepEqual(await port.sessions(), []);
      await refuses(port.stack(), "unavailable");
      await refuses(port.variables(), "unavailable");
      await refuses(port.evaluate("1"), "unavailable");
      await refuses(port.control("next"), "unavailable");
      await refuses(port.stop(), "unavailable");
    }),
    test("a stopped program shows its stack and the variables of a frame", async (port, configuration) => {
      const session = await port.start(configuration);
      assert.deepEqual(
        (await port.sessions()).map((each) => each.id),
        [session.id],
      );
      assert.ok(session.threads.some((thread) => thread.state === "stopped"));
      assert.notEqual(session.stopReason, undefined);
      const { frames } = await port.stack({ maxFrames: 1 });
      assert.equal(frames.length, 1);
      assert.ok((frames[0]?.line ?? 0) >= 1);
      assert.ok(Array.isArray((await port.variables({ frameId: frames[0]?.id ?? -1 })).variables));
    }),
    test("unknown sessions and frames are refused", async (port, configuration) => {
      await port.start(configuration);
      await refuses(port.stack({ session: "no such session" }), "not_found");
      await refuses(port.variables({ frameId: 987_654 }), "not_found");
    }),
    test("after stop, and after the program's end, there is no session", async (port, configuration) => {
      await port.start(configuration);
      await port.stop();
      assert.deepEqual(await port.sessions(), []);
      await port.start(configuration);
      assert.equal(await port.control("continue"), undefined);
      await refuses(port.stack(), "unavailable");
    }),
    test("breakpoints of a file are replaced, and need no session", async (port) => {
      await port.setBreakpoints("a.ts", [{ line: 1 }, { line: 2, condition: "x > 1" }]);
      await port.setBreakpoints("b.ts", [{ line: 9 }]);
      await port.setBreakpoints("a.ts", [{ line: 3 }]);
      const all = await port.breakpoints();
      assert.deepEqual(all.map((each) => `${each.path}:${each.line}`).sort(), ["a.ts:3", "b.ts:9"]);
    }),
    test("an aborted call rejects with the reason", (port, configuration) =>
      honoursAbort({
        sessions: (options) => port.sessions(options),
        start: (options) => port.start(configuration, options),
        stop: (options) => port.stop(options),
        breakpoints: (options) => port.breakpoints(options),
        setBreakpoints: (options) => port.setBreakpoints("a.ts", [], options),
        control: (options) => port.control("next", options),
        stack: (options) => port.stack(options),
        variables: (options) => port.variables(options),
        evaluate: (options) => port.evaluate("1", options),
      })),
  ];
};
