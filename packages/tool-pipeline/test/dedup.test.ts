import { mkdtempSync, promises as fs, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createPipeline,
  createRights,
  dedup,
  outcomeOf,
  rateLimit,
  UNDECLARED,
  type DedupOptions,
  type Next,
  type PipelineCall,
} from "../src/index.js";
import { callOf, says, textOf } from "./support.js";

const CACHEABLE = { effects: [] as const, cacheable: true };
const READS = {
  effects: ["fs.read"] as const,
  cacheable: true,
  paths: (args: Readonly<Record<string, unknown>>) => [args["path"] as string],
};

const setUp = (options: DedupOptions = {}) => {
  const pipeline = createPipeline({ layers: [dedup(options)] });
  let runs = 0;
  const run = async (given: Partial<PipelineCall>, invoke?: Next): Promise<ToolMessage> =>
    (await pipeline.run(
      callOf(given),
      invoke ?? ((call) => ((runs += 1), says(`run ${runs}`)(call))),
    )) as ToolMessage;
  return { run, runs: () => runs };
};

describe("dedup", () => {
  it("answers an equal call of a cacheable tool with the call's own id, and no other tool", async () => {
    const { run, runs } = setUp();
    await run({ args: { a: 1, b: 2 }, declaration: CACHEABLE });
    const hit = await run({ id: "mine", args: { b: 2, a: 1 }, declaration: CACHEABLE });
    expect(hit).toMatchObject({ content: "run 1", tool_call_id: "mine" });
    expect(outcomeOf(hit)).toBe("cached");
    await run({ args: { a: 1 }, declaration: CACHEABLE });
    await run({ args: { a: 1, b: 2 }, declaration: CACHEABLE, toolName: "other" });
    const rights = createRights({ effects: [], read: "none", write: "none" });
    await run({ args: { a: 1, b: 2 }, declaration: CACHEABLE, rights });
    expect(runs()).toBe(4);
    await run({ declaration: { effects: [] } });
    await run({ declaration: { effects: [] } });
    expect(runs()).toBe(6);
  });

  it("a write, a command, a git write or an undeclared tool of any pipeline in the process ends every answer", async () => {
    const { run, runs } = setUp();
    const other = setUp();
    let expected = 0;
    for (const effects of [["fs.write"], ["exec"], ["vcs.write"], UNDECLARED.effects] as const) {
      expected += 1;
      await run({ declaration: CACHEABLE });
      await run({ declaration: CACHEABLE });
      expect(runs()).toBe(expected);
      await other.run({ declaration: { effects } }, says("changed"));
    }
    await run({ declaration: CACHEABLE });
    expect(runs()).toBe(expected + 1);
    await other.run({ declaration: { effects: ["fs.read", "net", "state"] } }, says("nothing changed"));
    await run({ declaration: CACHEABLE });
    expect(runs()).toBe(expected + 1);
  });

  it("nothing is kept from a call that a write overlapped, in whichever order they end", async () => {
    for (const readEndsFirst of [true, false]) {
      const { run, runs } = setUp();
      const gates: (() => void)[] = [];
      const gated: Next = async (call) => {
        await new Promise<void>((resolve) => gates.push(resolve));
        return says("old")(call);
      };
      const read = run({ declaration: CACHEABLE }, gated);
      await new Promise(setImmediate);
      const write = run({ declaration: { effects: ["fs.write"] } }, gated);
      await new Promise(setImmediate);
      for (const at of readEndsFirst ? [0, 1] : [1, 0]) {
        gates[at]?.();
        await new Promise(setImmediate);
      }
      await Promise.all([read, write]);
      expect(textOf(await run({ declaration: CACHEABLE }))).toBe("run 1");
      expect(runs()).toBe(1);
    }
  });

  it("errors and truncated results are never kept", async () => {
    const { run, runs } = setUp();
    await run({ declaration: CACHEABLE }, says("bad", { status: "error" }));
    await run({ declaration: CACHEABLE }, says("part", { artifact: { truncated: true } }));
    await run({ declaration: CACHEABLE }, () => Promise.reject(new Error("x"))).catch(() => undefined);
    expect(textOf(await run({ declaration: CACHEABLE }))).toBe("run 1");
    const small = setUp({ maxResultChars: 3 });
    await small.run({ declaration: CACHEABLE });
    await small.run({ declaration: CACHEABLE });
    expect(small.runs()).toBe(2);
    expect(runs()).toBe(1);
  });

  it("identical calls in flight share one run; when it fails each runs itself; each can be aborted alone", async () => {
    const { run } = setUp();
    let ran = 0;
    const slow: Next = async (call) => {
      ran += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return says("x")(call);
    };
    const same = { declaration: CACHEABLE, args: { a: 1 } };
    const results = await Promise.all(["1", "2", "3"].map((id) => run({ ...same, id }, slow)));
    expect(ran).toBe(1);
    expect(results.map((each) => each.tool_call_id)).toEqual(["1", "2", "3"]);
    ran = 0;
    const failing: Next = async (call) => {
      await slow(call);
      if (ran === 1) throw new Error("first");
      return says("x")(call);
    };
    const other = { ...same, args: { a: 2 } };
    const settled = await Promise.allSettled([run(other, failing), run(other, failing)]);
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    const controller = new AbortController();
    const third = { ...same, args: { a: 3 } };
    const leader = run(third, slow);
    await new Promise(setImmediate);
    const follower = run({ ...third, signal: controller.signal }, slow);
    controller.abort(new Error("mine"));
    await expect(follower).rejects.toThrow("mine");
    await expect(leader).resolves.toBeDefined();
  });

  it("a hit costs no token of the rate limit", async () => {
    const pipeline = createPipeline({ layers: [dedup(), rateLimit({ perMinute: 1 })] });
    const ask = (args: Record<string, unknown>) =>
      pipeline.run(callOf({ declaration: CACHEABLE, args }), says("x"));
    for (let at = 0; at < 5; at += 1) expect(textOf(await ask({}))).toBe("x");
    expect(outcomeOf((await ask({ other: true })) as ToolMessage)).toBe("limited");
  });

  it("keeps no more than it may, and forgets the least recently used first", async () => {
    const { run, runs } = setUp({ maxEntries: 2 });
    for (const a of [1, 2, 1, 3, 1]) await run({ declaration: CACHEABLE, args: { a } });
    expect(runs()).toBe(3);
    await run({ declaration: CACHEABLE, args: { a: 2 } });
    expect(runs()).toBe(4);
  });
});

