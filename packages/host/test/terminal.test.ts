import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createNodeTerminal, type NodeTerminalOptions, type TerminalRunOptions } from "../src/index.js";

const setUp = async (options: Partial<NodeTerminalOptions> = {}) => {
  const root = await realpath(await mkdtemp(path.join(os.tmpdir(), "fiveseam-terminal-")));
  const terminal = createNodeTerminal({ root, killGraceMs: 300, ...options });
  onTestFinished(async () => {
    await terminal.close();
    await rm(root, { recursive: true, force: true });
  });
  const { id } = await terminal.open();
  return {
    root,
    terminal,
    id,
    run: (command: string, given?: TerminalRunOptions) => terminal.run(id, command, given),
  };
};

/** Command lines of running processes in which a text stands; a zombie has none. */
const processesWith = (text: string): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        return line.includes(text) && Number(name) !== process.pid ? [line] : [];
      } catch {
        return [];
      }
    });

/** A number of seconds that no other sleep on this machine has. */
const uniqueSleep = (): string => `${3_000 + Math.floor(Math.random() * 1e6)}.${process.pid}`;

describe.each(["/bin/bash", "/bin/sh"].filter((shell) => existsSync(shell)))("a session of %s", (shell) => {
  it("keeps directory, variables and functions between commands", async () => {
    const { root, run } = await setUp({ shell });
    await mkdir(path.join(root, "a b"));
    expect(await run("cd 'a b'; export X=1; f() { echo f$X; }")).toMatchObject({
      ending: { kind: "exited", exitCode: 0 },
      cwd: path.join(root, "a b"),
      output: "",
    });
    expect((await run("f; pwd")).output).toBe(`f1\n${root}/a b\n`);
    expect((await run("false")).ending).toEqual({ kind: "exited", exitCode: 1 });
    expect((await run("echo $?x; printf 'no newline'")).output).toBe("0x\nno newline");
  });

  it("gives stdout and stderr in order, as UTF-8, and what is no UTF-8 as U+FFFD", async () => {
    const { run } = await setUp({ shell });
    expect((await run("echo one; echo two >&2; echo three")).output).toBe("one\ntwo\nthree\n");
    expect((await run("printf 'é😀\\377\\000x'")).output).toBe("é😀\uFFFD\0x");
  });

  it("survives what does not parse, and what leaves a here-document open", async () => {
    const { run } = await setUp({ shell });
    for (const broken of ["if", "echo (", "echo 'abc", "echo $("]) {
      const { ending, output } = await run(broken);
      expect(ending).toMatchObject({ kind: "exited" });
      expect(ending).not.toMatchObject({ exitCode: 0 });
      expect(output).not.toBe("");
    }
    expect((await run("cat <<EOF\nhello")).output).toContain("hello");
    expect((await run("break; echo alive")).output).toContain("alive");
    expect((await run("# only a comment")).ending).toEqual({ kind: "exited", exitCode: 0 });
    expect((await run("")).ending).toEqual({ kind: "exited", exitCode: 0 });
    expect((await run("-x")).ending).toEqual({ kind: "exited", exitCode: 127 });
  });

  it("says that a command took the shell along, and has a new one in the same directory", async () => {
    const { root, run, terminal, id } = await setUp({ shell });
    await mkdir(path.join(root, "d"));
    await run("cd d; X=1");
    const left = await run("echo bye; exit 3");
    expect(left).toMatchObject({ ending: { kind: "exited", exitCode: 3 }, restarted: true });
    // An interactive bash says "exit" when it goes.
    expect(left.output).toMatch(/^bye\n(exit\n)?$/);
    expect((await run("pwd; echo $X")).output).toBe(`${root}/d\n\n`);
    expect(await run("exec echo replaced")).toMatchObject({
      ending: { kind: "exited", exitCode: 0 },
      output: "replaced\n",
      restarted: true,
    });
    expect(await run("set -e; false; echo no")).toMatchObject({ output: "", restarted: true });
    expect(await run("kill -KILL $$")).toMatchObject({
      ending: { kind: "signaled", signal: "SIGKILL" },
      restarted: true,
    });
    expect(await run("echo fine")).toMatchObject({ output: "fine\n", restarted: false });
    expect(await terminal.list()).toMatchObject([{ id, restarts: 4, state: "idle", queued: 0 }]);
  });

  it("is not fooled by output that looks like its own reports, nor by tracing", async () => {
    const { run } = await setUp({ shell });
    const forged = "printf '\\000%s:0:/tmp\\000' 00112233445566778899aabbccddeeff; echo after; false";
    expect(await run(forged)).toMatchObject({
      ending: { kind: "exited", exitCode: 1 },
      output: "\x0000112233445566778899aabbccddeeff:0:/tmp\0after\n",
    });
    const traced = await run("set -x; echo traced");
    expect(traced.ending).toEqual({ kind: "exited", exitCode: 0 });
    expect(traced.output).toContain("traced");
    await run("set +x");
    expect((await run("exec >/dev/null; echo lost")).ending).toEqual({ kind: "exited", exitCode: 0 });
  });

  const functions =
    'printf() { command printf "\\\\0%s:0:%s\\\\0" "$2" /forged; }; pwd() { echo /forged; }; PWD=/forged';
  it.each([
    ["functions", functions],
    [
      "aliases",
      "alias printf='true' pwd='echo /forged' eval='true' unset='true' builtin='true' command='true'",
    ],
    [
      "a function in the place of what runs builtins",
      `${functions}; command() { return 0; }; export() { :; }`,
    ],
    ...(shell.endsWith("bash")
      ? [
          ["a function in the place of builtin", `${functions}; builtin() { return 0; }; unset() { :; }`],
          ["a function in the place of eval", `${functions}; eval() { return 0; }`],
        ]
      : []),
  ])("is not led astray by %s that a command leaves behind", async (_, definition) => {
    const { root, run } = await setUp({ shell });
    await mkdir(path.join(root, "d\n"));
    // dash defines neither export nor unset anew, and says so.
    await run(definition as string);
    expect(await run("(exit 3)")).toMatchObject({
      ending: { kind: "exited", exitCode: 3 },
      output: "",
      cwd: root,
      restarted: false,
    });
    expect(await run('cd "d\n"; (exit 4)')).toMatchObject({
      ending: { kind: "exited", exitCode: 4 },
      cwd: `${root}/d\n`,
    });
    expect((await run("echo alive")).output).toBe("alive\n");
  });

  it("gives no program what was written for the one before", async () => {
    const { run, terminal, id } = await setUp({ shell });
    const idle = async (): Promise<void> => {
      await vi.waitFor(async () => expect((await terminal.list())[0]?.state).toBe("idle"), 5_000);
    };
    const asks = async (): Promise<string> => (await run("read b; echo answer=$b", later)).output;
    const later = { interactive: true, timeoutMs: 300 };
    await terminal.start(id, "X=kept; read a; echo got $a");
    await terminal.write(id, "one\nyes\n");
    await idle();
    expect((await terminal.read(id)).output).toContain("got one");
    expect(await asks()).not.toContain("yes");
    await terminal.start(id, "sleep 30");
    await terminal.write(id, "rm -rf everything");
    await terminal.interrupt(id);
    await idle();
    expect(await asks()).not.toContain("rm");
    // As before, what is written in time arrives, and the shell is the same.
    const asked = run("read c; echo $c $X $PATH", { interactive: true });
    await vi.waitFor(() => terminal.write(id, "in time\n"));
    const lost = (await terminal.list())[0]?.restarts !== 0;
    expect((await asked).output).toMatch(lost ? /^in time / : /^in time kept /);
    if (shell.endsWith("bash")) expect(lost).toBe(false);
  });

  it("takes no more input than it can hold, and the next program gets none of it", async () => {
    const { run, terminal, id } = await setUp({ shell });
    await terminal.start(id, "PATH=/nonexistent; while :; do :; done");
    const write = async (): Promise<void> => {
      for (let count = 0; count < 100; count += 1) await terminal.write(id, "x".repeat(100_000));
    };
    await expect(write()).rejects.toMatchObject({ code: "too_large" });
    await terminal.interrupt(id);
    const next = await run("read line; echo $line", { interactive: true, timeoutMs: 500 });
    expect(next.output).not.toContain("x");
  });

  it("stops a command on timeout and on abort, and starts nothing of the rest of its line", async () => {
    const { root, run } = await setUp({ shell });
    const seconds = uniqueSleep();
    await run("X=kept");
    const late = await run(`sleep ${seconds}; touch pushed`, { timeoutMs: 200 });
    expect(late.ending).toEqual({ kind: "timeout", timeoutMs: 200 });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 200);
    const aborted = await run(`while sleep 0.05; do :; done; touch pushed`, { signal: abort.signal });
    expect(aborted.ending).toEqual({ kind: "aborted" });
    // An interrupted dash may forget to undo the redirections of the command, and is lost then.
    const lost = late.restarted || aborted.restarted;
    if (shell.endsWith("bash")) expect(lost).toBe(false);
    expect((await run("echo $X")).output).toBe(lost ? "\n" : "kept\n");
    await delay(200);
    expect(existsSync(path.join(root, "pushed"))).toBe(false);
    expect(processesWith(seconds)).toEqual([]);
  });

  it("kills what ignores SIGINT and SIGTERM, and the shell with it", async () => {
    const { root, run } = await setUp({ shell });
    const seconds = uniqueSleep();
    const stubborn = await run(`sh -c 'trap "" INT TERM; sleep ${seconds}; sleep ${seconds}'; touch pushed`, {
      timeoutMs: 200,
    });
    expect(stubborn).toMatchObject({ ending: { kind: "timeout" }, restarted: true });
    expect(processesWith(seconds)).toEqual([]);
    expect(existsSync(path.join(root, "pushed"))).toBe(false);
    expect((await run("echo alive")).output).toBe("alive\n");
  });

  it("stops a tree of processes, those in the background too, and bash keeps its earlier jobs", async () => {
    const { run, terminal, id } = await setUp({ shell });
    const [mine, theirs] = [uniqueSleep(), uniqueSleep()];
    await run(`sleep ${mine} &`);
    const tree = `for i in 1 2 3; do (sleep ${theirs} & (sleep ${theirs} & sleep ${theirs}) & wait) & done; wait`;
    const stopped = await run(tree, { timeoutMs: 300 });
    expect(stopped.ending.kind).toBe("timeout");
    expect(processesWith(theirs)).toEqual([]);
    if (shell.endsWith("bash")) expect(stopped.restarted).toBe(false);
    expect(processesWith(mine)).toHaveLength(stopped.restarted ? 0 : 1);
    await terminal.kill(id);
    expect(processesWith(mine)).toEqual([]);
  });
});

