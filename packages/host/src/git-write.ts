import { HostError } from "./errors.js";
import { checkedNewName, checkedNumber, literalPaths, PATTERNS_ON, requiredPaths } from "./git-arguments.js";
import { pieces } from "./git-parse.js";
import type { GitMergeResult, GitReadPort, GitWritePort } from "./git-port.js";
import { operationOf, placeOf, readCommit, readHead, resolveRef } from "./git-place.js";
import type { GitProgram, GitRunOptions } from "./git-run.js";

type Signal = AbortSignal | undefined;

/** Runs one after the other: two git processes that write would meet at the index's lock, and the later one fails. */
const inTurn = (): (<T>(work: () => Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => {});
    return mine;
  };
};

const checkedText = (what: string, text: string): string => {
  if (typeof text === "string" && text.trim() !== "" && !text.includes("\0")) return text;
  throw new HostError("invalid_argument", `the ${what} is empty or holds a NUL`);
};

/** What a signature asks for waits for a person, so nothing is signed unless the host wants it. */
const signing = (sign: boolean): string[] => (sign ? [] : ["--no-gpg-sign"]);

export const createGitWrite = (
  git: GitProgram,
  read: GitReadPort,
  { sign }: { readonly sign: boolean },
): GitWritePort => {
  const turn = inTurn();
  const run = (args: readonly string[], options: GitRunOptions) => git.run(args, options);
  const stashTip = async (signal: Signal): Promise<string> =>
    (await run(["rev-parse", "--verify", "--quiet", "refs/stash"], { signal, okCodes: [0, 1] })).stdout
      .toString("utf8")
      .trim();
  const conflicts = async (signal: Signal): Promise<string[]> => {
    const { stdout, truncated } = await run(
      ["diff", "--no-ext-diff", "--name-only", "--diff-filter=U", "--relative", "-z", "--"],
      { signal },
    );
    return [...new Set(pieces(stdout, truncated))];
  };
  /** For commands that end with 1 both when there are conflicts and when they did not begin at all. */
  const merging = async (
    args: readonly string[],
    options: GitRunOptions,
    changed: () => Promise<boolean>,
  ): Promise<GitMergeResult> => {
    try {
      await run(args, options);
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== "failed") throw error;
      const paths = await conflicts(options.signal);
      if (paths.length === 0) throw error;
      return { kind: "conflicts", paths };
    }
    const head = await readHead(git, options.signal);
    return { kind: (await changed()) ? "done" : "nothing_to_do", head };
  };
  const headCommit = async (signal: Signal): Promise<string> => {
    const head = await readHead(git, signal);
    return head.kind === "unborn" ? "" : head.commit;
  };
  /** A merge needs no conflicts before it, else they could not be told from its own. */
  const settled = async (signal: Signal): Promise<void> => {
    const { gitDirectory } = await placeOf(git, signal);
    const operation = operationOf(gitDirectory);
    if (operation && operation !== "bisect")
      throw new HostError("failed", `a ${operation} is under way; commit or abort it first`);
    const open = await conflicts(signal);
    if (open.length > 0)
      throw new HostError("failed", `there are conflicts to solve first: ${open.join(", ")}`);
  };

  return {
    add: (paths, { signal } = {}) =>
      turn(async () => {
        await run(["add", "--all", ...requiredPaths(paths)], { signal });
        return read.status({ signal });
      }),

    unstage: (paths, { signal } = {}) =>
      turn(async () => {
        await run(["reset", "--quiet", ...requiredPaths(paths)], { signal });
        return read.status({ signal });
      }),

    discard: (paths, { signal, ref } = {}) =>
      turn(async () => {
        const source = ref === undefined ? [] : [`--source=${await resolveRef(git, ref, signal)}`];
        await run(["restore", "--worktree", ...source, ...requiredPaths(paths)], { signal });
        return read.status({ signal });
      }),

    commit: (message, options = {}) =>
      turn(async () => {
        const { signal, author, allowEmpty = false } = options;
        checkedText("message", message);
        const { gitDirectory } = await placeOf(git, signal);
        const only = options.paths === undefined ? [] : requiredPaths(options.paths);
        if (!allowEmpty && only.length === 0 && operationOf(gitDirectory) === undefined) {
          const staged = await run(["diff", "--cached", "--quiet", "--no-ext-diff"], {
            signal,
            okCodes: [0, 1],
          });
          if (staged.code === 0)
            throw new HostError("failed", "nothing is staged; add what should be committed");
        }
        const args = [
          "commit",
          "--quiet",
          "--file=-",
          "--cleanup=whitespace",
          "--no-status",
          ...signing(sign),
        ];
        if (allowEmpty) args.push("--allow-empty");
        await run([...args, ...only], { signal, input: message, env: await identity(git, author, signal) });
        return readCommit(git, await headCommit(signal), signal);
      }),

    createBranch: (name, { signal, from } = {}) =>
      turn(async () => {
        checkedNewName(name);
        const commit = await resolveRef(git, from ?? "HEAD", signal);
        await run(["branch", "--no-track", name, commit], { signal });
        const { subject } = await readCommit(git, commit, signal);
        return { name, remote: false, current: false, commit, subject };
      }),

    switchBranch: (name, { signal, create = false, from } = {}) =>
      turn(async () => {
        checkedNewName(name);
        if (from !== undefined && !create)
          throw new HostError(
            "invalid_argument",
            "`from` goes with `create`: a branch that exists has its own start",
          );
        const start = from === undefined ? [] : [await resolveRef(git, from, signal)];
        const known = await run(["show-ref", "--verify", "--quiet", `refs/heads/${name}`], {
          signal,
          okCodes: [0, 1, 128],
        });
        if (create && known.code === 0)
          throw new HostError("invalid_argument", `there is a branch ${JSON.stringify(name)} already`);
        const head = await readHead(git, signal);
        if (!create && known.code !== 0 && !(head.kind === "unborn" && head.branch === name))
          throw new HostError("not_found", `there is no branch ${JSON.stringify(name)}`);
        const how = create ? ["--no-track", "--create", name, ...start] : ["--no-guess", name];
        await run(["switch", "--quiet", "--no-recurse-submodules", ...how], { signal });
        return readHead(git, signal);
      }),

    stashPush: (options = {}) =>
      turn(async () => {
        const { signal, message, includeUntracked = false } = options;
        const { prefix } = await placeOf(git, signal);
        const before = await stashTip(signal);
        const args = ["stash", "push", "--quiet"];
        if (includeUntracked) args.push("--include-untracked");
        if (message !== undefined) args.push(`--message=${checkedText("message", message)}`);
        // With paths git leaves the rest alone; a root that is a part of the repository stashes its part.
        if (options.paths !== undefined || prefix !== "") args.push(...literalPaths(options.paths));
        await run(args, { signal, env: PATTERNS_ON });
        const after = await stashTip(signal);
        if (after === before) throw new HostError("failed", "there is nothing to stash");
        const { stashes } = await read.stashes({ signal });
        return stashes[0] ?? { index: 0, commit: after, message: message ?? "" };
      }),

    stashPop: ({ signal, index = 0 } = {}) =>
      turn(async () => {
        checkedNumber("index", index, 0, 100_000);
        await settled(signal);
        const entry = `stash@{${index}}`;
        const found = await run(["rev-parse", "--verify", "--quiet", entry], {
          signal,
          okCodes: [0, 1, 128],
        });
        if (found.code !== 0) throw new HostError("not_found", `there is no stash ${index}`);
        return merging(["stash", "pop", "--quiet", entry], { signal, env: PATTERNS_ON }, async () => true);
      }),

    merge: (ref, { signal, message } = {}) =>
      turn(async () => {
        await settled(signal);
        const other = await resolveRef(git, ref, signal);
        const before = await headCommit(signal);
        const args = [
          "merge",
          "--quiet",
          "--no-edit",
          "--no-stat",
          "--ff",
          "--no-autostash",
          // Else merge.verifySignatures and gpg.program of a repository say what is run.
          ...(sign ? [] : ["--no-verify-signatures"]),
          ...signing(sign),
        ];
        args.push("-m", checkedText("message", message ?? `Merge ${ref}`), other);
        return merging(args, { signal }, async () => (await headCommit(signal)) !== before);
      }),

    abort: ({ signal } = {}) =>
      turn(async () => {
        const { gitDirectory } = await placeOf(git, signal);
        const operation = operationOf(gitDirectory);
        if (operation === undefined || operation === "bisect")
          throw new HostError("not_found", "no merge, revert, cherry-pick or rebase is under way");
        await run([operation === "cherry_pick" ? "cherry-pick" : operation, "--abort"], { signal });
        return read.status({ signal });
      }),

    revert: (ref, { signal } = {}) =>
      turn(async () => {
        await settled(signal);
        const id = await resolveRef(git, ref, signal);
        const { parents } = await readCommit(git, id, signal);
        const before = await headCommit(signal);
        // Of a merge it takes back what the merge brought to its first parent.
        const mainline = parents.length > 1 ? ["--mainline=1"] : [];
        return merging(
          ["revert", "--no-edit", ...signing(sign), ...mainline, id],
          { signal },
          async () => (await headCommit(signal)) !== before,
        );
      }),

    tag: (name, { signal, ref, message } = {}) =>
      turn(async () => {
        checkedNewName(name);
        const id = await resolveRef(git, ref ?? "HEAD", signal);
        const signed = sign && message !== undefined ? ["--sign"] : ["--no-sign"];
        if (message === undefined) return void (await run(["tag", ...signed, name, id], { signal }));
        const input = checkedText("message", message);
        await run(["tag", ...signed, "--annotate", "--cleanup=whitespace", "--file=-", name, id], {
          signal,
          input,
        });
      }),
  };
};

/** A given author also commits where git knows nobody else; otherwise git's own configuration speaks. */
const identity = async (
  git: GitProgram,
  author: { readonly name: string; readonly email: string } | undefined,
  signal: Signal,
): Promise<Record<string, string>> => {
  if (!author) return {};
  for (const text of [author.name, author.email])
    if (typeof text !== "string" || text.trim() === "" || /[\0\n<>]/.test(text))
      throw new HostError("invalid_argument", "an author has a name and an email, without newlines, < and >");
  const known = await git.run(["var", "GIT_COMMITTER_IDENT"], { signal, okCodes: [0, 1, 128] });
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    ...(known.code === 0 ? {} : { GIT_COMMITTER_NAME: author.name, GIT_COMMITTER_EMAIL: author.email }),
  };
};
