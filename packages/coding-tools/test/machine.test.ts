import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { mkdir, readdir, readFile, realpath, rm, utimes, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { nodeHost } from "@fiveseam/host";
import { createShellPolicy } from "@fiveseam/shell-policy";
import {
  createPipeline,
  createRights,
  failureKind,
  intersect,
  outcomeOf,
  wrapTool,
} from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCodingTools } from "../src/index.js";
import { calledWith, directoryWith, NO_SECRETS, toolsOver } from "./support.js";

const machine = async (files: Record<string, string> = {}, more: Parameters<typeof nodeHost>[1] = {}) => {
  const root = await directoryWith(files);
  const host = nodeHost(root, more);
  onTestFinished(() => host.terminal?.close());
  return { root, host, ...toolsOver(host, { root }) };
};

const git = (root: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], {
    cwd: root,
    encoding: "utf8",
  });

describe("ripgrep_search", () => {
  const FILES = {
    ".gitignore": "dist/\n",
    "src/a.ts": "const one = 1;\nconst two = one;\nexport { two };\n",
    "src/b.py": "one = 1\n",
    "dist/a.js": "var one;\n",
    "secret/k.ts": "const one = 'key';\n",
  };

  it("shows matching lines by file with their numbers, without what is ignored", async () => {
    const { use } = await machine(FILES);
    expect((await use("ripgrep_search", { pattern: "one", globs: ["*.ts"] })).text).toBe(
      [
        "3 matching lines in 2 files",
        "/workspace/secret/k.ts",
        "  1: const one = 'key';",
        "/workspace/src/a.ts",
        "  1: const one = 1;",
        "  2: const two = one;",
      ].join("\n"),
    );
    expect(
      (await use("ripgrep_search", { pattern: "one;", include_ignored: true, path: "dist" })).text,
    ).toContain("/workspace/dist/a.js");
    expect(
      (await use("ripgrep_search", { pattern: "o.e", regex: true, path: "/workspace/src/b.py" })).text,
    ).toContain("1 matching line in 1 file");
    expect((await use("ripgrep_search", { pattern: "o.e" })).text).toBe("No matches.");
  });

  it("shows the lines around a match, and says what was left out", async () => {
    const { use } = await machine({ "a.txt": "1\n2\nhit\n4\n5\n6\n7\n8\nhit\n" });
    const { text } = await use("ripgrep_search", { pattern: "hit", context: 1 });
    expect(text.split("\n").slice(2)).toEqual(["  2- 2", "  3: hit", "  4- 4", "  --", "  8- 8", "  9: hit"]);
    expect((await use("ripgrep_search", { pattern: "hit", max_results: 1 })).text).toContain(
      "[there are more matches",
    );
  });

  it("shows nobody a file that they may not read, and refuses to leave the workspace", async () => {
    const { tools, use } = await machine({
      ...FILES,
      "secret/more.txt": "tiger42\n".repeat(300),
      "secret/bin": "tiger\0 42",
      "z.txt": "a tiger\n",
    });
    const limited = calledWith(tools, { rights: NO_SECRETS });
    expect((await limited("ripgrep_search", { pattern: "one", globs: ["*.ts"] })).text).not.toContain(
      "secret",
    );
    // Neither that there is more, nor that a binary file matches; and what may be read is found behind what may not.
    expect((await limited("ripgrep_search", { pattern: "tiger", max_results: 1 })).text).toBe(
      "1 matching line in 1 file\n/workspace/z.txt\n  1: a tiger",
    );
    expect((await limited("ripgrep_search", { pattern: "tiger42" })).text).toBe("No matches.");
    const said = async (file: string) => (await limited("ripgrep_search", { pattern: "x", path: file })).text;
    expect((await said("secret/k.ts")).replace("k.ts", "")).toBe(
      (await said("secret/none.ts")).replace("none.ts", ""),
    );
    await expect(use("ripgrep_search", { pattern: "x", path: "/etc" })).rejects.toThrow(
      "outside the workspace",
    );
  });
});

