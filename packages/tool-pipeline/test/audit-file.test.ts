import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import {
  createPipeline,
  fileAuditSink,
  PipelineError,
  verifyAuditLog,
  type AuditRecord,
  type FileAuditSinkOptions,
} from "../src/index.js";
import { callOf, says } from "./support.js";

const record = (at: number): AuditRecord => ({
  time: new Date(at).toISOString(),
  namespace: "",
  callId: `c${at}`,
  tool: "t",
  effects: ["exec"],
  argsDigest: "x",
  outcome: "executed",
  durationMs: 1,
});

const folder = () => mkdtempSync(join(tmpdir(), "audit-"));
const open: { close(): Promise<void> }[] = [];
const sinkAt = (directory: string, more: Partial<FileAuditSinkOptions> = {}) => {
  const sink = fileAuditSink({ directory, fsync: "never", ...more });
  open.push(sink);
  return sink;
};
afterEach(async () => {
  for (const sink of open.splice(0)) await sink.close();
});

describe("the file sink", () => {
  const fill = async (directory: string, count: number, more: Partial<FileAuditSinkOptions> = {}) => {
    const sink = sinkAt(directory, more);
    for (let at = 0; at < count; at += 1) sink.write(record(at));
    await sink.close();
    return sink;
  };
  const log = (directory: string) => join(directory, "audit.jsonl");

  it("writes lines that outlive the call, and goes on with the chain when it is opened again", async () => {
    const directory = folder();
    const sink = sinkAt(directory);
    sink.write(record(0));
    expect(readFileSync(sink.path, "utf8").split("\n")).toHaveLength(2);
    await sink.close();
    await fill(directory, 2, { fsync: "always" });
    await fill(directory, 2, { fsync: { everyMs: 1 } });
    expect(verifyAuditLog(directory)).toEqual({ ok: true, lines: 5, torn: [] });
    expect(() => sink.write(record(1))).toThrow(expect.objectContaining({ code: "audit" }));
  });

  it("rotates by size and keeps the chain, across files and across reopening", async () => {
    const directory = folder();
    await fill(directory, 20, { maxFileBytes: 1_000 });
    await fill(directory, 20, { maxFileBytes: 1_000 });
    const files = readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
    expect(files.length).toBeGreaterThan(8);
    expect(files).toContain("audit.000001.jsonl");
    for (const path of [directory, log(directory), join(directory, "audit.000002.jsonl")]) {
      expect(verifyAuditLog(path)).toMatchObject({ ok: true, lines: 40 });
    }
    writeFileSync(join(directory, "audit.000003.jsonl"), "");
    expect(verifyAuditLog(directory)).toMatchObject({ ok: false, fault: "removed" });
  });

  it("a last line that a crash cut short is named torn, dropped at the next opening, and the chain goes on", async () => {
    const directory = folder();
    await fill(directory, 3);
    appendFileSync(log(directory), '{"seq":4,"time":"2026');
    expect(verifyAuditLog(directory)).toEqual({ ok: true, lines: 3, torn: [log(directory)] });
    await fill(directory, 2);
    expect(verifyAuditLog(directory)).toEqual({ ok: true, lines: 5, torn: [] });
  });

  it("does not go on from a line that was tampered with as if nothing had happened", async () => {
    const directory = folder();
    await fill(directory, 3);
    const text = readFileSync(log(directory), "utf8");
    writeFileSync(log(directory), text.replace('"callId":"c2"', '"callId":"c9"'));
    await fill(directory, 3);
    expect(verifyAuditLog(directory)).toMatchObject({ ok: false, fault: "changed", line: 3 });
    const cut = folder();
    await fill(cut, 3);
    const lines = readFileSync(log(cut), "utf8").split("\n");
    writeFileSync(log(cut), `${lines.slice(0, 2).join("\n")}\n`);
    await fill(cut, 1);
    expect(verifyAuditLog(cut)).toMatchObject({ ok: false, fault: "removed", line: 3 });
  });

  it("names the line of any single edit, removal, insertion or swap", async () => {
    const directory = folder();
    const count = 12;
    await fill(directory, count);
    const text = readFileSync(log(directory), "utf8");
    const lines = text.slice(0, -1).split("\n");
    const at = fc.nat(count - 1);
    const check = (changed: readonly string[]) => {
      writeFileSync(log(directory), changed.map((line) => `${line}\n`).join(""));
      return verifyAuditLog(directory);
    };
    fc.assert(
      fc.property(at, fc.nat(), fc.string({ minLength: 1, maxLength: 3 }), (line, where, put) => {
        fc.pre(!put.includes("\n"));
        const old = lines[line] as string;
        const place = where % (old.length + 1);
        const edited = old.slice(0, place) + put + old.slice(place + put.length);
        fc.pre(edited !== old);
        expect(check(lines.with(line, edited))).toMatchObject({
          ok: false,
          fault: "changed",
          line: line + 1,
        });
      }),
    );
    fc.assert(
      fc.property(at, (line) => {
        expect(check(lines.toSpliced(line, 1))).toMatchObject({
          ok: false,
          fault: "removed",
          line: line + 1,
        });
      }),
    );
    fc.assert(
      fc.property(at, at, (one, two) => {
        fc.pre(one < two);
        const swapped = lines.with(one, lines[two] as string).with(two, lines[one] as string);
        expect(check(swapped)).toMatchObject({ ok: false, fault: "moved", line: one + 1 });
      }),
    );
    fc.assert(
      fc.property(
        at,
        fc.oneof(
          at.map((from) => lines[from] as string),
          fc.constantFrom("", "{}", "junk"),
        ),
        (line, put) => {
          const verdict = check(lines.toSpliced(line, 0, put));
          expect(verdict.ok).toBe(false);
          // A copy of a later line is a line that stands where another one should: moved, one before its twin.
          if (!verdict.ok) expect([line, line + 1]).toContain(verdict.line - 1);
        },
      ),
    );
    // Bytes: any one of them changed, line breaks too.
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.integer({ min: 1, max: 255 }), (place, by) => {
        const bytes = Buffer.from(text);
        bytes[place] = (bytes[place] as number) ^ by;
        writeFileSync(log(directory), bytes);
        const line = text.slice(0, place).split("\n").length;
        expect(verifyAuditLog(directory)).toMatchObject({ ok: false, line });
      }),
      { numRuns: 300 },
    );
    check(lines);
    expect(verifyAuditLog(directory)).toMatchObject({ ok: true });
    truncateSync(log(directory), text.length - 5);
    expect(verifyAuditLog(directory)).toMatchObject({ ok: false, fault: "changed", line: count });
  });

  it("a whole log written anew is noticed with a head that was kept elsewhere", async () => {
    const [one, two] = [folder(), folder()];
    const sink = sinkAt(one);
    sink.write(record(1));
    const head = sink.head();
    await fill(two, 1);
    expect(verifyAuditLog(log(two))).toMatchObject({ ok: true });
    expect(verifyAuditLog(log(two), { expect: head })).toMatchObject({
      ok: false,
      fault: "changed",
      line: 1,
    });
    expect(verifyAuditLog(log(one), { expect: head })).toMatchObject({ ok: true });
    expect(() => verifyAuditLog(join(one, "none.jsonl"))).toThrow(PipelineError);
    expect(() => verifyAuditLog(folder())).toThrow("no audit log");
  });

  it("two sinks of one folder have files of their own; the lock of a process that is gone is taken over", async () => {
    const directory = folder();
    const [one, two] = [sinkAt(directory), sinkAt(directory)];
    one.write(record(1));
    two.write(record(2));
    expect([one.path, two.path]).toEqual([log(directory), join(directory, "audit-2.jsonl")]);
    await one.close();
    const child = spawn(process.execPath, ["-e", ""]);
    await new Promise((resolve) => child.once("close", resolve));
    const { hostname } = await import("node:os");
    writeFileSync(
      join(directory, "audit.lock"),
      JSON.stringify({ host: hostname(), pid: child.pid, started: "1" }),
    );
    const three = sinkAt(directory);
    three.write(record(3));
    expect(three.path).toBe(log(directory));
    expect(verifyAuditLog(directory)).toMatchObject({ ok: true, lines: 3 });
  });

  it("a folder that cannot be written is an error of the sink, not of the call", async () => {
    const file = join(folder(), "file");
    writeFileSync(file, "x");
    const reports: unknown[] = [];
    const sink = sinkAt(join(file, "below"));
    const pipeline = createPipeline({ audit: { sink, onSinkError: (error) => void reports.push(error) } });
    expect(await pipeline.run(callOf(), says("x"))).toMatchObject({ content: "x" });
    expect(reports).toMatchObject([{ code: "ENOTDIR" }]);
    expect(() => fileAuditSink({ directory: ".", maxFileBytes: 0 })).toThrow(RangeError);
    expect(() => fileAuditSink({ directory: ".", fsync: { everyMs: 0 } })).toThrow(RangeError);
  });
});
