import { existsSync } from "node:fs";
import path from "node:path";
import { HostError } from "./errors.js";
import { checkedRef } from "./git-arguments.js";
import { LOG, parseCommits, pieces } from "./git-parse.js";
import type { GitCommit, GitHead, GitOperation } from "./git-results.js";
import type { GitProgram } from "./git-run.js";

type Signal = AbortSignal | undefined;

/** Where the root lies. `prefix` is its path within the repository, `""` or ending with `/`. */
interface Place {
  readonly gitDirectory: string;
  readonly prefix: string;
}

export const placeOf = async (git: GitProgram, signal: Signal): Promise<Place> => {
  const ask = async (...what: string[]): Promise<string> =>
    (await git.run(["rev-parse", ...what], { signal })).stdout.toString("utf8").replace(/\n$/, "");
  const [gitDirectory = "", prefix = "", ...more] = (await ask("--absolute-git-dir", "--show-prefix")).split(
    "\n",
  );
  if (more.length === 0) return { gitDirectory, prefix };
  // A directory's name may hold newlines: then each is asked for alone.
  return { gitDirectory: await ask("--absolute-git-dir"), prefix: await ask("--show-prefix") };
};

/** The commit that a reference names. Everything after this is told an object name, which can be nothing else. */
export const resolveRef = async (git: GitProgram, ref: string, signal: Signal): Promise<string> => {
  const { code, stdout } = await git.run(
    ["rev-parse", "--verify", "--quiet", `${checkedRef(ref)}^{commit}`],
    {
      signal,
      okCodes: [0, 1, 128],
    },
  );
  if (code === 0) return stdout.toString("utf8").trim();
  // Also where there is no repository, which says so itself.
  await placeOf(git, signal);
  throw new HostError("not_found", `there is no commit called ${JSON.stringify(ref)}`);
};

export const readCommit = async (git: GitProgram, id: string, signal: Signal): Promise<GitCommit> => {
  const args = [...LOG, "--max-count=1", id, "--"];
  const { stdout, truncated } = await git.run(args, { signal });
  const [commit] = parseCommits(pieces(stdout, truncated));
  if (!commit) throw new HostError("failed", `git shows nothing of commit ${id}`);
  return commit;
};

export const readHead = async (git: GitProgram, signal: Signal): Promise<GitHead> => {
  await placeOf(git, signal);
  const symbolic = await git.run(["symbolic-ref", "--quiet", "HEAD"], { signal, okCodes: [0, 1] });
  const commit = await git.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], {
    signal,
    okCodes: [0, 1, 128],
  });
  const id = commit.stdout.toString("utf8").trim();
  if (symbolic.code !== 0) return { kind: "detached", commit: id };
  const reference = symbolic.stdout.toString("utf8").trim();
  const branch = reference.replace(/^refs\/heads\//, "");
  if (commit.code !== 0) return { kind: "unborn", branch };
  const format = "%(upstream:short)%00%(upstream:track,nobracket)";
  const { stdout } = await git.run(["for-each-ref", `--format=${format}`, reference], { signal });
  const [name = "", track = ""] = stdout.toString("utf8").trim().split("\0");
  if (name === "") return { kind: "branch", branch, commit: id };
  const count = (word: string): number => Number(new RegExp(`${word} (\\d+)`).exec(track)?.[1] ?? 0);
  const apart = track === "gone" ? {} : { ahead: count("ahead"), behind: count("behind") };
  return { kind: "branch", branch, commit: id, upstream: { name, ...apart } };
};

/** What was begun and not ended, from the files that git keeps for it. */
export const operationOf = (gitDirectory: string): GitOperation | undefined => {
  const has = (name: string): boolean => existsSync(path.join(gitDirectory, name));
  if (has("rebase-merge") || has("rebase-apply")) return "rebase";
  if (has("MERGE_HEAD")) return "merge";
  if (has("CHERRY_PICK_HEAD")) return "cherry_pick";
  if (has("REVERT_HEAD")) return "revert";
  return has("BISECT_LOG") ? "bisect" : undefined;
};
