import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTestRepository, gitConformance } from "../src/conformance/index.js";
import { createGit, GIT_WRITE_EFFECTS, type GitOptions } from "../src/index.js";

const setUp = (options: Partial<GitOptions> & { init?: boolean } = {}) => {
  const { init = true, ...rest } = options;
  const repository = createTestRepository({ init });
  onTestFinished(() => repository.remove());
  const { read, write } = createGit({ root: repository.root, write: true, ...rest });
  if (!write) throw new Error("unreachable");
  return { repository, read, write, at: (...parts: string[]) => path.join(repository.root, ...parts) };
};

/** A program that leaves a mark when it is run. */
const trap = (root: string, name: string): { file: string; sprung: () => boolean } => {
  const mark = path.join(root, `${name}.sprung`);
  const file = path.join(root, `${name}.sh`);
  writeFileSync(file, `#!/bin/sh\ntouch '${mark}'\ncat\nexit 0\n`);
  chmodSync(file, 0o755);
  return { file, sprung: () => existsSync(mark) };
};

describe("git over the git program", () => {
  const cases = gitConformance({ create: (root) => ({ port: createGit({ root, write: true }) }) });
  it.each(cases.map((each) => [each.name, each] as const))("%s", (_, each) => each.run());
});

describe("a repository that is read", () => {
  it("runs none of its own programs: monitor, hooks, external diff, text conversion, signature check", async () => {
    const { repository, read } = setUp();
    repository.write("a.txt", "1\n");
    repository.write(".gitattributes", "*.txt diff=trap\n");
    repository.commit("first");
    repository.write("a.txt", "2\n");
    const aside = createTestRepository({ init: false });
    onTestFinished(() => aside.remove());
    const traps = ["monitor", "external", "driver", "textconv", "gpg", "pager"].map((name) =>
      trap(aside.root, name),
    );
    const [monitor, external, driver, textconv, gpg, pager] = traps.map((each) => each.file);
    repository.git("config", "core.fsmonitor", monitor as string);
    repository.git("config", "diff.external", external as string);
    repository.git("config", "diff.trap.command", driver as string);
    repository.git("config", "diff.trap.textconv", textconv as string);
    repository.git("config", "gpg.program", gpg as string);
    repository.git("config", "log.showSignature", "true");
    repository.git("config", "core.pager", pager as string);
    const hook = trap(aside.root, "hook");
    for (const name of ["post-index-change", "reference-transaction", "post-checkout"]) {
      writeFileSync(path.join(repository.root, ".git/hooks", name), readFileSync(hook.file));
      chmodSync(path.join(repository.root, ".git/hooks", name), 0o755);
    }
    await read.status();
    await read.diff();
    await read.log({ paths: ["a.txt"] });
    await read.show("HEAD");
    await read.blame("a.txt");
    await read.fileAt("HEAD", "a.txt");
    await read.stashes();
    expect([...traps, hook].filter((each) => each.sprung())).toEqual([]);
    // The traps work: git itself, asked without our care, runs into them.
    repository.git("diff");
    expect(traps.some((each) => each.sprung())).toBe(true);
  });

  it("is read the same whatever its configuration says about form", async () => {
    const { repository, read } = setUp();
    repository.write("old", "same\n".repeat(20));
    repository.commit("first");
    repository.git("mv", "old", "new");
    const plain = [await read.status(), await read.diff({ target: { kind: "staged" } }), await read.log()];
    for (const [key, value] of [
      ["diff.noprefix", "true"],
      ["diff.mnemonicPrefix", "true"],
      ["diff.renames", "false"],
      ["status.renames", "false"],
      ["status.showUntrackedFiles", "no"],
      ["color.ui", "always"],
      ["core.quotePath", "true"],
      ["log.decorate", "full"],
      ["log.date", "relative"],
      ["format.pretty", "oneline"],
    ] as const)
      repository.git("config", key, value);
    expect([await read.status(), await read.diff({ target: { kind: "staged" } }), await read.log()]).toEqual(
      plain,
    );
    expect((await read.blame("old", { ref: "HEAD" })).lines).toHaveLength(20);
  });

  it("is not redirected by GIT_ variables of this process", async () => {
    const { repository, read } = setUp();
    const other = setUp();
    repository.commit("here");
    other.repository.commit("there");
    process.env["GIT_DIR"] = other.at(".git");
    process.env["GIT_WORK_TREE"] = other.repository.root;
    onTestFinished(() => {
      delete process.env["GIT_DIR"];
      delete process.env["GIT_WORK_TREE"];
    });
    expect((await read.log()).commits.map((each) => each.subject)).toEqual(["here"]);
  });

  it("may be seen from one of its directories, and shows nothing beside it", async () => {
    const { repository } = setUp();
    repository.write("sub/dir/a", "1\n");
    repository.write("outside", "1\n");
    repository.commit("first");
    repository.write("sub/dir/a", "2\n");
    repository.write("sub/dir/new", "2\n");
    repository.write("outside", "2\n");
    const { read, write } = createGit({ root: path.join(repository.root, "sub/dir"), write: true });
    expect((await read.status()).files.map((each) => each.path)).toEqual(["a", "new"]);
    const diff = await read.diff();
    expect(diff.files.map((each) => each.path)).toEqual(["a"]);
    expect(diff.patch).toMatch(/^diff --git a\/a b\/a\n/);
    expect((await read.fileAt("HEAD", "a")).text).toBe("1\n");
    expect((await read.show("HEAD")).diff.files.map((each) => each.path)).toEqual(["a"]);
    await write?.stashPush({ includeUntracked: true });
    expect(repository.git("status", "--porcelain")).toBe("M outside");
    await write?.stashPop();
    await write?.add(["."]);
    expect(repository.git("diff", "--cached", "--name-only").split("\n")).toEqual([
      "sub/dir/a",
      "sub/dir/new",
    ]);
  });

  it("may lie in directories whose names hold newlines", async () => {
    const { repository } = setUp();
    repository.write("a\nb/c\n/file", "1\n");
    repository.commit("first");
    repository.write("a\nb/c\n/file", "2\n");
    const { read } = createGit({ root: path.join(repository.root, "a\nb/c\n") });
    expect((await read.status()).files.map((each) => each.path)).toEqual(["file"]);
    expect((await read.fileAt("HEAD", "file")).text).toBe("1\n");
  });

  it("may be a linked work tree or hold a submodule", async () => {
    const { repository, read, at } = setUp();
    repository.write("a", "1\n");
    repository.commit("first");
    const library = createTestRepository();
    onTestFinished(() => library.remove());
    library.write("b", "1\n");
    library.commit("library");
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.root, "lib");
    repository.commit("with a library");
    writeFileSync(at("lib/b"), "2\n");
    expect((await read.status()).files).toEqual([
      { kind: "changed", path: "lib", unstaged: "modified", submodule: true },
    ]);
    await expect(read.fileAt("HEAD", "lib")).rejects.toMatchObject({ code: "not_found" });

    repository.git("worktree", "add", "--quiet", "linked", "-b", "linked");
    const linked = createGit({ root: at("linked") });
    expect(await linked.read.head()).toMatchObject({ kind: "branch", branch: "linked" });
    expect((await linked.read.status()).files).toEqual([]);
  });

  it("that names another directory as its own is read and written where it lies", async () => {
    const { repository, read, write, at } = setUp();
    const home = createTestRepository({ init: false });
    onTestFinished(() => home.remove());
    for (const file of ["id_rsa", "notes.txt"]) {
      repository.write(`sub/${file}`, "x\n");
      home.write(file, "private\n");
      home.write(`sub/${file}`, "private\n");
    }
    repository.commit("first");
    // A directory above would show what lies beside the root, too.
    for (const elsewhere of [home.root, path.dirname(repository.root)]) {
      repository.git("config", "core.worktree", elsewhere);
      expect((await read.diff()).patch).toBe("");
      expect((await read.status()).files).toEqual([]);
      const below = createGit({ root: at("sub"), write: true });
      expect((await below.read.diff()).patch).toBe("");
      await below.write?.discard(["notes.txt"]);
      await write.discard(["sub/notes.txt"]);
    }
    repository.git("config", "--unset", "core.worktree");
    repository.git("config", "extensions.worktreeConfig", "true");
    repository.write(".git/config.worktree", `[core]\n\tworktree = ${home.root}\n`);
    expect((await read.diff()).patch).toBe("");
    repository.write("sub/notes.txt", "mine\n");
    await write.stashPush({ includeUntracked: true });
    expect(readFileSync(at("sub/notes.txt"), "utf8")).toBe("x\n");
    expect(readFileSync(path.join(home.root, "sub/notes.txt"), "utf8")).toBe("private\n");
  });

  it("may be a submodule, and not the repository of another directory", async () => {
    const { repository, at } = setUp();
    const library = createTestRepository();
    onTestFinished(() => library.remove());
    library.write("b", "1\n");
    library.commit("library");
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.root, "lib");
    writeFileSync(at("lib/b"), "2\n");
    const { read } = createGit({ root: at("lib") });
    expect((await read.status()).files.map((each) => each.path)).toEqual(["b"]);
    expect((await read.log()).commits.map((each) => each.subject)).toEqual(["library"]);

    // What was unpacked from somewhere has a `.git` that leads to what it was not made for, in each way that git knows.
    const unpacked = (make: (root: string) => void) => {
      const made = createTestRepository({ init: false });
      onTestFinished(() => made.remove());
      make(made.root);
      return createGit({ root: made.root }).read;
    };
    const target = path.join(library.root, ".git");
    const ways = [
      (root: string) => writeFileSync(path.join(root, ".git"), `gitdir: ${target}\n`),
      (root: string) => symlinkSync(target, path.join(root, ".git")),
      (root: string) => {
        mkdirSync(path.join(root, ".git"));
        writeFileSync(path.join(root, ".git/HEAD"), "ref: refs/heads/main\n");
        writeFileSync(path.join(root, ".git/commondir"), `${target}\n`);
      },
    ];
    for (const way of ways) {
      const other = unpacked(way);
      await expect(other.log()).rejects.toMatchObject({ code: "denied" });
      await expect(other.status()).rejects.toMatchObject({ code: "denied" });
      await expect(other.fileAt("HEAD", "b")).rejects.toMatchObject({ code: "denied" });
    }
    // Its own, kept apart within the directory, and one that says that it belongs here.
    const apart = createTestRepository({ init: false });
    onTestFinished(() => apart.remove());
    apart.git("init", "--quiet", "--separate-git-dir=.store");
    expect((await createGit({ root: apart.root }).read.head()).kind).toBe("unborn");
    library.git("config", "core.worktree", apart.root);
    writeFileSync(path.join(apart.root, ".git"), `gitdir: ${target}\n`);
    expect((await createGit({ root: apart.root }).read.log()).commits).toHaveLength(1);
  });

  it("that somebody else owns is refused with what a person can do", async () => {
    if (process.getuid?.() !== 0) return;
    const { repository, read } = setUp();
    repository.commit("first");
    const { chownSync } = await import("node:fs");
    chownSync(repository.root, 12_345, 12_345);
    chownSync(path.join(repository.root, ".git"), 12_345, 12_345);
    await expect(read.status()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("safe.directory"),
    });
  });

  it("and is bare is refused, also when the workspace merely looks like one", async () => {
    const { repository, read } = setUp({ init: false });
    repository.git("init", "--quiet", "--bare", ".");
    await expect(read.status()).rejects.toMatchObject({ code: "unavailable" });
    await expect(read.log()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("without the git program is unavailable, without the directory not found", async () => {
    const { read } = setUp({ gitPath: "no-such-git" });
    await expect(read.status()).rejects.toMatchObject({ code: "unavailable" });
    const nowhere = createGit({ root: "/no/such/directory" });
    await expect(nowhere.read.status()).rejects.toMatchObject({ code: "not_found" });
  });

  it("is not waited for longer than the limit, and an abort in the middle ends the process", async () => {
    const { at, repository } = setUp();
    const slow = at("slow.sh");
    writeFileSync(slow, `#!/bin/sh\necho $$ > '${at("pid")}'\nexec sleep 60\n`);
    chmodSync(slow, 0o755);
    const { read } = createGit({ root: repository.root, gitPath: slow, timeoutMs: 200 });
    await expect(read.status()).rejects.toMatchObject({ code: "timeout" });

    const stop = new AbortController();
    const call = createGit({ root: repository.root, gitPath: slow }).read.status({ signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), 200);
    await expect(call).rejects.toThrow("enough");
    expect(() => process.kill(Number(readFileSync(at("pid"), "utf8")), 0)).toThrow("ESRCH");
  });

  it("with 5,000 changed files is listed up to the cap", async () => {
    const { repository, read } = setUp();
    for (let index = 0; index < 5_000; index += 1) repository.write(`d/${index}`, "");
    const status = await read.status({ untracked: "all", maxFiles: 100 });
    expect([status.files.length, status.truncated]).toEqual([100, true]);
  });
});

describe("a repository that is written to", () => {
  const withHook = (name: string) => {
    const { repository } = setUp();
    const mark = path.join(repository.root, ".git/hook-ran");
    const file = path.join(repository.root, ".git/hooks", name);
    writeFileSync(file, `#!/bin/sh\ntouch '${mark}'\nexit 1\n`);
    chmodSync(file, 0o755);
    repository.write("a", "1\n");
    repository.git("add", ".");
    return { repository, ran: () => existsSync(mark) };
  };

  it("runs no hooks unless the host wants them", async () => {
    const { repository, ran } = withHook("pre-commit");
    const hooked = createGit({ root: repository.root, write: true, hooks: true });
    await expect(hooked.write?.commit("stopped by the hook")).rejects.toMatchObject({ code: "failed" });
    expect(ran()).toBe(true);
    const plain = withHook("pre-commit");
    await createGit({ root: plain.repository.root, write: true }).write?.commit("not stopped");
    expect(plain.ran()).toBe(false);
  });

  it("is signed only where the host wants it", async () => {
    const { repository, write } = setUp();
    repository.git("config", "commit.gpgSign", "true");
    repository.git("config", "tag.gpgSign", "true");
    repository.git("config", "gpg.program", "/bin/false");
    await write.commit("unsigned", { allowEmpty: true });
    await write.tag("v1", { message: "unsigned" });
    const signing = createGit({ root: repository.root, write: true, sign: true });
    await expect(signing.write?.commit("signed", { allowEmpty: true })).rejects.toMatchObject({
      code: "failed",
    });
  });

  it("runs no program to verify signatures on a merge, unless the host wants signatures", async () => {
    const { repository, write, at } = setUp();
    repository.commit("first");
    const gpg = trap(at(".git"), "gpg");
    const raw = repository.git("cat-file", "commit", "HEAD");
    const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----";
    repository.write(
      ".git/raw",
      `${raw.replace("\n\n", `\nparent ${repository.git("rev-parse", "HEAD")}\n${signature}\n\n`)}\n`,
    );
    const sorted = readFileSync(at(".git/raw"), "utf8").replace(/^(tree .+\n)([^]*?)(parent .+\n)/, "$1$3$2");
    repository.write(".git/raw", sorted);
    const id = repository.git("hash-object", "-t", "commit", "-w", ".git/raw");
    repository.git("update-ref", "refs/heads/side", id);
    repository.git("config", "gpg.program", gpg.file);
    repository.git("config", "merge.verifySignatures", "true");
    await write.merge("side");
    expect(gpg.sprung()).toBe(false);
    expect(repository.git("rev-parse", "HEAD")).toBe(id);
    repository.git("reset", "--quiet", "--hard", "HEAD^");
    const signing = createGit({ root: repository.root, write: true, sign: true });
    await expect(signing.write?.merge("side")).rejects.toMatchObject({ code: "failed" });
    expect(gpg.sprung()).toBe(true);
  });

  it("by nobody is refused, and by a given author who then also commits, is not", async () => {
    const { repository, write } = setUp();
    repository.git("config", "--unset", "user.name");
    repository.git("config", "--unset", "user.email");
    const home = process.env["HOME"];
    process.env["HOME"] = repository.root;
    onTestFinished(() => void (process.env["HOME"] = home));
    await expect(write.commit("by whom?", { allowEmpty: true })).rejects.toMatchObject({
      code: "invalid_argument",
    });
    const author = { name: "Grace Hopper", email: "grace@example.com" };
    const commit = await write.commit("by her", { allowEmpty: true, author });
    expect([commit.author.email, commit.committer.email]).toEqual([author.email, author.email]);
  });

  it("keeps its ignored files and its own directory out of commits", async () => {
    const { repository, write } = setUp();
    repository.write(".gitignore", "secret\n");
    repository.write("secret", "x");
    await expect(write.add(["secret"])).rejects.toMatchObject({ code: "denied" });
    await write.add([".git/config"]);
    expect(repository.git("ls-files")).toBe("");
  });

  it("is written to by one git at a time", async () => {
    const { repository, at } = setUp();
    const wrapper = at(".git/wrapper.sh");
    const log = at(".git/log");
    writeFileSync(
      wrapper,
      `#!/bin/sh\necho begin >> '${log}'\ngit "$@"\ncode=$?\necho end >> '${log}'\nexit $code\n`,
    );
    chmodSync(wrapper, 0o755);
    const names = ["a", "b", "c", "d"];
    for (const name of names) repository.write(name, "x");
    const { write } = createGit({ root: repository.root, write: true, gitPath: wrapper });
    await Promise.all(names.map((name) => write?.add([name])));
    const lines = readFileSync(log, "utf8").trim().split("\n");
    expect(lines.length).toBeGreaterThan(8);
    expect(lines).toEqual(lines.map((_, index) => (index % 2 === 0 ? "begin" : "end")));
  });

  it("and locked by another process is busy", async () => {
    const { repository, write } = setUp();
    repository.write("a", "1\n");
    repository.write(".git/index.lock", "");
    await expect(write.add(["a"])).rejects.toMatchObject({ code: "busy" });
  });

  it("says of each call what it can cost", () => {
    const { write } = setUp();
    expect(Object.keys(GIT_WRITE_EFFECTS).sort()).toEqual(Object.keys(write).sort());
    const destructive = Object.entries(GIT_WRITE_EFFECTS).filter(([, effect]) => effect === "destructive");
    expect(destructive.map(([name]) => name)).toEqual(["discard", "abort"]);
  });

  it("is not there unless the host allows it", () => {
    expect(createGit({ root: process.cwd() })).not.toHaveProperty("write");
  });
});