describe("dedup of tools that read files", () => {
  const stamp = async (file: string) => {
    const { ino, size, mtimeMs, ctimeMs } = await fs.stat(file);
    return { inode: ino, sizeBytes: size, mtimeMs, ctimeMs };
  };
  const absentOr = (file: string) => stamp(file).catch(() => undefined);

  it("are cached only with `stat` and `paths`", async () => {
    for (const [options, declaration, expected] of [
      [{}, READS, 2],
      [{ stat: async () => undefined }, { ...READS, paths: undefined }, 2],
      [{ stat: async () => undefined }, READS, 1],
    ] as const) {
      const { run, runs } = setUp(options);
      for (let at = 0; at < 2; at += 1) {
        await run({ args: { path: "/x" }, declaration: declaration as PipelineCall["declaration"] });
      }
      expect(runs()).toBe(expected);
    }
  });

  it("an answer never outlives a change on disk, however writes behind our back, writes by tools and reads interleave", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dedup-"));
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            what: fc.constantFrom("read", "read", "read", "edit outside", "edit by tool", "remove"),
            file: fc.constantFrom("a", "b"),
            text: fc.constantFrom("1", "2", "3"),
          }),
          { maxLength: 20 },
        ),
        async (steps) => {
          // The clock stands far ahead of the files' times, so that no file counts as young.
          let clock = Date.now();
          const { run } = setUp({ stat: (path) => absentOr(join(folder, path)), nowMs: () => clock + 1e9 });
          const put = (file: string, text: string) => {
            writeFileSync(join(folder, file), text);
            clock += 1_000;
            // Times apart, as they are for changes further apart than a clock tick; ctime is the real one.
            utimesSync(join(folder, file), clock / 1_000, clock / 1_000);
          };
          const read = (file: string) => fs.readFile(join(folder, file), "utf8").catch(() => "absent");
          for (const { what, file, text } of steps) {
            if (what === "edit outside") put(file, text);
            else if (what === "remove") await fs.rm(join(folder, file), { force: true });
            else if (what === "edit by tool") {
              await run(
                { declaration: { effects: ["fs.write"] } },
                (call) => (put(file, text), says("ok")(call)),
              );
            } else {
              const result = await run({ args: { path: file }, declaration: READS }, async (call) =>
                says(await read(file))(call),
              );
              if (outcomeOf(result) === "cached") hits += 1;
              expect(textOf(result)).toBe(await read(file));
            }
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(hits).toBeGreaterThan(20);
  });

  it("an answer read from a file that changed a moment ago is not kept", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "dedup-")), "f");
    writeFileSync(file, "x");
    let now = Date.now();
    const { run, runs } = setUp({ stat: () => stamp(file), nowMs: () => now });
    const ask = () => run({ args: { path: "/f" }, declaration: READS });
    await ask();
    await ask();
    expect(runs()).toBe(2);
    now += 10_000;
    await ask();
    await ask();
    expect(runs()).toBe(3);
  });
});