describe("manage_terminal", () => {
  it("keeps a shell between calls, runs a server beside it, and closes both", async () => {
    const { use } = await machine({ "sub/x.txt": "hello\n" });
    const opened = await use("manage_terminal", { action: "open" });
    const session = /^Opened (\S+):/.exec(opened.text)?.[1];
    const on = (action: string, args: object = {}) => use("manage_terminal", { action, session, ...args });
    expect((await on("run", { command: "cd sub && NAME=ada" })).text).toMatch(
      /^exit code 0 .*now in .*\/sub$/,
    );
    expect((await on("run", { command: "echo $NAME; cat x.txt; false" })).text).toMatch(
      /^exit code 1 [^]*\nada\nhello$/,
    );
    const started = await on("start", { command: "read line; echo got $line" });
    const cursor = Number(/cursor (\d+)/.exec(started.text)?.[1]);
    await on("write", { input: "ping\n" });
    let read = "";
    for (let n = 0; n < 20 && !read.includes("got ping"); n += 1)
      read = (await on("read", { cursor, wait_ms: 500 })).text;
    expect(read).toContain("got ping");
    expect((await use("manage_terminal", { action: "list" })).text).toContain(String(session));
    expect((await on("close")).text).toBe(`Closed ${session}.`);
    expect((await use("manage_terminal", { action: "list" })).text).toBe("No sessions.");
    await expect(on("run", { command: "true" })).rejects.toThrow("There is no session");
  });

  it("shows a conversation only its own sessions, without a pipeline too", async () => {
    const { tools } = await machine();
    const terminal = tools.find(({ name }) => name === "manage_terminal") as (typeof tools)[number];
    const on = async (thread_id: string, args: object) =>
      String(
        (
          (await terminal.invoke(
            { type: "tool_call", id: "c", name: "manage_terminal", args },
            { configurable: { thread_id } },
          )) as { content: string }
        ).content,
      );
    await on("alice", { action: "open" });
    expect(await on("bob", { action: "list" })).toBe("No sessions.");
    expect(await on("alice", { action: "list" })).toContain("idle");
  });

  it("shows a conversation only its own sessions", async () => {
    const { tools } = await machine();
    const one = calledWith(tools, { threadId: "one" });
    const two = calledWith(tools, { threadId: "two" });
    const session = /^Opened (\S+):/.exec((await one("manage_terminal", { action: "open" })).text)?.[1];
    expect((await two("manage_terminal", { action: "list" })).text).toBe("No sessions.");
    expect(await two("manage_terminal", { action: "run", session, command: "id" })).toMatchObject({
      status: "error",
    });
  });
});

describe("a shell policy", () => {
  it("keeps what it denies from being run, by every tool that runs a command", async () => {
    const root = await directoryWith({ "package.json": "{}" });
    const host = nodeHost(root);
    onTestFinished(() => host.terminal?.close());
    const judged: string[] = [];
    const shellPolicy = {
      judge: (command: string, options?: { cwd?: string }) => {
        judged.push(`${command} in ${path.basename(options?.cwd ?? "")}`);
        const verdict = command.includes("forbidden") ? ("deny" as const) : ("allow" as const);
        return { verdict, segments: [{ text: command, verdict, why: "it is forbidden" }] };
      },
    };
    const { use } = toolsOver(host, { root, shellPolicy });
    const session = /^Opened (\S+):/.exec((await use("manage_terminal", { action: "open" })).text)?.[1];
    const command = "touch forbidden";
    const denied = { code: "denied", message: expect.stringContaining("`touch forbidden`: it is forbidden") };
    await expect(use("run_command", { command })).rejects.toMatchObject(denied);
    await expect(use("run_tests", { command })).rejects.toMatchObject(denied);
    await expect(use("manage_terminal", { action: "run", session, command })).rejects.toMatchObject(denied);
    await expect(use("manage_terminal", { action: "start", session, command })).rejects.toMatchObject(denied);
    expect((await use("run_command", { command: "ls" })).text).not.toContain("forbidden");
    expect(judged.every((each) => each.endsWith(` in ${path.basename(root)}`))).toBe(true);
  });
});

