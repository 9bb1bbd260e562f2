import path from "node:path";
import type {
  GitBlameLine,
  GitChangeKind,
  GitCommit,
  GitConflictKind,
  GitDiffFile,
  GitFileStatus,
  GitHead,
} from "./git-results.js";

/** A path of the repository as the port shows it: relative to its root, which is `prefix` (`""` or `"sub/dir/"`). */
export const fromRepository = (prefix: string, repositoryPath: string): string => {
  if (prefix === "") return repositoryPath;
  const relative = path.posix.relative(prefix, repositoryPath);
  if (relative === "") return "./";
  return repositoryPath.endsWith("/") ? `${relative}/` : relative;
};

/** What git separates by NUL. A cut answer loses its last, torn piece. */
export const pieces = (output: Buffer, truncated: boolean): string[] => {
  const text = output.toString("utf8");
  const all = text.split("\0");
  // Complete output ends with a NUL; behind it is nothing, and behind the last NUL of a cut one is a part.
  if (truncated || all.at(-1) === "") all.pop();
  return all;
};

const CHANGES: Readonly<Record<string, GitChangeKind>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  C: "copied",
  T: "type_changed",
};

const CONFLICTS: Readonly<Record<string, GitConflictKind>> = {
  DD: "both_deleted",
  AU: "added_by_us",
  UD: "deleted_by_them",
  UA: "added_by_them",
  DU: "deleted_by_us",
  AA: "both_added",
  UU: "both_modified",
};

/** `git status --porcelain=v2 --branch -z`. */
export const parseStatus = (
  records: readonly string[],
  prefix: string,
): { head: GitHead; files: GitFileStatus[] } => {
  const branch: Record<string, string> = {};
  const files: GitFileStatus[] = [];
  const shown = (repositoryPath: string): string => fromRepository(prefix, repositoryPath);
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] as string;
    const kind = record[0];
    if (kind === "#") {
      const [, name = "", value = ""] = /^# branch\.(\S+) (.*)$/s.exec(record) ?? [];
      branch[name] = value;
    } else if (kind === "?") {
      files.push({ kind: "untracked", path: shown(record.slice(2)) });
    } else if (kind === "1" || kind === "2") {
      // 1 XY sub mH mI mW hH hI path, and 2 XY sub mH mI mW hH hI Xscore path, with the old path as the next piece.
      const fields = record.split(" ");
      const [, states = "..", submodule = ""] = fields;
      const staged = CHANGES[states[0] ?? ""];
      const unstaged = CHANGES[states[1] ?? ""];
      const name = fields.slice(kind === "1" ? 8 : 9).join(" ");
      const from = kind === "2" ? records[(at += 1)] : undefined;
      files.push({
        kind: "changed",
        path: shown(name),
        ...(staged ? { staged } : {}),
        ...(unstaged ? { unstaged } : {}),
        ...(from === undefined ? {} : { from: shown(from) }),
        submodule: submodule.startsWith("S"),
      });
    } else if (kind === "u") {
      // u XY sub m1 m2 m3 mW h1 h2 h3 path
      const fields = record.split(" ");
      const conflict = CONFLICTS[fields[1] ?? ""] ?? "both_modified";
      files.push({ kind: "conflicted", path: shown(fields.slice(10).join(" ")), conflict });
    }
  }
  return { head: headOf(branch), files };
};

const headOf = (branch: Readonly<Record<string, string>>): GitHead => {
  const { oid = "", head = "", upstream, ab } = branch;
  if (oid === "(initial)") return { kind: "unborn", branch: head };
  if (head === "(detached)") return { kind: "detached", commit: oid };
  if (upstream === undefined) return { kind: "branch", branch: head, commit: oid };
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(ab ?? "") ?? [];
  return {
    kind: "branch",
    branch: head,
    commit: oid,
    upstream: {
      name: upstream,
      ...(ahead === undefined ? {} : { ahead: Number(ahead), behind: Number(behind) }),
    },
  };
};