describe("a session", () => {
  it("gives programs no standard input, or one that is written to", async () => {
    const { run, terminal, id } = await setUp();
    expect((await run("cat; read line; echo ended")).output).toBe("ended\n");
    await expect(terminal.write(id, "x")).rejects.toMatchObject({ code: "closed" });
    const asked = run("printf 'name? '; read name; echo hello $name", { interactive: true });
    await terminal.read(id, { waitMs: 5_000, cursor: (await terminal.list())[0]!.cursor });
    await terminal.write(id, "Ada\n");
    expect((await asked).output).toBe("name? hello Ada\n");
  });

  it("runs one command at a time, in order; what waits can be aborted", async () => {
    const { run, terminal, id } = await setUp();
    const abort = new AbortController();
    const runs = [run("sleep 0.2; echo 1"), run("echo never", { signal: abort.signal }), run("echo 3")];
    await delay(50);
    expect((await terminal.list())[0]).toMatchObject({
      id,
      state: "running",
      queued: 2,
      command: "sleep 0.2; echo 1",
    });
    abort.abort();
    const results = await Promise.all(runs);
    expect(results.map(({ output }) => output)).toEqual(["1\n", "", "3\n"]);
    expect(results[1]?.ending).toEqual({ kind: "aborted" });
    expect((await terminal.read(id)).output).toBe("1\n3\n");
  });

  it("reads by cursor without a gap, at character boundaries, and says what it no longer has", async () => {
    const { terminal, id, run } = await setUp({ bufferBytes: 1_000 });
    await terminal.start(id, "for i in 1 2 3 4 5; do printf 'é%s' $i; sleep 0.05; done");
    let text = "";
    let cursor = 0;
    for (;;) {
      const piece = await terminal.read(id, { cursor, waitMs: 2_000, maxBytes: 4 });
      text += piece.output;
      cursor = piece.cursor;
      if (piece.session.state === "idle" && !piece.truncated) {
        expect(piece.lastEnding).toEqual({ kind: "exited", exitCode: 0 });
        break;
      }
    }
    expect(text).toBe("é1é2é3é4é5");
    await run("i=0; while [ $i -lt 3000 ]; do echo line$i; i=$((i+1)); done");
    const rest = await terminal.read(id, { cursor });
    expect(rest.omittedBytes).toBeGreaterThan(20_000);
    expect(rest.truncated).toBe(true);
    expect(rest.output.endsWith("line2999\n")).toBe(true);
    expect(rest.cursor - cursor).toBe(rest.omittedBytes + Buffer.byteLength(rest.output));
    await expect(terminal.read(id, { cursor: 1e9 })).rejects.toMatchObject({ code: "invalid_argument" });
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error("enough")), 20);
    await expect(
      terminal.read(id, { cursor: rest.cursor, waitMs: 60_000, signal: abort.signal }),
    ).rejects.toThrow("enough");
  });

  it("takes 100 MB of output in bounded memory, start and end kept", async () => {
    const { run, terminal, id } = await setUp();
    const before = process.memoryUsage().rss;
    const result = await run("echo start; head -c 100000000 /dev/zero; echo; echo end", {
      maxOutputBytes: 1_000,
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(150e6);
    expect(result.output.startsWith("start\n")).toBe(true);
    expect(result.output.endsWith("\nend\n")).toBe(true);
    expect(result.omittedBytes).toBe(100_000_011 - 1_000);
    expect(result.cursor).toBe(100_000_011);
    expect((await terminal.read(id, { cursor: result.cursor - 4 })).output).toBe("end\n");
  });

  it("is interrupted as by Ctrl-C", async () => {
    const { run, terminal, id } = await setUp();
    expect(await terminal.interrupt(id)).toBe(false);
    const endless = run("while :; do :; done; echo no");
    await delay(100);
    expect(await terminal.interrupt(id)).toBe(true);
    expect(await endless).toMatchObject({ ending: { kind: "stopped", by: "interrupt" }, restarted: false });
    const handled = run("sh -c 'trap \"echo caught; exit 5\" INT; sleep 10 & wait'");
    await delay(200);
    await terminal.interrupt(id);
    expect((await handled).output).toContain("caught");
  });

  it("never starts the rest of a stopped line, however often it is tried", async () => {
    const { root, terminal } = await setUp();
    const sessions = await Promise.all(Array.from({ length: 20 }, () => terminal.open()));
    const stops = sessions.flatMap(({ id }, index) =>
      [0, 1, 2].map((round) =>
        terminal.run(id, `sleep 5; touch pushed-${index}-${round}`, { timeoutMs: 20 + index * round }),
      ),
    );
    for (const { ending } of await Promise.all(stops)) expect(ending.kind).toBe("timeout");
    expect(readdirSync(root)).toEqual([]);
  });

  it("ends with its command, its queue and its jobs", async () => {
    const { run, terminal, id } = await setUp();
    const seconds = uniqueSleep();
    const runs = [
      run(`sleep ${seconds} & setsid sleep ${seconds} & trap '' TERM INT HUP; sleep ${seconds}`),
      run("echo next"),
    ];
    await delay(200);
    await terminal.kill(id);
    expect((await Promise.all(runs)).map(({ ending }) => ending)).toEqual([
      { kind: "stopped", by: "kill" },
      { kind: "stopped", by: "kill" },
    ]);
    expect(processesWith(seconds)).toEqual([]);
    await expect(run("echo")).rejects.toMatchObject({ code: "not_found" });
    await terminal.close();
    await expect(terminal.open()).rejects.toMatchObject({ code: "closed" });
  });

  it("sees only the allowed environment", async () => {
    process.env["SOME_API_KEY"] = "secret";
    onTestFinished(() => void delete process.env["SOME_API_KEY"]);
    const { terminal } = await setUp();
    const { id } = await terminal.open({ env: { MINE: "1" } });
    expect((await terminal.run(id, "echo $SOME_API_KEY-$MINE-$TERM")).output).toBe("-1-dumb\n");
  });

  it("is refused with a code", async () => {
    const { terminal, id, root } = await setUp({ maxSessions: 1 });
    await expect(terminal.open({ id })).rejects.toMatchObject({ code: "busy" });
    await expect(terminal.open()).rejects.toMatchObject({ code: "busy" });
    await expect(terminal.run(id, "a\0b")).rejects.toMatchObject({ code: "invalid_argument" });
    await expect(terminal.run(id, "a", { timeoutMs: Number.NaN })).rejects.toMatchObject({
      code: "invalid_argument",
    });
    for (const cursor of [-1, Number.NaN, 0.5])
      await expect(terminal.read(id, { cursor })).rejects.toMatchObject({ code: "invalid_argument" });
    await expect(terminal.open({ id: "" })).rejects.toMatchObject({ code: "invalid_argument" });
    const other = createNodeTerminal({ root, shell: "/no/such/shell" });
    await expect(other.open()).rejects.toMatchObject({ code: "unavailable" });
    await expect(other.open({ cwd: "missing" })).rejects.toMatchObject({ code: "not_found" });
  });

  it("makes room for a new one when it was not used, and nothing runs in it", async () => {
    const { terminal, id } = await setUp({ maxSessions: 3, evictIdleMs: 2_000 });
    const { id: serving } = await terminal.open();
    await terminal.run(serving, "sleep 60 & :");
    const { id: used } = await terminal.open();
    await expect(terminal.open()).rejects.toMatchObject({ code: "busy" });
    await delay(2_100);
    await terminal.run(used, ":");
    const { id: fresh } = await terminal.open();
    expect((await terminal.list()).map((each) => each.id)).toEqual([serving, used, fresh]);
    await expect(terminal.run(id, ":")).rejects.toMatchObject({ code: "not_found" });
    const never = await setUp({ maxSessions: 1, evictIdleMs: Infinity });
    await expect(never.terminal.open()).rejects.toMatchObject({ code: "busy" });
  });

  it("stops a program that was started when the signal of who started it is aborted", async () => {
    const { terminal, id } = await setUp();
    const seconds = uniqueSleep();
    const stop = new AbortController();
    await terminal.start(id, `sleep ${seconds}; echo on`, { signal: stop.signal });
    await vi.waitFor(() => expect(processesWith(seconds)).not.toEqual([]));
    stop.abort();
    await vi.waitFor(async () => expect((await terminal.read(id)).lastEnding).toEqual({ kind: "aborted" }));
    expect(processesWith(seconds)).toEqual([]);
    expect((await terminal.read(id)).output).not.toContain("on");
  });

  it("runs beside 49 others, and nothing is left when they close", async () => {
    const { terminal } = await setUp();
    const seconds = uniqueSleep();
    const sessions = await Promise.all(Array.from({ length: 49 }, () => terminal.open()));
    const results = await Promise.all(
      sessions.map(({ id }, index) => terminal.run(id, `sleep ${seconds} & echo ${index}`)),
    );
    expect(results.map(({ output }) => output.replace(/^\[.*\n/, ""))).toEqual(
      sessions.map((_, index) => `${index}\n`),
    );
    // A job that has been forked is still called like its shell for a moment.
    await expect.poll(() => processesWith(seconds).length).toBe(49);
    await terminal.close();
    expect(processesWith(seconds)).toEqual([]);
  });

  it("ends when the process that opened it exits", async () => {
    const { root } = await setUp();
    const seconds = uniqueSleep();
    const script = path.join(root, "leave.mts");
    const source = new URL("../src/node-terminal.ts", import.meta.url).pathname;
    const { build } = await import("esbuild");
    await build({
      entryPoints: [source],
      outfile: path.join(root, "terminal.mjs"),
      bundle: true,
      format: "esm",
      platform: "node",
    });
    await writeFile(
      script.replace(".mts", ".mjs"),
      `import { createNodeTerminal } from "./terminal.mjs";
       const terminal = createNodeTerminal({ root: ${JSON.stringify(root)} });
       const { id } = await terminal.open();
       await terminal.start(id, "echo $$ > pid; sleep ${seconds}");
       setTimeout(() => process.exit(0), 300);`,
    );
    await new Promise((done) => spawn(process.execPath, [script.replace(".mts", ".mjs")]).once("exit", done));
    expect(Number(await readFile(path.join(root, "pid"), "utf8"))).toBeGreaterThan(1);
    await delay(50);
    expect(processesWith(seconds)).toEqual([]);
  });
});