describe("a caller that may not run commands", () => {
  const READER = createRights({ effects: ["fs.read"], read: "all", write: "none" });

  it("runs those that surely only read, and no other, whatever they are written like", async () => {
    const { root, host } = await machine({ "a.txt": "one\n", ".env": "KEY=1\n" });
    const shellPolicy = await createShellPolicy({ workspace: await realpath(root) });
    const use = calledWith(createCodingTools({ host, root, shellPolicy }), { rights: READER });
    expect((await use("run_command", { command: "cat a.txt | wc -l" })).text).toContain("exit code 0");
    for (const command of [
      "echo x > a.txt",
      "cat a.txt; touch b.txt",
      "cat $(touch b.txt)",
      "npm test",
      "node -e 1",
      "sed -i s/one/two/ a.txt",
      "cat .env",
      "curl https://example.org",
    ]) {
      const refused = await use("run_command", { command });
      expect(outcomeOf(refused), command).toBe("denied");
      expect(refused.text).toContain(
        "exec, which the role x does not have here. You may only make calls of it that",
      );
    }
    expect(outcomeOf(await use("run_tests", { command: "cat a.txt" }))).toBe("denied");
    expect(outcomeOf(await use("manage_terminal", { action: "open" }))).toBe("denied");
    expect(await readdir(root)).toEqual([".env", "a.txt"]);
  });

  it("is asked again by the tool itself, since a layer may have changed the command meanwhile", async () => {
    const { root, host } = await machine({ "a.txt": "one\n" });
    const shellPolicy = await createShellPolicy({ workspace: await realpath(root) });
    const tool = createCodingTools({ host, root, shellPolicy }).find(({ name }) => name === "run_command");
    const pipeline = createPipeline().use(
      { name: "changes", handle: (call, next) => next({ ...call, args: { command: "touch b.txt" } }) },
      { after: "policy" },
    );
    const wrapped = wrapTool(tool as never as StructuredTool, pipeline, { rights: READER });
    const answer: unknown = await wrapped.invoke({ command: "ls" });
    expect(answer).toContain("you may only run commands that surely change nothing here");
    expect(await readdir(root)).toEqual(["a.txt"]);
  });

  it("runs none without a policy that knows which read, nor when it may not read everything", async () => {
    const { root, host } = await machine({ "a.txt": "one\n" });
    const command = "cat a.txt";
    const unknowing = { judge: () => ({ verdict: "allow" as const, segments: [] }) };
    for (const policy of [{}, { shellPolicy: unknowing }]) {
      const use = calledWith(createCodingTools({ host, root, ...policy }), { rights: READER });
      expect(outcomeOf(await use("run_command", { command }))).toBe("denied");
    }
    const shellPolicy = await createShellPolicy({ workspace: await realpath(root) });
    const use = calledWith(createCodingTools({ host, root, shellPolicy }), {
      rights: intersect(READER, NO_SECRETS),
    });
    expect(failureKind(await use("run_command", { command }))).toBe("denied");
  });

  it("leaves the repository as it is also where git would write its index anew", async () => {
    const { root, host } = await machine({ "a.txt": "one\n" });
    for (const args of [
      ["init", "-q"],
      ["add", "."],
    ])
      git(root, ...args);
    const index = path.join(root, ".git", "index");
    const before = await readFile(index);
    await utimes(path.join(root, "a.txt"), 1, 1);
    const shellPolicy = await createShellPolicy({ workspace: await realpath(root) });
    const use = calledWith(createCodingTools({ host, root, shellPolicy }), { rights: READER });
    expect((await use("run_command", { command: "git status" })).text).toContain("a.txt");
    expect((await readFile(index)).equals(before)).toBe(true);
  });

  it("runs no program of a repository that lies in the tree as files", async () => {
    const { root, host } = await machine({ "a.txt": "one\n" });
    git(root, "init", "-q");
    git(root, "add", ".");
    git(root, "commit", "-qm", "First");
    await writeFile(path.join(root, "a.txt"), "two\n");
    git(root, "commit", "-qam", "Second");
    git(root, "clone", "-q", "--bare", ".", "evil.git");
    const evil = path.join(root, "evil.git");
    const ran = path.join(root, "RAN");
    for (const setting of [
      ["core.bare", "false"],
      ["core.worktree", root],
      ["diff.external", `touch ${ran};:`],
    ])
      git(evil, "config", "--file", "config", ...setting);
    const command = "git diff HEAD~1 HEAD --";
    git(evil, "diff", "HEAD~1", "HEAD", "--");
    expect(await readdir(root)).toContain("RAN");
    await rm(ran);
    const shellPolicy = await createShellPolicy({ workspace: await realpath(root) });
    const use = calledWith(createCodingTools({ host, root, shellPolicy }), { rights: READER });
    for (const there of ["git -C evil.git diff HEAD~1 HEAD", `cd evil.git && ${command}`])
      expect(outcomeOf(await use("run_command", { command: there })), there).toBe("denied");
    // Even where a policy takes it for reading, git refuses the repository.
    const credulous = { judge: () => ({ verdict: "allow" as const, readOnly: true, segments: [] }) };
    const trusting = calledWith(createCodingTools({ host, root, shellPolicy: credulous }), {
      rights: READER,
    });
    await trusting("run_command", { command: `cd evil.git && ${command}` });
    const answer = await trusting("run_command", { command: "cd evil.git && git log" });
    expect(answer.text).toContain("safe.bareRepository");
    expect(await readdir(root)).not.toContain("RAN");
  });
});

