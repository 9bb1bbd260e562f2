import assert from "node:assert/strict";
import { honoursAbort, refuses, type ConformanceCase } from "./conformance-case.js";
import { ODD_PATHS, type GitTest } from "./git-cases.js";

const WRONG_REFS = [
  "",
  "-x",
  "--output=/tmp/x",
  "a..b",
  "main...other",
  "^main",
  "main^{/x}",
  "main^@",
  "main^!",
  "@{-1}",
  "@{now}",
  ":/message",
  "HEAD:file",
  "a b",
  "a\nb",
  "a\0b",
  "a~b",
  "ref*",
  "refs/heads/.x",
  "x.lock",
  "a//b",
  "x/",
];

export const gitReadCases = (test: GitTest): ConformanceCase[] => [
  test("an empty repository has a branch and no commit", async ({ read }, repository) => {
    repository.write("new.txt", "x");
    const status = await read.status();
    assert.deepEqual(status.head, { kind: "unborn", branch: "main" });
    assert.deepEqual(status.files, [{ kind: "untracked", path: "new.txt" }]);
    assert.deepEqual(await read.head(), status.head);
    assert.deepEqual(await read.log(), { commits: [], truncated: false });
    assert.deepEqual((await read.branches()).branches, []);
    repository.git("add", ".");
    const staged = await read.diff({ target: { kind: "staged" } });
    assert.deepEqual(staged.files, [{ path: "new.txt", kind: "added", added: 1, removed: 0, binary: false }]);
    await refuses(read.show("HEAD"), "not_found");
  }),

  test("status tells staged, unstaged, renamed, deleted and untracked apart", async ({
    read,
  }, repository) => {
    for (const name of ["kept", "changed", "deleted", "both", "old"])
      repository.write(name, `${name}\n`.repeat(20));
    repository.commit("first");
    repository.write("changed", "other\n");
    repository.write("both", "staged\n");
    repository.git("add", "both");
    repository.write("both", "and more\n");
    repository.git("rm", "--quiet", "deleted");
    repository.git("mv", "old", "new");
    repository.write("dir/x", "1");
    repository.write("dir/y", "2");
    assert.deepEqual((await read.status()).files, [
      { kind: "changed", path: "both", staged: "modified", unstaged: "modified", submodule: false },
      { kind: "changed", path: "changed", unstaged: "modified", submodule: false },
      { kind: "changed", path: "deleted", staged: "deleted", submodule: false },
      { kind: "changed", path: "new", staged: "renamed", from: "old", submodule: false },
      { kind: "untracked", path: "dir/" },
    ]);
    const paths = (status: { files: readonly { path: string }[] }): string[] =>
      status.files.map((each) => each.path);
    assert.deepEqual(paths(await read.status({ untracked: "all", paths: ["dir"] })), ["dir/x", "dir/y"]);
    assert.ok(!paths(await read.status({ untracked: "none" })).includes("dir/"));
    const capped = await read.status({ maxFiles: 2 });
    assert.deepEqual([capped.files.length, capped.truncated], [2, true]);
  }),

  test("odd names are names, everywhere", async ({ read }, repository) => {
    for (const name of ODD_PATHS) repository.write(name, `${name}\n`);
    const found = await read.status({ untracked: "all" });
    assert.deepEqual(found.files.map((each) => each.path).sort(), [...ODD_PATHS].sort());
    repository.commit("odd");
    for (const name of ODD_PATHS) {
      repository.write(name, "changed\n");
      assert.deepEqual(
        (await read.status({ paths: [name] })).files.map((each) => each.path),
        [name],
      );
      assert.deepEqual(
        (await read.diff({ paths: [name] })).files.map((each) => each.path),
        [name],
      );
      assert.equal((await read.fileAt("HEAD", name)).text, `${name}\n`);
      assert.equal((await read.blame(name, { ref: "HEAD" })).lines.length, name.includes("\n") ? 2 : 1);
      assert.equal((await read.log({ paths: [name] })).commits.length, 1);
    }
    assert.deepEqual((await read.log({ paths: ["*.nothing"] })).commits, []);
  }),

  test("references that are none are refused before git sees them", async ({ read }, repository) => {
    repository.write("file", "x");
    repository.commit("first");
    for (const ref of WRONG_REFS) {
      await refuses(read.show(ref), "invalid_argument");
      await refuses(read.log({ ref }), "invalid_argument");
      await refuses(read.log({ since: ref }), "invalid_argument");
      await refuses(read.diff({ target: { kind: "since", ref } }), "invalid_argument");
      await refuses(read.diff({ target: { kind: "between", from: ref, to: "HEAD" } }), "invalid_argument");
      await refuses(read.fileAt(ref, "file"), "invalid_argument");
      await refuses(read.blame("file", { ref }), "invalid_argument");
    }
    for (const ref of ["no-such", "HEAD~7", "0".repeat(40), "main@{upstream}"])
      await refuses(read.show(ref), "not_found");
    for (const ref of ["HEAD", "main", "main~0", "HEAD^0", "main@{0}", "@"]) await read.show(ref);
  }),

  test("paths stay below the root", async ({ read }, repository) => {
    repository.write("file", "x");
    repository.commit("first");
    for (const path of ["..", "../x", "a/../../x", "/etc/passwd"]) {
      await refuses(read.status({ paths: [path] }), "outside_root");
      await refuses(read.diff({ paths: [path] }), "outside_root");
      await refuses(read.fileAt("HEAD", path), "outside_root");
      await refuses(read.blame(path), "outside_root");
    }
    await refuses(read.fileAt("HEAD", ""), "invalid_argument");
    await refuses(read.fileAt("HEAD", "a\0b"), "invalid_argument");
  }),

  test("diffs of the work tree, of what is staged, since and between commits", async ({
    read,
  }, repository) => {
    repository.write("a", "1\n2\n3\n");
    repository.write("old name", "same\n".repeat(30));
    const first = repository.commit("first");
    repository.git("mv", "old name", "new name");
    repository.write("bin", Uint8Array.of(0, 1, 2));
    const second = repository.commit("second");
    repository.write("a", "1\n2\nthree\n");
    repository.git("add", "a");
    repository.write("a", "1\n2\nthree\nfour\n");

    const worktree = await read.diff();
    assert.deepEqual(worktree.files, [{ path: "a", kind: "modified", added: 1, removed: 0, binary: false }]);
    assert.match(worktree.patch, /^diff --git a\/a b\/a\n[^]*\n\+four\n$/);
    const staged = await read.diff({ target: { kind: "staged" } });
    assert.match(staged.patch, /\n-3\n\+three\n$/);
    const since = await read.diff({ target: { kind: "since", ref: first }, paths: ["a"] });
    assert.deepEqual(since.files, [{ path: "a", kind: "modified", added: 2, removed: 1, binary: false }]);
    const between = await read.diff({ target: { kind: "between", from: first, to: second } });
    assert.deepEqual(between.files, [
      { path: "bin", kind: "added", binary: true },
      { path: "new name", kind: "renamed", from: "old name", added: 0, removed: 0, binary: false },
    ]);
    const capped = await read.diff({ maxPatchBytes: 20 });
    assert.deepEqual(
      [capped.patch, capped.truncated, capped.files.length],
      ["diff --git a/a b/a\n".slice(0, 20) + "i", true, 1],
    );
    assert.equal((await read.diff({ maxPatchBytes: 0 })).patch, "");
  }),

  test("a pull request is compared with the common ancestor", async ({ read }, repository) => {
    repository.write("a", "1\n");
    repository.commit("base");
    repository.git("switch", "--quiet", "-c", "topic");
    repository.write("topic", "1\n");
    repository.commit("topic");
    repository.git("switch", "--quiet", "main");
    repository.write("a", "2\n");
    repository.commit("main moves on");
    const target = { kind: "between", from: "main", to: "topic", mergeBase: true } as const;
    assert.deepEqual(
      (await read.diff({ target })).files.map((each) => each.path),
      ["topic"],
    );
    assert.deepEqual(
      (await read.log({ ref: "topic", since: "main" })).commits.map((each) => each.subject),
      ["topic"],
    );
  }),

  test("the log gives whole messages, newest first, filtered and capped", async ({ read }, repository) => {
    const ids = ["one", "two\n\nwith a body\nof lines – ü", "three"].map((message, index) => {
      repository.write("file", String(index));
      return repository.commit(message);
    });
    const { commits, truncated } = await read.log();
    assert.deepEqual(
      commits.map((each) => each.id),
      ids.toReversed(),
    );
    assert.deepEqual([commits[1]?.subject, commits[1]?.body], ["two", "with a body\nof lines – ü"]);
    assert.deepEqual(commits[0]?.parents, [ids[1]]);
    assert.deepEqual(
      [commits[0]?.author.name, commits[0]?.author.email],
      ["Ada Lovelace", "ada@example.com"],
    );
    assert.match(commits[0]?.author.date ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/);
    assert.deepEqual(commits[0]?.refs, ["HEAD -> main"]);
    assert.equal(truncated, false);
    const subjects = async (options: Parameters<typeof read.log>[0]): Promise<string[]> =>
      (await read.log(options)).commits.map((each) => each.subject);
    assert.deepEqual(await subjects({ message: "BODY" }), ["two"]);
    assert.deepEqual(await subjects({ message: "o.e" }), []);
    assert.deepEqual(await subjects({ author: "--all" }), []);
    assert.deepEqual(await subjects({ skip: 1, maxCount: 1 }), ["two"]);
    assert.equal((await read.log({ maxCount: 2 })).truncated, true);
  }),

  test("show gives a commit with its changes, the first one too", async ({ read }, repository) => {
    repository.write("a", "1\n");
    repository.commit("first");
    const { commit, diff } = await read.show("HEAD");
    assert.equal(commit.subject, "first");
    assert.deepEqual(diff.files, [{ path: "a", kind: "added", added: 1, removed: 0, binary: false }]);
  }),

  test("blame names the commit of each line and what is not committed", async ({ read }, repository) => {
    repository.write("a", "one\ntwo\n");
    const first = repository.commit("first");
    repository.write("a", "one\nzwei\nthree\n");
    const second = repository.commit("second");
    repository.write("a", "one\nzwei\nthree\nfour\n");
    const { lines } = await read.blame("a");
    assert.deepEqual(
      lines.map(({ line, text, commit }) => [line, text, commit]),
      [
        [1, "one", first],
        [2, "zwei", second],
        [3, "three", second],
        [4, "four", undefined],
      ],
    );
    const part = await read.blame("a", { startLine: 2, maxLines: 1 });
    assert.deepEqual([part.lines.map((each) => each.text), part.truncated], [["zwei"], true]);
    const range = await read.blame("a", { startLine: 2, endLine: 3 });
    assert.deepEqual([range.lines.length, range.truncated], [2, false]);
    await refuses(read.blame("a", { startLine: 50 }), "invalid_argument");
    await refuses(read.blame("nowhere"), "not_found");
  }),

  test("a file of a commit, whole, cut, binary and not there", async ({ read }, repository) => {
    repository.write("dir/a", "\uFEFFüü\r\n");
    repository.write("bin", Uint8Array.of(1, 0, 2));
    repository.commit("first");
    repository.write("dir/a", "changed");
    assert.deepEqual(await read.fileAt("HEAD", "dir/a"), {
      bytes: 9,
      binary: false,
      text: "\uFEFFüü\r\n",
      truncated: false,
    });
    const cut = await read.fileAt("HEAD", "dir/a", { maxBytes: 6 });
    assert.deepEqual([cut.text, cut.bytes, cut.truncated], ["\uFEFFü", 9, true]);
    assert.deepEqual(await read.fileAt("HEAD", "bin"), {
      bytes: 3,
      binary: true,
      text: "",
      truncated: false,
    });
    await refuses(read.fileAt("HEAD", "dir"), "invalid_argument");
    await refuses(read.fileAt("HEAD", "nowhere"), "not_found");
  }),

  test("branches, their upstream, and a detached head", async ({ read }, repository) => {
    repository.write("a", "1");
    const first = repository.commit("first");
    repository.git("branch", "topic/x");
    repository.git("branch", "--set-upstream-to=topic/x");
    repository.write("a", "2");
    const second = repository.commit("second");
    const head = {
      kind: "branch",
      branch: "main",
      commit: second,
      upstream: { name: "topic/x", ahead: 1, behind: 0 },
    };
    assert.deepEqual(await read.head(), head);
    assert.deepEqual((await read.status()).head, head);
    const { branches } = await read.branches();
    assert.deepEqual(
      branches
        .map(({ name, current, commit, subject }) => ({ name, current, commit, subject }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
      [
        { name: "main", current: true, commit: second, subject: "second" },
        { name: "topic/x", current: false, commit: first, subject: "first" },
      ],
    );
    repository.git("checkout", "--quiet", "--detach");
    assert.deepEqual(await read.head(), { kind: "detached", commit: second });
    assert.deepEqual((await read.status()).head, { kind: "detached", commit: second });
  }),

  test("a conflict is told as one, with the operation under way", async ({ read }, repository) => {
    repository.write("a", "base\n");
    repository.commit("base");
    repository.git("switch", "--quiet", "-c", "other");
    repository.write("a", "theirs\n");
    repository.commit("theirs");
    repository.git("switch", "--quiet", "main");
    repository.write("a", "ours\n");
    repository.commit("ours");
    assert.throws(() => repository.git("merge", "other"));
    const status = await read.status();
    assert.equal(status.operation, "merge");
    assert.deepEqual(status.files, [{ kind: "conflicted", path: "a", conflict: "both_modified" }]);
    assert.deepEqual(
      (await read.diff()).files.map(({ path, kind }) => [path, kind]),
      [["a", "unmerged"]],
    );
  }),

  test("an aborted call rejects with the reason", async ({ read }, repository) => {
    repository.write("a", "1");
    repository.commit("first");
    await honoursAbort({
      status: (options) => read.status(options),
      diff: (options) => read.diff(options),
      log: (options) => read.log(options),
      show: (options) => read.show("HEAD", options),
      blame: (options) => read.blame("a", options),
      branches: (options) => read.branches(options),
      head: (options) => read.head(options),
      fileAt: (options) => read.fileAt("HEAD", "a", options),
      stashes: (options) => read.stashes(options),
    });
  }),
];
