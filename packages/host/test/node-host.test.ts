import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeHost } from "../src/index.js";

const scratch = (): string => {
  const directory = mkdtempSync(path.join(os.tmpdir(), "fiveseam-node-host-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

describe("a host of this machine", () => {
  it("has git, the web, a clock and ids, and no port that lacks what it works with", () => {
    const host = nodeHost(scratch());
    const ports = [
      "git",
      "webFetch",
      "webSearch",
      "tasks",
      "memory",
      "language",
      "editor",
      "debug",
      "browser",
    ] as const;
    expect(ports.filter((name) => host[name] !== undefined)).toEqual(["git", "webFetch"]);
    expect(host.git?.write).toBeDefined();
    expect(host.clock?.now()).toBeGreaterThan(0);
    expect(host.ids?.next()).not.toBe("");
  });

  it("goes without what is switched off, and without git where there is none", () => {
    expect(nodeHost(scratch(), { git: false, webFetch: false })).not.toHaveProperty("webFetch");
    expect(nodeHost(scratch(), { git: false })).not.toHaveProperty("git");
    expect(nodeHost(scratch(), { git: {} }).git).not.toHaveProperty("write");
    const before = process.env["PATH"];
    onTestFinished(() => void (process.env["PATH"] = before));
    process.env["PATH"] = scratch();
    expect(nodeHost(scratch())).not.toHaveProperty("git");
  });

  it("trusts no git program that the workspace brings along", () => {
    const root = scratch();
    writeFileSync(path.join(root, "git"), "#!/bin/sh\n");
    chmodSync(path.join(root, "git"), 0o755);
    const before = process.env["PATH"];
    onTestFinished(() => void (process.env["PATH"] = before));
    for (const entry of [root, ".", ""]) {
      process.env["PATH"] = entry;
      expect(nodeHost(root)).not.toHaveProperty("git");
    }
    process.env["PATH"] = root;
    expect(nodeHost(scratch())).toHaveProperty("git");
  });

  it("stores tasks and memory where it is told to, the person's apart from the workspace's", async () => {
    const [stateDirectory, userStateDirectory] = [scratch(), scratch()];
    expect(nodeHost(scratch(), { stateDirectory })).not.toHaveProperty("memory");
    const host = nodeHost(scratch(), { stateDirectory, userStateDirectory });
    await host.tasks?.apply({ kind: "workspace" }, [{ kind: "add", title: "a" }]);
    await host.memory?.set("user", "name", "Ada");
    const other = nodeHost(scratch(), { stateDirectory: scratch(), userStateDirectory });
    expect((await other.memory?.list())?.blocks.map((block) => block.text)).toEqual(["Ada"]);
    expect((await other.tasks?.list({ kind: "workspace" }))?.tasks).toEqual([]);
  });

  it("searches with the engines that it is given", async () => {
    const hit = { title: "T", url: "https://example.com", snippet: "S" };
    const host = nodeHost(scratch(), { webSearch: [{ name: "mine", search: () => Promise.resolve([hit]) }] });
    expect(await host.webSearch?.search("x")).toEqual({ provider: "mine", hits: [hit], truncated: false });
  });
});