describe("git_read and git_ops", () => {
  const repository = async () => {
    const made = await machine({ "a.txt": "one\n", "secret/k.txt": "key\n" });
    git(made.root, "init", "-q", "-b", "main");
    git(made.root, "config", "user.name", "Ada");
    git(made.root, "config", "user.email", "ada@example.org");
    git(made.root, "add", ".");
    git(made.root, "commit", "-q", "-m", "First\n\nWhy it was made.");
    return made;
  };

  it("look at a change, record it, and show it again", async () => {
    const { use, root } = await repository();
    await writeFile(path.join(root, "a.txt"), "two\n");
    await writeFile(path.join(root, "new file.txt"), "n\n");
    const status = (await use("git_read", { action: "status" })).text;
    expect(status).toMatch(/^On branch main at /);
    expect(status).toContain("not staged, modified: /workspace/a.txt");
    expect(status).toContain("untracked: /workspace/new file.txt");
    expect((await use("git_read", { action: "diff" })).text).toMatch(
      /modified: \/workspace\/a\.txt \(\+1 -1\)[^]*-one\n\+two/,
    );
    expect(
      (await use("git_ops", { action: "add", paths: ["/workspace/a.txt", "new file.txt"] })).text,
    ).toContain("staged, added: /workspace/new file.txt");
    expect((await use("git_ops", { action: "commit", message: "Second" })).text).toContain("Second");
    expect((await use("git_read", { action: "log" })).text).toMatch(/: Second.*\n.*: First/);
    expect((await use("git_read", { action: "show" })).text).toMatch(/Ada <ada@example.org>[^]*\+two/);
    expect((await use("git_read", { action: "blame", path: "a.txt" })).text).toMatch(
      /^1: \w+ .* Ada \| two$/,
    );
    expect((await use("git_read", { action: "file", path: "a.txt", ref: "HEAD~1" })).text).toBe("one\n");
  });

  it("change branches, stash, and say what stands in conflict", async () => {
    const { use, root } = await repository();
    await use("git_ops", { action: "create_branch", name: "topic" });
    await use("git_ops", { action: "switch_branch", name: "topic" });
    await writeFile(path.join(root, "a.txt"), "topic\n");
    await use("git_ops", { action: "commit", message: "Topic", paths: ["a.txt"] });
    await use("git_ops", { action: "switch_branch", name: "main" });
    await writeFile(path.join(root, "a.txt"), "main\n");
    expect((await use("git_ops", { action: "stash_push" })).text).toMatch(/^Stashed as 0/);
    expect(await readFile(path.join(root, "a.txt"), "utf8")).toBe("one\n");
    expect((await use("git_ops", { action: "stash_pop" })).text).toMatch(/^Done\./);
    await use("git_ops", { action: "commit", message: "Main", paths: ["a.txt"] });
    const merged = (await use("git_ops", { action: "merge", ref: "topic" })).text;
    expect(merged).toContain("conflict: /workspace/a.txt");
    expect((await use("git_ops", { action: "abort" })).text).toContain("Nothing has changed.");
  });

  it("say what is missing, take no option for a reference, and show a limited reader nothing", async () => {
    const { use, tools } = await repository();
    await expect(use("git_ops", { action: "commit" })).rejects.toThrow('action "commit" needs `message`');
    await expect(use("git_read", { action: "show", ref: "--output=/tmp/x" })).rejects.toMatchObject({
      code: "invalid_argument",
    });
    const limited = calledWith(tools, { rights: NO_SECRETS });
    expect(await limited("git_read", { action: "show" })).toMatchObject({ status: "error" });
  });
});

