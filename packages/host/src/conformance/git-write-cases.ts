import assert from "node:assert/strict";
import type { GitPort, GitWritePort } from "../git-port.js";
import { honoursAbort, refuses, type ConformanceCase } from "./conformance-case.js";
import { ODD_PATHS, type GitTest } from "./git-cases.js";
import type { TestRepository } from "./git-repository.js";

export const gitWriteCases = (test: GitTest): ConformanceCase[] => {
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
