import assert from "node:assert/strict";
import type { GitPort, GitWritePort } from "../git-port.js";
import { caseOf, honoursAbort, refuses, type ConformanceCase, type Subject } from "./conformance-case.js";
import { createTestRepository, type TestRepository } from "./git-repository.js";

type Create = (root: string) => Promise<Subject<GitPort>> | Subject<GitPort>;
type Scene = Subject<GitPort> & { readonly repository: TestRepository };
type Test = (
  name: string,
  run: (git: GitPort, repository: TestRepository) => Promise<void>,
) => ConformanceCase;

/** Names that a naive adapter reads as options, patterns, several names, or not at all. */
const ODD_PATHS = [
  "-rf",
  "--output=x",
  "a b.txt",
  "line\nbreak.txt",
  "tab\there.txt",
  'quote"s.txt',
  "grüße/日本.txt",
  "*.ts",
  ":(top)x",
  "[a].txt",
  "HEAD",
];

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

const sceneOf =
  (create: Create, options: { init?: boolean } = {}) =>
  async (): Promise<Scene> => {
    const repository = createTestRepository(options);
    try {
      const subject = await create(repository.root);
      return {
        port: subject.port,
        repository,
        async close() {
          await subject.close?.();
          repository.remove();
        },
      };
    } catch (error) {
      repository.remove();
      throw error;
    }
  };

/**
 * The promises of `GitPort`. `create` gives a port for a directory in which the suite makes real repositories, so the
 * git program has to be there. The cases about writing are left out with `write: false`.
 */
export const gitConformance = ({
  create,
  write = true,
}: {
  create: Create;
  write?: boolean;
}): ConformanceCase[] => {
  const test: Test = (name, run) =>
    caseOf(`git: ${name}`, sceneOf(create), ({ port, repository }) => run(port, repository));
  return [
    caseOf("git: no repository is refused", sceneOf(create, { init: false }), async ({ port: { read } }) => {
      await refuses(read.status(), "not_found");
      await refuses(read.log(), "not_found");
      await refuses(read.diff(), "not_found");
      await refuses(read.show("HEAD"), "not_found");
      await refuses(read.head(), "not_found");
    }),
    ...readCases(test),
    ...(write ? writeCases(test) : []),
  ];
};

