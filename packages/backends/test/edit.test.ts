import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { WorkspaceBackend } from "../src/index.js";
import { rootWith } from "./support.js";

const RUNS = Number(process.env["EDIT_FUZZ"] ?? 150);

describe("an edit", () => {
  it("changes not a byte outside the span, whatever the encoding and the line endings", async () => {
    const root = await rootWith();
    const files = new WorkspaceBackend({ root, fsync: false });
    const encodings = ["utf-8", "utf-16le", "utf-16be", "windows-1252", "Shift_JIS"] as const;
    const line = fc.stringMatching(/^[ \ta-z0-9{}();.$&\\]{0,20}$/);
    let tolerant = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 12 }),
        fc.constantFrom("\n", "\r\n"),
        fc.constantFrom(...encodings),
        fc.nat(),
        fc.nat(),
        fc.string({ unit: fc.constantFrom(..."ab $&'`\\1\n"), maxLength: 20 }),
        fc.boolean(),
        async (lines, ending, encoding, from, length, replacement, lf) => {
          const marker =
            encoding === "windows-1252"
              ? "caf\u00e9 "
              : encoding === "Shift_JIS"
                ? "\u65e5\u672c\u8a9e\u306e\u6587\u7ae0 "
                : "";
          const text = [marker + "start", ...lines, marker + "end"].join(ending);
          const bom = encoding.startsWith("utf-16");
          const bytes = iconv.encode((bom ? "\ufeff" : "") + text, encoding === "utf-8" ? "utf8" : encoding, {
            addBOM: false,
          });
          const file = path.join(root, "f.txt");
          await writeFile(file, bytes);
          const start = from % text.length;
          const exact = text.slice(start, start + 1 + (length % 30));
          const wanted = lf ? exact.replaceAll("\r\n", "\n") : exact;
          const result = await files.edit("/f.txt", wanted, replacement);
          const after = await readFile(file);
          if (result.error !== undefined) {
            expect(after.equals(bytes)).toBe(true);
            return;
          }
          const { span, strategy } = result.metadata as {
            span: { start: number; end: number; newEnd: number };
            strategy: string;
          };
          if (strategy !== "exact") tolerant += 1;
          const encode = (part: string): Buffer =>
            iconv.encode(part, encoding === "utf-8" ? "utf8" : encoding);
          const mark = bom ? iconv.encode("\ufeff", encoding) : Buffer.alloc(0);
          const head = Buffer.concat([mark, encode(text.slice(0, span.start))]);
          const tail = encode(text.slice(span.end));
          expect(after.subarray(0, head.length).equals(head)).toBe(true);
          expect(after.subarray(after.length - tail.length).equals(tail)).toBe(true);
          const put = after.subarray(head.length, after.length - tail.length);
          const written = iconv.decode(put, encoding === "utf-8" ? "utf8" : encoding, { stripBOM: false });
          expect(written.replaceAll("\r\n", "\n")).toBe(replacement);
          expect(written.length).toBe(span.newEnd - span.start);
          if (ending === "\r\n") expect(written.replaceAll("\r\n", "")).not.toContain("\n");
        },
      ),
      { numRuns: RUNS },
    );
    expect(tolerant).toBeGreaterThan(0);
  });

  it("says where the candidates are when there are several, and that a line of it is there when there is none", async () => {
    const root = await rootWith({ "a.ts": "x();\nif (a) {\n  y();\n}\nx();\n" });
    const files = new WorkspaceBackend({ root });
    const several = await files.edit("/a.ts", "x();", "z();");
    expect(several).toMatchObject({
      errorKind: "ambiguous",
      error: expect.stringContaining("2 times, at the lines 1, 5"),
    });
    const none = await files.edit("/a.ts", "if (a) {\n  w();\n}", "");
    expect(none).toMatchObject({
      errorKind: "not_found",
      error: expect.stringContaining("stands at line 2"),
    });
  });

  it("gives a receipt: strategy, span, hashes, the file's canonical path", async () => {
    const root = await rootWith({ "a.txt": "one\r\ntwo\r\n" });
    const files = new WorkspaceBackend({ root });
    const { metadata } = await files.edit("/./a.txt", "one\ntwo", "1");
    expect(metadata).toMatchObject({
      file: "/a.txt",
      strategy: "line-endings",
      span: { start: 0, end: 8, newEnd: 1 },
      hashBefore: expect.stringMatching(/^[0-9a-f]{64}$/),
      hashAfter: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it("re-indents a block that stands deeper, and leaves alone one that is nested in another way", async () => {
    const root = await rootWith({
      "deep.py": "class A:\n    def f(self):\n        if x:\n            go()\n",
      "other.py": "if x:\n        go()\n",
    });
    const files = new WorkspaceBackend({ root });
    const deep = await files.edit("/deep.py", "if x:\n    go()", "if y:\n    stop()\n    go()");
    expect(deep.metadata).toMatchObject({ strategy: "indentation" });
    expect(await readFile(path.join(root, "deep.py"), "utf8")).toBe(
      "class A:\n    def f(self):\n        if y:\n            stop()\n            go()\n",
    );
    expect(await files.edit("/other.py", "if x:\n    go()", "pass")).toMatchObject({
      errorKind: "not_found",
    });
  });
});
