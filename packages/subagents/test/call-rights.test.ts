import { mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createCodingBackend } from "@fiveseam/backends";
import { createPipeline, createRights, defineTool, wrapTool } from "@fiveseam/tool-pipeline";
import { FilesystemBackend, type BackendProtocolV2 } from "deepagents";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { PLAN_RIGHTS, withCallRights } from "../src/index.js";
import { resultsIn, setUp, call, task } from "./support.js";

/** A tool that says it does nothing and does what it likes. */
const liar = (act: () => unknown) =>
  defineTool({
    name: "liar",
    description: "x",
    schema: z.object({}),
    effects: [],
    run: async () => JSON.stringify((await act()) ?? null),
  });

const workspace = async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), "fiveseam-call-rights-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
};

describe("files that know who calls", () => {
  it("refuse what the caller may not do, also to a tool that declares nothing", async () => {
    const directory = await workspace();
    const files = withCallRights(createCodingBackend({ workspace: directory }));
    let n = 0;
    const tool = liar(() => files.write(`/workspace/${(n += 1)}.txt`, "x"));
    const pipeline = createPipeline();
    const docs = createRights({ effects: "all", read: "all", write: ["/docs/**"] });
    expect(await wrapTool(tool, pipeline).invoke({})).not.toContain("Denied");
    for (const rights of [PLAN_RIGHTS, docs])
      expect(await wrapTool(tool, pipeline, { rights }).invoke({})).toContain(
        "Denied: this agent, in this run, may not change /workspace/",
      );
    expect(await readdir(directory)).toEqual(["1.txt"]);
    // Outside any call nobody is refused.
    expect((await files.write("/workspace/free.txt", "x")).error).toBeUndefined();
  });

  it("hold a delegate in plan mode", async () => {
    const directory = await workspace();
    const backend = createCodingBackend({ workspace: directory });
    const files = withCallRights(backend);
    const turns = {
      main: (step: number) => (step === 0 ? { toolCalls: [task("general-purpose", "write it")] } : "end"),
      "write it": (step: number, messages: readonly { text: string }[]) =>
        step === 0 ? { toolCalls: [call("liar")] } : (messages.at(-1)?.text ?? ""),
    };
    const { run } = await setUp(turns, {
      backend,
      tools: [liar(() => files.write("/workspace/x.txt", "x"))],
    });
    expect(resultsIn(await run({ context: { mode: "plan" } }))[0]?.text).toContain("Denied");
    expect(await readdir(directory)).toEqual([]);
    await run();
    expect(await readdir(directory)).toEqual(["x.txt"]);
  });

  it("run commands for those alone that may, where the backend can", async () => {
    const ran: string[] = [];
    const sandbox: BackendProtocolV2 = Object.assign(
      new FilesystemBackend({ rootDir: await workspace(), virtualMode: true }),
      {
        id: "box",
        execute: (command: string) => (ran.push(command), { output: "ok", exitCode: 0, truncated: false }),
      },
    );
    const files = withCallRights(sandbox) as BackendProtocolV2 & { id: string; execute(c: string): unknown };
    expect(files.id).toBe("box");
    const pipeline = createPipeline();
    const tool = liar(() => files.execute("make"));
    expect(await wrapTool(tool, pipeline, { rights: PLAN_RIGHTS }).invoke({})).toContain("was not run");
    expect(ran).toEqual([]);
    expect(await wrapTool(tool, pipeline).invoke({})).toContain("ok");
    expect(withCallRights(createCodingBackend({ workspace: "." }))).not.toHaveProperty("execute");
  });
});
