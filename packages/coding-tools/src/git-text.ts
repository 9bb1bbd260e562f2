import type {
  GitBranch,
  GitCommit,
  GitDiff,
  GitFileStatus,
  GitHead,
  GitMergeResult,
  GitStatus,
} from "@fiveseam/host";
import { toVirtualPath } from "./workspace-paths.js";

export const shortId = (commit: string): string => commit.slice(0, 10);

const words = (kind: string): string => kind.replaceAll("_", " ");

export const headText = (head: GitHead): string => {
  if (head.kind === "detached") return `HEAD detached at ${shortId(head.commit)}`;
  if (head.kind === "unborn") return `On branch ${head.branch}, no commits yet`;
  const { branch, commit, upstream } = head;
  const apart =
    upstream === undefined
      ? ""
      : upstream.ahead === undefined || upstream.behind === undefined
        ? ` (${upstream.name} is gone)`
        : ` (${upstream.name}: ${upstream.ahead} ahead, ${upstream.behind} behind)`;
  return `On branch ${branch} at ${shortId(commit)}${apart}`;
};

const statusLines = (file: GitFileStatus): string[] => {
  const path = toVirtualPath(file.path);
  if (file.kind === "untracked") return [`untracked: ${path}`];
  if (file.kind === "conflicted") return [`conflict (${words(file.conflict)}): ${path}`];
  const from = file.from === undefined ? "" : ` (was ${toVirtualPath(file.from)})`;
  return [
    ...(file.staged === undefined ? [] : [`staged, ${words(file.staged)}: ${path}${from}`]),
    ...(file.unstaged === undefined ? [] : [`not staged, ${words(file.unstaged)}: ${path}${from}`]),
  ];
};

export const statusText = ({ head, operation, files, truncated }: GitStatus): string =>
  [
    headText(head),
    ...(operation === undefined ? [] : [`A ${words(operation)} is under way.`]),
    ...(files.length === 0 ? ["Nothing has changed."] : files.flatMap(statusLines)),
    ...(truncated ? ["[more files have changed than are shown]"] : []),
  ].join("\n");

export const diffText = ({ files, patch, truncated }: GitDiff): string => {
  if (files.length === 0) return "No differences.";
  const summary = files.map(({ path, kind, from, added, removed, binary }) => {
    const size = binary ? "binary" : `+${added ?? 0} -${removed ?? 0}`;
    return `${words(kind)}: ${toVirtualPath(path)}${from === undefined ? "" : ` (was ${toVirtualPath(from)})`} (${size})`;
  });
  return [...summary, "", patch, ...(truncated ? ["[the patch was cut: name `paths` for the rest]"] : [])]
    .join("\n")
    .trimEnd();
};

export const commitLine = ({ id, author, subject, refs }: GitCommit): string =>
  `${shortId(id)} ${author.date.slice(0, 10)} ${author.name}: ${subject}${refs.length > 0 ? ` (${refs.join(", ")})` : ""}`;

export const commitText = (commit: GitCommit): string =>
  [
    `commit ${commit.id}${commit.refs.length > 0 ? ` (${commit.refs.join(", ")})` : ""}`,
    `${commit.author.name} <${commit.author.email}>, ${commit.author.date}`,
    commit.subject,
    ...(commit.body === "" ? [] : ["", commit.body]),
  ].join("\n");

export const branchLine = ({ name, current, commit, subject, upstream }: GitBranch): string =>
  `${current ? "* " : "  "}${name} ${shortId(commit)}${upstream === undefined ? "" : ` [${upstream}]`} ${subject}`;

export const mergeText = (result: GitMergeResult): string => {
  if (result.kind === "conflicts") {
    const paths = result.paths.map((path) => `conflict: ${toVirtualPath(path)}`);
    return [
      "There are conflicts. Solve them in the files, then add and commit, or give up with `abort`.",
      ...paths,
    ].join("\n");
  }
  return `${result.kind === "done" ? "Done." : "There was nothing to do."} ${headText(result.head)}`;
};
