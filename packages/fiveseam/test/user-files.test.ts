import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { agentWith, call, collect, finished, modelOf, results, workspaceWith } from "./support.js";

describe("the user's own files", () => {
  it.skipIf(process.platform === "win32")("give no skill a way out of its folder", async () => {
    const places = await workspaceWith();
    const skill = path.join(places.stateDir, "user/skills/x");
    await mkdir(skill, { recursive: true });
    await writeFile(path.join(places.stateDir, "secret.txt"), "SECRET");
    await writeFile(path.join(skill, "SKILL.md"), "---\nname: x\ndescription: d\n---\nbody");
    await symlink(path.join(places.stateDir, "secret.txt"), path.join(skill, "link.txt"));
    await symlink(places.stateDir, path.join(skill, "dir"));
    const model = modelOf((step) =>
      step === 0
        ? call("read_skill", { name: "x", file: "link.txt" })
        : step === 1
          ? call("read_skill", { name: "x", file: "dir/secret.txt" })
          : step === 2
            ? call("read_skill", { name: "x" })
            : "done",
    );
    const agent = await agentWith({ ...places, model });
    const events = await collect(agent.run("go", { threadId: "t" }));
    const outputs = results(events).map(({ output }) => JSON.stringify(output));
    expect(outputs[2]).toContain("body");
    expect(outputs.join()).not.toContain("SECRET");
  });
  it.skipIf(process.platform === "win32")(
    "that are no files hang nothing",
    async () => {
      const places = await workspaceWith();
      await mkdir(path.join(places.stateDir, "user"), { recursive: true });
      execFileSync("mkfifo", [path.join(places.stateDir, "user/AGENTS.md")]);
      const agent = await agentWith({ ...places, model: modelOf(() => "done") });
      const run = collect(agent.run("go", { threadId: "t" }));
      const timer = new Promise<"hangs">((resolve) => setTimeout(() => resolve("hangs"), 4_000).unref());
      const first = await Promise.race([run, timer]);
      if (first === "hangs") {
        await writeFile(path.join(places.stateDir, "user/AGENTS.md"), "x");
        await run;
      }
      expect(first).not.toBe("hangs");
    },
    10_000,
  );
});

describe("notes of the context", () => {
  it.each<[string, unknown]>([
    [
      "a getter that throws",
      {
        get bad() {
          throw new Error("x");
        },
      },
    ],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          ownKeys() {
            throw new Error("x");
          },
          get() {
            throw new Error("x");
          },
        },
      ),
    ],
    ["numbers and null", { a: 1, b: null, c: { d: 1 } }],
    ["__proto__", JSON.parse('{"__proto__": "x", "constructor": "y"}')],
  ])("that are hostile are left out: %s", async (_, notes) => {
    const agent = await agentWith({
      ...(await workspaceWith()),
      model: modelOf(() => "done"),
      context: { notes: [] },
    });
    const events = await collect(agent.run("go", { threadId: "t", context: { notes } as never }));
    expect(finished(events)).toMatchObject({ reason: "completed", text: "done" });
  });
});