describe("web_fetch", () => {
  it("reads a page as text, and refuses this machine's network unless it was allowed", async () => {
    const server = createServer((_request, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end("<html><head><title>Guide</title></head><body><h1>Hello</h1><p>world</p></body></html>");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const open = await machine({}, { webFetch: { allow: [address] } });
    const { text } = await open.use("web_fetch", { url: `http://${address}/` });
    expect(text).toMatch(/\(status 200, text\/html, "Guide"\)\n/);
    expect(text.toLowerCase()).toContain("hello");
    const closed = await machine();
    await expect(closed.use("web_fetch", { url: `http://${address}/` })).rejects.toMatchObject({
      code: "denied",
    });
  });
});

describe("manage_tasks and manage_core_memory", () => {
  it("keep what they were told across sessions, the user's memory in every project and the project's in one", async () => {
    const state = await directoryWith();
    const userStateDirectory = path.join(state, "person");
    const projectAt = async (name: string) => {
      const stateDirectory = path.join(state, name);
      await mkdir(stateDirectory, { recursive: true });
      return machine({}, { stateDirectory, userStateDirectory });
    };
    const first = await projectAt("shop");
    const memory = (scope: string, text: string) =>
      first.use("manage_core_memory", { action: "set", scope, key: "note", text });
    await memory("user", "prefers tabs");
    await memory("project", "uses pnpm");
    await first.use("manage_tasks", { action: "add", title: "Ship it" });

    const again = await projectAt("shop");
    const listed = (await again.use("manage_core_memory", { action: "list" })).text;
    expect(listed).toContain("prefers tabs");
    expect(listed).toContain("uses pnpm");
    expect((await again.use("manage_tasks", { action: "list" })).text).toBe("[ ] 1: Ship it");

    const other = await projectAt("blog");
    const elsewhere = (await other.use("manage_core_memory", { action: "list" })).text;
    expect(elsewhere).toContain("prefers tabs");
    expect(elsewhere).not.toContain("uses pnpm");
    expect((await other.use("manage_tasks", { action: "list" })).text).toBe("The list is empty.");
  });
});