const readCases = (test: Test): ConformanceCase[] => [
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

const writeCases = (test: Test): ConformanceCase[] => {
  const writing = (
    name: string,
    run: (git: GitPort & { write: GitWritePort }, repository: TestRepository) => Promise<void>,
  ): ConformanceCase =>
    test(name, async (git, repository) => {
      const { read, write } = git;
      assert.ok(write, "the port has no `write`; give `write: false` to leave these cases out");
      await run({ read, write }, repository);
    });
  return [
    writing(
      "paths are staged, unstaged and committed, odd names too",
      async ({ write, read }, repository) => {
        for (const name of ODD_PATHS) repository.write(name, "1\n");
        await write.add([ODD_PATHS[0] as string, "grüße"]);
        const staged = await read.diff({ target: { kind: "staged" } });
        assert.deepEqual(staged.files.map((each) => each.path).sort(), ["-rf", "grüße/日本.txt"]);
        await write.unstage(["-rf"]);
        const commit = await write.commit("-m looks like an option\n\n# a heading is no comment\n");
        assert.deepEqual(
          [commit.subject, commit.body],
          ["-m looks like an option", "# a heading is no comment"],
        );
        assert.deepEqual(
          (await read.show("HEAD")).diff.files.map((each) => each.path),
          ["grüße/日本.txt"],
        );
        await write.add(["."]);
        await write.commit("the rest");
        assert.deepEqual((await read.status()).files, []);
        repository.git("rm", "--quiet", "-f", "--", "-rf");
        repository.write("HEAD", "2\n");
        await write.commit("only one", { paths: ["HEAD"] });
        assert.deepEqual(
          (await read.show("HEAD")).diff.files.map((each) => each.path),
          ["HEAD"],
        );
        assert.deepEqual(
          (await read.status()).files.map((each) => each.path),
          ["-rf"],
        );
      },
    ),

    writing(
      "nothing to commit, an empty message and a path that is not there are refused",
      async ({ write, read }, repository) => {
        repository.write("a", "1\n");
        repository.commit("first");
        const head = await read.head();
        await refuses(write.commit("nothing"), "failed");
        await refuses(write.commit("  \n"), "invalid_argument");
        await refuses(write.add(["nowhere"]), "not_found");
        await refuses(write.add([]), "invalid_argument");
        await refuses(write.discard([]), "invalid_argument");
        await refuses(write.add(["../x"]), "outside_root");
        assert.deepEqual(await read.head(), head);
        assert.equal(
          (await write.commit("empty on purpose", { allowEmpty: true })).subject,
          "empty on purpose",
        );
      },
    ),

    writing(
      "an author can be given, and a commit is always a new one",
      async ({ write, read }, repository) => {
        repository.write("a", "1\n");
        const first = repository.commit("first");
        repository.write("a", "2\n");
        await write.add(["a"]);
        const commit = await write.commit("second", {
          author: { name: "Grace Hopper", email: "grace@example.com" },
        });
        assert.deepEqual([commit.author.name, commit.committer.name], ["Grace Hopper", "Ada Lovelace"]);
        assert.deepEqual(commit.parents, [first]);
        assert.equal((await read.log()).commits.length, 2);
        const author = { name: "a\nb", email: "x" };
        await refuses(write.commit("x", { author, allowEmpty: true }), "invalid_argument");
      },
    ),

    writing(
      "discard overwrites the work tree and leaves what is staged",
      async ({ write, read }, repository) => {
        repository.write("a", "1\n");
        repository.write("b", "1\n");
        repository.commit("first");
        repository.write("a", "2\n");
        repository.write("b", "2\n");
        await write.add(["a"]);
        repository.write("a", "3\n");
        const status = await write.discard(["a"]);
        assert.deepEqual(status.files, [
          { kind: "changed", path: "a", staged: "modified", submodule: false },
          { kind: "changed", path: "b", unstaged: "modified", submodule: false },
        ]);
        await write.discard(["a"], { ref: "HEAD" });
        assert.match((await read.diff({ paths: ["a"] })).patch, /\n-2\n\+1\n$/);
      },
    ),

    writing("branches are made and switched to", async ({ write, read }, repository) => {
      repository.write("a", "1\n");
      const first = repository.commit("first");
      repository.write("a", "2\n");
      repository.commit("second");
      assert.equal((await write.createBranch("topic/one", { from: "HEAD~1" })).commit, first);
      assert.deepEqual(await write.switchBranch("topic/one"), {
        kind: "branch",
        branch: "topic/one",
        commit: first,
      });
      const made = await write.switchBranch("two", { create: true, from: "main" });
      assert.equal(made.kind === "branch" && made.branch, "two");
      await refuses(write.switchBranch("nowhere"), "not_found");
      await refuses(write.createBranch("two"), "invalid_argument");
      await refuses(write.switchBranch("two", { create: true }), "invalid_argument");
      for (const name of ["-x", "--orphan", "a..b", "HEAD", "@", "a b", "x.lock", "a^", "", "f".repeat(40)]) {
        await refuses(write.createBranch(name), "invalid_argument");
        await refuses(write.switchBranch(name, { create: true }), "invalid_argument");
        await refuses(write.tag(name), "invalid_argument");
      }
      repository.write("a", "local\n");
      await refuses(write.switchBranch("topic/one"), "failed");
      assert.match((await read.diff()).patch, /\+local\n$/);
    }),

    writing("work is stashed and comes back", async ({ write, read }, repository) => {
      repository.write("a", "1\n");
      repository.commit("first");
      await refuses(write.stashPush(), "failed");
      await refuses(write.stashPop(), "not_found");
      repository.write("a", "2\n");
      repository.write("new", "x");
      const stash = await write.stashPush({ message: "-u is no option", includeUntracked: true });
      assert.match(stash.message, /-u is no option$/);
      assert.deepEqual((await read.status()).files, []);
      assert.deepEqual((await read.stashes()).stashes, [stash]);
      assert.equal((await write.stashPop()).kind, "done");
      assert.deepEqual(
        (await read.status()).files.map((each) => each.path),
        ["a", "new"],
      );
      assert.deepEqual((await read.stashes()).stashes, []);
      for (const name of ODD_PATHS) repository.write(name, "1\n");
      await write.stashPush({ paths: ["*.ts"], includeUntracked: true });
      const rest = (await read.status({ untracked: "all" })).files.map((each) => each.path);
      assert.deepEqual(rest.sort(), ["a", "new", ...ODD_PATHS.filter((name) => name !== "*.ts")].sort());
      await write.stashPop();
      await write.stashPush({ paths: ["a"] });
      repository.write("a", "other\n");
      repository.commit("other");
      assert.deepEqual(await write.stashPop(), { kind: "conflicts", paths: ["a"] });
      assert.equal((await read.stashes()).stashes.length, 1);
    }),

    writing(
      "a merge ends done, with nothing to do, or in conflicts that can be given up",
      async ({ write, read }, repository) => {
        repository.write("a", "base\n");
        repository.commit("base");
        repository.git("switch", "--quiet", "-c", "other");
        repository.write("b", "theirs\n");
        repository.commit("theirs");
        repository.git("switch", "--quiet", "main");
        repository.write("c", "ours\n");
        repository.commit("ours");
        assert.equal((await write.merge("other")).kind, "done");
        const { commit } = await read.show("HEAD");
        assert.deepEqual([commit.subject, commit.parents.length], ["Merge other", 2]);
        assert.equal((await write.merge("other")).kind, "nothing_to_do");
        assert.equal((await write.revert("HEAD")).kind, "done");
        await refuses(read.fileAt("HEAD", "b"), "not_found");
        repository.git("switch", "--quiet", "other");
        repository.write("a", "changed there\n");
        repository.commit("changed there");
        repository.git("switch", "--quiet", "main");
        repository.write("a", "changed here\n");
        repository.commit("changed here");
        assert.deepEqual(await write.merge("other"), { kind: "conflicts", paths: ["a"] });
        await refuses(write.merge("other"), "failed");
        const after = await write.abort();
        assert.deepEqual([after.operation, after.files], [undefined, []]);
        await refuses(write.abort(), "not_found");
      },
    ),

    writing("a merge's conflicts are solved, staged and committed", async ({ write, read }, repository) => {
      repository.write("a", "base\n");
      repository.commit("base");
      repository.git("branch", "other");
      repository.write("a", "ours\n");
      repository.commit("ours");
      repository.git("switch", "--quiet", "other");
      repository.write("a", "theirs\n");
      repository.commit("theirs");
      assert.equal((await write.merge("main")).kind, "conflicts");
      repository.write("a", "both\n");
      await write.add(["a"]);
      assert.equal((await write.commit("solved")).parents.length, 2);
      assert.equal((await read.status()).operation, undefined);
    }),

    writing("tags are light, or carry a message", async ({ write, read }, repository) => {
      repository.write("a", "1\n");
      const first = repository.commit("first");
      await write.tag("v1");
      await write.tag("v2", { ref: "v1", message: "second\n\n# kept" });
      assert.equal(repository.git("cat-file", "-t", "v1"), "commit");
      assert.equal(repository.git("tag", "-l", "--format=%(contents)", "v2"), "second\n\n# kept");
      assert.equal((await read.show("v2")).commit.id, first);
      await refuses(write.tag("v1"), "invalid_argument");
    }),

    writing("writes that come at the same time all happen", async ({ write, read }, repository) => {
      const names = Array.from({ length: 8 }, (_, index) => `file-${index}`);
      for (const name of names) repository.write(name, "x");
      await Promise.all(names.map((name) => write.add([name])));
      const { files } = await read.diff({ target: { kind: "staged" } });
      assert.deepEqual(
        files.map((each) => each.path),
        names,
      );
    }),

    writing(
      "an aborted call rejects with the reason and changes nothing",
      async ({ write, read }, repository) => {
        repository.write("a", "1\n");
        repository.commit("first");
        repository.write("a", "2\n");
        const before = [await read.status(), await read.branches(), await read.log()];
        await honoursAbort({
          add: (options) => write.add(["a"], options),
          unstage: (options) => write.unstage(["a"], options),
          discard: (options) => write.discard(["a"], options),
          commit: (options) => write.commit("x", { ...options, paths: ["a"] }),
          createBranch: (options) => write.createBranch("b", options),
          switchBranch: (options) => write.switchBranch("b", { ...options, create: true }),
          stashPush: (options) => write.stashPush(options),
          stashPop: (options) => write.stashPop(options),
          merge: (options) => write.merge("main", options),
          abort: (options) => write.abort(options),
          revert: (options) => write.revert("main", options),
          tag: (options) => write.tag("t", options),
        });
        assert.deepEqual([await read.status(), await read.branches(), await read.log()], before);
      },
    ),
  ];
};
