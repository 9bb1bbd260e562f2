import { spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNodeProcess, nodeHost, type ProcessOptions } from "../src/index.js";

const setUp = async (options: { killGraceMs?: number; inheritEnv?: string[] } = {}) => {
  const root = await mkdtemp(path.join(os.tmpdir(), "fiveseam-host-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const processes = createNodeProcess({ root, ...options });
  return {
    root,
    shell: (line: string, given?: ProcessOptions) => processes.run({ shell: line }, given),
    run: processes.run,
  };
};

const node = (script: string) => ({ file: process.execPath, args: ["-e", script] });

/** A zombie that nobody has reaped yet is dead. */
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
};

const pidFrom = async (file: string): Promise<number> => {
  for (let tries = 0; tries < 500 && !existsSync(file); tries += 1) await delay(10);
  return Number(await readFile(file, "utf8"));
};

describe("a command", () => {
  it("tells exit codes and signals apart", async () => {
    const { shell } = await setUp();
    expect((await shell("exit 0")).ending).toEqual({ kind: "exited", exitCode: 0 });
    expect((await shell("exit 7")).ending).toEqual({ kind: "exited", exitCode: 7 });
    expect((await shell("kill -SEGV $$")).ending).toEqual({ kind: "signaled", signal: "SIGSEGV" });
  });

  it("gives stdout and stderr in the order in which they came, also to a listener, whose faults are ignored", async () => {
    const { shell } = await setUp();
    const seen: string[] = [];
    const result = await shell("echo one; sleep 0.1; echo two >&2; sleep 0.1; echo three", {
      onOutput: (text, stream) => {
        seen.push(`${stream}:${text.trim()}`);
        throw new Error("listener");
      },
    });
    expect(result).toMatchObject({ output: "one\ntwo\nthree\n", truncated: false, omittedBytes: 0 });
    expect(seen).toEqual(["stdout:one", "stderr:two", "stdout:three"]);
  });

  it("interprets nothing when it is a program with arguments", async () => {
    const { run } = await setUp();
    const result = await run({ file: "echo", args: ["$HOME", "; exit 3", "`id`"] });
    expect(result.output).toBe("$HOME ; exit 3 `id`\n");
  });

  it("that cannot be started is a value, not an exception", async () => {
    const { run, shell } = await setUp();
    expect((await run({ file: "no-such-program" })).ending).toMatchObject({
      kind: "not_started",
      code: "ENOENT",
    });
    expect((await shell("true", { cwd: "/no/such/dir" })).ending).toMatchObject({
      kind: "not_started",
      message: expect.stringContaining('"/no/such/dir" does not exist'),
    });
    expect((await run({ file: "echo", args: ["a\0b"] })).ending).toMatchObject({ kind: "not_started" });
  });

  it("runs in the root or the given directory, with no input to wait for", async () => {
    const { shell, root } = await setUp();
    expect((await shell("pwd -P")).output.trim()).toBe(realpathSync(root));
    expect((await shell("pwd", { cwd: "/" })).output.trim()).toBe("/");
    expect((await shell("cat; echo end", { timeoutMs: 5_000 })).output).toBe("end\n");
  });

  it("sees allowed variables and given ones, and no key of the process that runs it", async () => {
    process.env["FIVESEAM_TEST_API_KEY"] = "sk-secret";
    onTestFinished(() => void delete process.env["FIVESEAM_TEST_API_KEY"]);
    const { shell } = await setUp();
    const { output } = await shell("env", { env: { EXTRA: "given", HOME: undefined } });
    expect(output).toContain("PATH=");
    expect(output).toContain("EXTRA=given");
    expect(output).toContain("GIT_TERMINAL_PROMPT=0");
    expect(output).not.toContain("HOME=");
    expect(output).not.toContain("sk-secret");
    const named = await setUp({ inheritEnv: ["PATH", "FIVESEAM_TEST_API_KEY"] });
    expect((await named.shell("env")).output).toContain("sk-secret");
  });
});

describe("output", () => {
  it("reaches a listener in whole characters", async () => {
    const { run } = await setUp();
    let seen = "";
    const script = `const b = Buffer.from("€"); process.stdout.write(b.subarray(0, 1)); setTimeout(() => process.stdout.write(b.subarray(1)), 100)`;
    await run(node(script), { onOutput: (text) => void (seen += text) });
    expect(seen).toBe("€");
  });

  it("of 100 MB is kept in bounded memory: its start, its end, and how much was cut", async () => {
    const { run } = await setUp();
    const before = process.memoryUsage().rss;
    const result = await run(
      node(`const line = "x".repeat(1023) + "\\n"; process.stdout.write("START\\n");
        let n = 0; const go = () => { while (n++ < 102400) if (!process.stdout.write(line)) return process.stdout.once("drain", go); process.stdout.write("END\\n"); }; go();`),
      { maxOutputBytes: 10_000, timeoutMs: 60_000 },
    );
    expect(result.ending).toEqual({ kind: "exited", exitCode: 0 });
    expect(result.output.startsWith("START\n")).toBe(true);
    expect(result.output.endsWith("END\n")).toBe(true);
    expect(result.omittedBytes).toBe(102_400 * 1024 + 10 - 10_000);
    expect(result.output).toContain(`[… ${result.omittedBytes} bytes cut …]`);
    expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1024 * 1024);
  });

  it("is never cut inside a character, and bytes that are not UTF-8 become U+FFFD", async () => {
    const { run } = await setUp();
    const euros = await run(node(`process.stdout.write("€".repeat(1000))`), { maxOutputBytes: 101 });
    expect(euros.output).toMatch(/^€+\n\[… \d+ bytes cut …\]\n€+$/);
    const binary = await run(node(`process.stdout.write(Buffer.from([0x41, 0xff, 0xfe, 0x42]))`));
    expect(binary.output).toBe("A\uFFFD\uFFFDB");
  });
});

