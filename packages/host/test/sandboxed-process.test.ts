import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createNodeProcess,
  createSandboxedProcess,
  type ProcessOptions,
  type SandboxOptions,
} from "../src/index.js";

const works = ((): boolean => {
  try {
    execFileSync("bwrap", ["--unshare-net", "--ro-bind", "/", "/", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

const setUp = async (options: Partial<SandboxOptions> = {}) => {
  // Beside the workspace: what is in /tmp is out of sight anyway.
  const folder = await mkdtemp(path.join(os.homedir(), ".fiveseam-sandbox-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const root = path.join(folder, "work");
  await mkdir(root);
  await writeFile(path.join(folder, "outside"), "before");
  const processes = createSandboxedProcess(createNodeProcess({ root }), { root, ...options });
  return {
    folder,
    root,
    processes,
    shell: (line: string, given?: ProcessOptions) => processes.run({ shell: line }, given),
  };
};

describe.skipIf(!works)("in the sandbox [requires: bubblewrap]", () => {
  it("a command writes to the workspace and nowhere else", async () => {
    const { folder, root, shell } = await setUp();
    const tries = `echo in > inside; echo x > ../outside; echo x > ../new; rm ../outside; touch /etc/new; touch ~/.new`;
    await shell(tries);
    expect(await readFile(path.join(root, "inside"), "utf8")).toBe("in\n");
    expect(await readFile(path.join(folder, "outside"), "utf8")).toBe("before");
    expect(existsSync(path.join(folder, "new"))).toBe(false);
    expect(existsSync("/etc/new")).toBe(false);
    expect((await shell("mount -o remount,rw / && touch /etc/new")).ending).not.toMatchObject({
      exitCode: 0,
    });
    expect((await shell("cat ../outside")).output).toBe("before");
  });

  it("a command has a /tmp of its own, and writes where it is allowed to as well", async () => {
    const { folder } = await setUp();
    const more = path.join(folder, "cache");
    await mkdir(more);
    const { shell } = await setUp({ writable: [more] });
    const name = `fiveseam-${process.pid}`;
    expect((await shell(`ls /tmp; touch /tmp/${name} && ls $TMPDIR; touch ${more}/a`)).output).toBe(
      `${name}\n`,
    );
    expect(existsSync(`/tmp/${name}`)).toBe(false);
    expect(existsSync(path.join(more, "a"))).toBe(true);
    const missing = await setUp({ writable: ["/no/such"] });
    await expect(missing.shell("true")).rejects.toMatchObject({ code: "not_found" });
  });

  it("a command reaches the network by option alone", async () => {
    const server = createServer((socket) => socket.end("hello"));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const call = {
      file: process.execPath,
      args: [
        "-e",
        `require("net").connect(${port}, "127.0.0.1").on("error", () => process.exit(7)).pipe(process.stdout)`,
      ],
    };
    expect((await (await setUp()).processes.run(call)).ending).toEqual({ kind: "exited", exitCode: 7 });
    expect((await (await setUp({ network: true })).processes.run(call)).output).toBe("hello");
  });

  it("endings are what they are without it, and nothing outlives it", async () => {
    const { root, shell, processes } = await setUp();
    await mkdir(path.join(root, "d"));
    expect(await shell("pwd; echo $X; exit 3", { cwd: "d", env: { X: "1" } })).toMatchObject({
      ending: { kind: "exited", exitCode: 3 },
      output: `${root}/d\n1\n`,
    });
    expect((await processes.run({ file: "no-such-program" })).ending).toMatchObject({
      kind: "not_started",
      code: "ENOENT",
    });
    expect((await shell("sleep 60", { timeoutMs: 200 })).ending.kind).toBe("timeout");
    const began = performance.now();
    await shell("setsid sh -c 'sleep 1; touch late' >/dev/null 2>&1 & echo started");
    await new Promise((done) => setTimeout(done, 1_500 - Math.min(1_000, performance.now() - began)));
    expect(existsSync(path.join(root, "late"))).toBe(false);
    expect((await shell("ls /proc | grep -c '^[0-9]'")).output.trim()).toMatch(/^\d$/);
  });
});

describe("where there is no bubblewrap", () => {
  const without = async <T>(use: () => Promise<T>): Promise<T> => {
    const before = process.env["PATH"];
    process.env["PATH"] = "/no/such/directory";
    try {
      return await use();
    } finally {
      process.env["PATH"] = before;
    }
  };

  it("a command is refused, unless it may run without", async () => {
    const { shell } = await setUp();
    await without(() =>
      expect(shell("touch ran")).rejects.toMatchObject({ code: "unavailable", message: /bubblewrap/ }),
    );
    const loose = await setUp({ whenMissing: "run-unconfined" });
    expect((await without(() => loose.shell("echo ran"))).output).toBe("ran\n");
  });
});
