import { HostError } from "./errors.js";
import { checkedNumber, checkedPath, pathArguments } from "./git-arguments.js";
import { LOG, parseBlame, parseCommits, parseDiffFiles, parseStatus, pieces } from "./git-parse.js";
import { operationOf, placeOf, readCommit, readHead, resolveRef } from "./git-place.js";
import type { GitReadPort } from "./git-port.js";
import type { GitBranch, GitDiff, GitDiffTarget } from "./git-results.js";
import type { GitProgram } from "./git-run.js";

type Signal = AbortSignal | undefined;

/** Settings of a user or a repository that would change the form of a patch, or run programs for it, are overruled. */
const DIFF_FORM = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--find-renames",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--submodule=short",
  "--ignore-submodules=none",
  "--relative",
];

/** Everything that a git program says of the repository that `root` lies in. */
export const createGitRead = (git: GitProgram): GitReadPort => {
  const diffOf = async (
    command: readonly string[],
    options: {
      readonly paths?: readonly string[];
      readonly contextLines?: number;
      readonly maxPatchBytes?: number;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<GitDiff> => {
    const { signal, contextLines = 3, maxPatchBytes = 200_000 } = options;
    checkedNumber("contextLines", contextLines, 0, 1_000);
    checkedNumber("maxPatchBytes", maxPatchBytes, 0, 64 * 1024 * 1024);
    const paths = pathArguments(options.paths);
    const listed = await git.run(
      ["diff", "--raw", "--numstat", "-z", "--abbrev=40", ...DIFF_FORM, ...command, ...paths],
      {
        signal,
      },
    );
    const files = parseDiffFiles(pieces(listed.stdout, listed.truncated));
    if (maxPatchBytes === 0) return { files, patch: "", truncated: listed.truncated };
    const patch = await git.run(
      ["diff", "--patch", `--unified=${contextLines}`, ...DIFF_FORM, ...command, ...paths],
      {
        signal,
        maxBytes: maxPatchBytes,
      },
    );
    return {
      files,
      // A decoder holds back the character that a cut goes through.
      patch: new TextDecoder().decode(patch.stdout, { stream: patch.truncated }),
      truncated: listed.truncated || patch.truncated,
    };
  };

  const targetArguments = async (target: GitDiffTarget, signal: Signal): Promise<string[]> => {
    switch (target.kind) {
      case "worktree":
        return [];
      case "staged":
        return ["--cached"];
      case "since":
        return [await resolveRef(git, target.ref, signal)];
      case "between": {
        const from = await resolveRef(git, target.from, signal);
        const to = await resolveRef(git, target.to, signal);
        return target.mergeBase ? [`${from}...${to}`] : [from, to];
      }
      default:
        throw new HostError("invalid_argument", `${JSON.stringify(target)} is nothing that can be compared`);
    }
  };

  return {
    async status(options = {}) {
      const { signal, untracked = "directories", maxFiles = 2_000 } = options;
      checkedNumber("maxFiles", maxFiles, 1, 100_000);
      const mode = { none: "no", directories: "normal", all: "all" }[untracked];
      if (mode === undefined)
        throw new HostError("invalid_argument", `untracked is "${untracked}"; give none, directories or all`);
      const { gitDirectory, prefix } = await placeOf(git, signal);
      const command = ["status", "--porcelain=v2", "--branch", "-z", "--ahead-behind", "--find-renames"];
      const args = [...command, `--untracked-files=${mode}`, "--ignored=no", "--ignore-submodules=none"];
      const { stdout, truncated } = await git.run([...args, ...pathArguments(options.paths)], { signal });
      const { head, files } = parseStatus(pieces(stdout, truncated), prefix);
      const operation = operationOf(gitDirectory);
      return {
        head,
        ...(operation ? { operation } : {}),
        files: files.slice(0, maxFiles),
        truncated: truncated || files.length > maxFiles,
      };
    },

    async diff(options = {}) {
      await placeOf(git, options.signal);
      return diffOf(await targetArguments(options.target ?? { kind: "worktree" }, options.signal), options);
    },

    async log(options = {}) {
      const { signal, ref, since, maxCount = 50, skip = 0, author, message } = options;
      checkedNumber("maxCount", maxCount, 1, 1_000);
      checkedNumber("skip", skip, 0, 10_000_000);
      for (const text of [author, message])
        if (text?.includes("\0")) throw new HostError("invalid_argument", "what is searched for holds a NUL");
      if (ref === undefined && (await readHead(git, signal)).kind === "unborn")
        return { commits: [], truncated: false };
      const start = await resolveRef(git, ref ?? "HEAD", signal);
      const without = since === undefined ? [] : [`^${await resolveRef(git, since, signal)}`];
      const args = [...LOG, `--max-count=${maxCount + 1}`];
      args.push(`--skip=${skip}`, "--regexp-ignore-case", "--fixed-strings");
      if (author !== undefined) args.push(`--author=${author}`);
      if (message !== undefined) args.push(`--grep=${message}`);
      const paths = options.paths === undefined ? ["--"] : pathArguments(options.paths);
      const { stdout, truncated } = await git.run([...args, start, ...without, ...paths], { signal });
      const commits = parseCommits(pieces(stdout, truncated));
      return { commits: commits.slice(0, maxCount), truncated: truncated || commits.length > maxCount };
    },

    async show(ref, options = {}) {
      const { signal } = options;
      const id = await resolveRef(git, ref, signal);
      const commit = await readCommit(git, id, signal);
      // The first commit is compared with the empty tree, whose name depends on the repository's hash function.
      const parent =
        commit.parents[0] ??
        (await git.run(["hash-object", "-t", "tree", "--stdin"], { signal, input: "" })).stdout
          .toString("utf8")
          .trim();
      return { commit, diff: await diffOf([parent, id], options) };
    },

    async blame(file, options = {}) {
      const { signal, ref, startLine = 1, endLine, maxLines = 1_000 } = options;
      const name = checkedPath(file);
      checkedNumber("startLine", startLine, 1, 10_000_000);
      checkedNumber("maxLines", maxLines, 1, 100_000);
      if (endLine !== undefined) checkedNumber("endLine", endLine, startLine, 10_000_000);
      const last = Math.min(endLine ?? Infinity, startLine + maxLines);
      await placeOf(git, signal);
      const at = ref === undefined ? [] : [await resolveRef(git, ref, signal)];
      const args = [
        "blame",
        "--line-porcelain",
        "--no-textconv",
        "--ignore-revs-file=",
        "-L",
        `${startLine},${last}`,
      ];
      const { stdout, truncated } = await git.run([...args, ...at, "--", name], { signal });
      const lines = parseBlame(stdout.toString("utf8"));
      return { lines: lines.slice(0, maxLines), truncated: truncated || lines.length > maxLines };
    },

    async branches(options = {}) {
      const { signal, remote = false, maxCount = 200 } = options;
      checkedNumber("maxCount", maxCount, 1, 10_000);
      await placeOf(git, signal);
      const fields = ["%(refname)", "%(HEAD)", "%(objectname)", "%(upstream:short)", "%(contents:subject)"];
      const args = [
        "for-each-ref",
        `--format=${fields.join("%00")}`,
        "--sort=refname",
        "--sort=-committerdate",
      ];
      args.push(`--count=${maxCount + 1}`, "refs/heads", ...(remote ? ["refs/remotes"] : []));
      const { stdout } = await git.run(args, { signal });
      const all = stdout
        .toString("utf8")
        .split("\n")
        .filter((row) => row !== "")
        .map((row): GitBranch => {
          const [reference = "", mark = "", commit = "", upstream = "", subject = ""] = row.split("\0");
          return {
            name: reference.replace(/^refs\/(?:heads|remotes)\//, ""),
            remote: reference.startsWith("refs/remotes/"),
            current: mark === "*",
            commit,
            subject,
            ...(upstream === "" ? {} : { upstream }),
          };
        })
        // `origin/HEAD` is another name of a branch that is listed already.
        .filter((branch) => !(branch.remote && branch.name.endsWith("/HEAD")));
      return { branches: all.slice(0, maxCount), truncated: all.length > maxCount };
    },

    async head({ signal } = {}) {
      return readHead(git, signal);
    },

    async fileAt(ref, file, options = {}) {
      const { signal, maxBytes = 200_000 } = options;
      checkedNumber("maxBytes", maxBytes, 0, 64 * 1024 * 1024);
      const name = checkedPath(file);
      const { prefix } = await placeOf(git, signal);
      const commit = await resolveRef(git, ref, signal);
      const found = await git.run(["rev-parse", "--verify", "--quiet", `${commit}:${prefix}${name}`], {
        signal,
        okCodes: [0, 1, 128],
      });
      const missing = new HostError(
        "not_found",
        `${JSON.stringify(ref)} holds no file ${JSON.stringify(file)}`,
      );
      if (found.code !== 0) throw missing;
      const id = found.stdout.toString("utf8").trim();
      const about = await git.run(["cat-file", "--batch-check"], { signal, input: `${id}\n` });
      const [, type, size = "0"] = about.stdout.toString("utf8").trim().split(" ");
      if (type === "tree") throw new HostError("invalid_argument", `${JSON.stringify(file)} is a directory`);
      // What lies in a submodule is a commit of another repository.
      if (type !== "blob") throw missing;
      const { stdout, truncated } = await git.run(["cat-file", "blob", id], { signal, maxBytes });
      const binary = stdout.subarray(0, 8_000).includes(0);
      const text = binary
        ? ""
        : new TextDecoder("utf-8", { ignoreBOM: true }).decode(stdout, { stream: truncated });
      return { bytes: Number(size), binary, text, truncated };
    },

    async stashes({ signal } = {}) {
      await placeOf(git, signal);
      const max = 100;
      const args = ["stash", "list", "-z", "--format=%H%x00%gs", `--max-count=${max + 1}`];
      const { stdout, truncated } = await git.run(args, { signal });
      const records = pieces(stdout, truncated);
      const stashes = [];
      for (let at = 0; at + 1 < records.length; at += 2)
        stashes.push({ index: at / 2, commit: records[at] as string, message: records[at + 1] as string });
      return { stashes: stashes.slice(0, max), truncated: truncated || stashes.length > max };
    },
  };
};