describe("stopping", () => {
  it("on timeout ends the command and everything it started", async () => {
    const { shell, root } = await setUp();
    const result = await shell("sleep 60 & echo $! > child; wait", { timeoutMs: 300 });
    expect(result.ending).toEqual({ kind: "timeout", timeoutMs: 300 });
    expect(result.durationMs).toBeLessThan(2_500);
    expect(alive(await pidFrom(path.join(root, "child")))).toBe(false);
  });

  it("on abort too, also for a tree that ignores SIGTERM", async () => {
    const { shell, root } = await setUp({ killGraceMs: 200 });
    const controller = new AbortController();
    const running = shell(
      "trap '' TERM; (trap '' TERM; echo $$ > pid.new; mv pid.new pid; sleep 60; sleep 60); sleep 60",
      {
        signal: controller.signal,
      },
    );
    const pid = await pidFrom(path.join(root, "pid"));
    controller.abort();
    const result = await running;
    expect(result.ending).toEqual({ kind: "aborted" });
    expect(alive(pid)).toBe(false);
  });

  it("is over when the result is there, also for a background process that ignores SIGTERM and holds no pipe", async () => {
    const { shell } = await setUp({ killGraceMs: 50 });
    for (let round = 0; round < 10; round += 1) {
      const { output } = await shell("trap '' TERM; sleep 60 >/dev/null 2>&1 & echo $!");
      expect(alive(Number(output))).toBe(false);
    }
  });

  it("does not happen without a limit", async () => {
    const { shell } = await setUp();
    const result = await shell("sleep 0.1; echo done", { timeoutMs: Number.POSITIVE_INFINITY });
    expect(result).toMatchObject({ ending: { kind: "exited", exitCode: 0 }, output: "done\n" });
  });

  it("with a signal that is aborted already starts nothing", async () => {
    const { shell, root } = await setUp();
    const result = await shell("touch started", { signal: AbortSignal.abort() });
    expect(result.ending).toEqual({ kind: "aborted" });
    expect(existsSync(path.join(root, "started"))).toBe(false);
  });

  it("ends what a finished command left in the background, and says so", async () => {
    const { shell, root } = await setUp();
    const result = await shell("sleep 60 & echo $! > child; echo done");
    expect(result).toMatchObject({
      ending: { kind: "exited", exitCode: 0 },
      output: "done\n",
      stoppedBackground: true,
    });
    expect(alive(await pidFrom(path.join(root, "child")))).toBe(false);
    expect((await shell("echo quick")).stoppedBackground).toBe(false);
  });

  it("does not wait for a descendant that left the group and holds the pipes", async () => {
    const { shell, root } = await setUp();
    const result = await shell("setsid sh -c 'echo $$ > away; sleep 30' & sleep 0.2; echo done", {
      timeoutMs: 10_000,
    });
    expect(result.durationMs).toBeLessThan(5_000);
    process.kill(await pidFrom(path.join(root, "away")), "SIGKILL");
  });

  it("happens when the process that runs commands exits", async () => {
    const { root } = await setUp();
    const dist = path.resolve(import.meta.dirname, "../dist/index.js");
    const script = `import { createNodeProcess } from ${JSON.stringify(dist)};
      createNodeProcess({ root: ${JSON.stringify(root)} }).run({ shell: "echo $$ > pid.new; mv pid.new pid; sleep 60" });
      const { existsSync } = await import("node:fs");
      setInterval(() => existsSync(${JSON.stringify(path.join(root, "pid"))}) && process.exit(0), 10);`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
    await new Promise((resolve) => parent.once("close", resolve));
    const pid = await pidFrom(path.join(root, "pid"));
    for (let tries = 0; tries < 100 && alive(pid); tries += 1) await delay(10);
    expect(alive(pid)).toBe(false);
  });

  it("of many commands by one signal stays below Node's limit of listeners and stops them all", async () => {
    const { shell } = await setUp();
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    const controller = new AbortController();
    const running = Array.from({ length: 20 }, () => shell("sleep 20", { signal: controller.signal }));
    await delay(300);
    controller.abort();
    for (const result of await Promise.all(running)) expect(result.ending).toEqual({ kind: "aborted" });
    expect(warnings).toEqual([]);
  });
});

describe("nodeHost", () => {
  it("offers the process port in its root", async () => {
    const { root } = await setUp();
    const result = await nodeHost(root).process?.run({ shell: "touch here" });
    expect(result?.ending).toEqual({ kind: "exited", exitCode: 0 });
    expect(existsSync(path.join(root, "here"))).toBe(true);
  });
});