/** `git diff --raw --numstat -z --relative`: first what happened to each file, then its lines. */
export const parseDiffFiles = (records: readonly string[]): GitDiffFile[] => {
  const files = new Map<string, GitDiffFile>();
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] as string;
    if (record.startsWith(":")) {
      const status = record.split(" ")[4]?.[0] ?? "M";
      const first = records[(at += 1)];
      const second = status === "R" || status === "C" ? records[(at += 1)] : undefined;
      const name = second ?? first;
      if (name === undefined) break;
      // A conflicted file comes twice: as unmerged, and as it lies in the work tree.
      if (files.get(name)?.kind === "unmerged") continue;
      files.set(name, {
        path: name,
        kind: status === "U" ? "unmerged" : (CHANGES[status] ?? "modified"),
        ...(second === undefined || first === undefined ? {} : { from: first }),
        binary: false,
      });
      continue;
    }
    const [, added = "-", removed = "-", inline = ""] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(record) ?? [];
    // A rename's two paths are pieces of their own.
    const name = inline === "" ? records[(at += 2)] : inline;
    const file = name === undefined ? undefined : files.get(name);
    if (!file) continue;
    files.set(file.path, {
      ...file,
      ...(added === "-" ? { binary: true } : { added: Number(added), removed: Number(removed) }),
    });
  }
  return [...files.values()];
};

const COMMIT_FORMAT = ["%H", "%P", "%an", "%ae", "%aI", "%cn", "%ce", "%cI", "%D", "%s", "%b"].join("%x00");
/** `git log` as `parseCommits` reads it: as many pieces a commit as it has fields. */
export const LOG = ["log", "-z", `--format=${COMMIT_FORMAT}`, "--no-mailmap", "--decorate=short"];
const COMMIT_FIELDS = 11;

export const parseCommits = (records: readonly string[]): GitCommit[] => {
  const commits: GitCommit[] = [];
  for (let at = 0; at + COMMIT_FIELDS <= records.length; at += COMMIT_FIELDS) {
    const [
      id = "",
      parents = "",
      an = "",
      ae = "",
      ad = "",
      cn = "",
      ce = "",
      cd = "",
      refs = "",
      subject = "",
      body = "",
    ] = records.slice(at, at + COMMIT_FIELDS);
    commits.push({
      id,
      parents: parents === "" ? [] : parents.split(" "),
      author: { name: an, email: ae, date: ad },
      committer: { name: cn, email: ce, date: cd },
      subject,
      body: body.trimEnd(),
      refs: refs === "" ? [] : refs.split(", "),
    });
  }
  return commits;
};

/** `git blame --line-porcelain`. */
export const parseBlame = (output: string): GitBlameLine[] => {
  const lines: GitBlameLine[] = [];
  let fields: Record<string, string> = {};
  for (const row of output.split("\n")) {
    if (row.startsWith("\t")) {
      const commit = fields["commit"] ?? "";
      const seconds = Number(fields["author-time"] ?? 0);
      lines.push({
        line: Number(fields["line"]),
        text: row.slice(1).replace(/\r$/, ""),
        // All zeros is what is not committed yet.
        ...(/^0+$/.test(commit) ? {} : { commit }),
        author: fields["author"] ?? "",
        date: withOffset(seconds, fields["author-tz"] ?? "+0000"),
        subject: fields["summary"] ?? "",
      });
      fields = {};
      continue;
    }
    const header = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(row);
    if (header) fields = { commit: header[1] ?? "", line: header[2] ?? "" };
    else {
      const space = row.indexOf(" ");
      if (space > 0) fields[row.slice(0, space)] = row.slice(space + 1);
    }
  }
  return lines;
};

/** Seconds since 1970 and `+0200`, as ISO 8601. */
const withOffset = (seconds: number, zone: string): string => {
  const [, sign = "+", hours = "00", minutes = "00"] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  return `${new Date(seconds * 1_000 + offsetMs).toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
};
