import type { GitDiffTarget, GitReadPort } from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { needed } from "./errors.js";
import { branchLine, commitLine, commitText, diffText, headText, shortId, statusText } from "./git-text.js";
import { checkReadsEverything, toHostPath } from "./workspace-paths.js";

const MAX_PATCH_BYTES = 60_000;

const schema = z.object({
  action: z.enum(["status", "diff", "log", "show", "blame", "branches", "file", "stashes"]),
  paths: z.array(z.string().min(1)).optional().describe("Limits status, diff, log and show to these."),
  path: z.string().min(1).optional().describe("The one file, for blame and file."),
  ref: z
    .string()
    .min(1)
    .optional()
    .describe(
      "A commit, branch or tag: for show and file (default HEAD), log and blame; for diff: compared with it.",
    ),
  to: z.string().min(1).optional().describe("For diff with `ref`: the second commit; default the work tree."),
  staged: z
    .boolean()
    .optional()
    .describe("For diff: what the next commit would hold; default what is not staged."),
  start_line: z.number().int().min(1).optional().describe("For blame."),
  end_line: z.number().int().min(1).optional().describe("For blame."),
  message: z.string().min(1).optional().describe("For log: commits whose message holds this."),
  author: z
    .string()
    .min(1)
    .optional()
    .describe("For log: commits whose author's name or address holds this."),
  max_count: z.number().int().min(1).max(500).optional().describe("For log and branches; default 20."),
  skip: z.number().int().min(0).optional().describe("For log: leave out as many of the newest."),
});

const targetOf = ({ ref, to, staged }: z.infer<typeof schema>): GitDiffTarget => {
  if (ref !== undefined && to !== undefined) return { kind: "between", from: ref, to };
  if (ref !== undefined) return { kind: "since", ref };
  return { kind: staged === true ? "staged" : "worktree" };
};

/** The tool that asks the repository without changing it. */
export const createGitReadTool = (git: GitReadPort): StructuredTool =>
  defineTool({
    name: "git_read",
    description:
      "Asks the git repository and changes nothing: status, diff, log, show (a commit with its patch), blame, branches, " +
      "file (as a commit holds it), stashes. Use it before you commit, to see what changed, and to learn why code is as " +
      "it is. To change the repository use git_ops. diff compares the work tree with what is staged unless `staged`, " +
      "`ref` or `ref` and `to` say otherwise. Patches are cut when they are long: name `paths`.",
    schema,
    effects: ["fs.read"],
    idempotent: true,
    async run(args, { signal }) {
      checkReadsEverything("git_read");
      const { action, ref, max_count = 20 } = args;
      const paths = args.paths === undefined ? {} : { paths: args.paths.map(toHostPath) };
      switch (action) {
        case "status": {
          const status = await git.status({ signal, ...paths });
          return { content: statusText(status), artifact: status };
        }
        case "diff": {
          const diff = await git.diff({
            signal,
            ...paths,
            target: targetOf(args),
            maxPatchBytes: MAX_PATCH_BYTES,
          });
          return { content: diffText(diff), artifact: diff };
        }
        case "log": {
          const log = await git.log({
            signal,
            ...paths,
            maxCount: max_count,
            ...(ref === undefined ? {} : { ref }),
            ...(args.skip === undefined ? {} : { skip: args.skip }),
            ...(args.author === undefined ? {} : { author: args.author }),
            ...(args.message === undefined ? {} : { message: args.message }),
          });
          const lines = log.commits.length === 0 ? ["No commits."] : log.commits.map(commitLine);
          const more = log.truncated ? ["[there are older ones: use `skip`]"] : [];
          return { content: [...lines, ...more].join("\n"), artifact: log };
        }
        case "show": {
          const shown = await git.show(ref ?? "HEAD", { signal, ...paths, maxPatchBytes: MAX_PATCH_BYTES });
          return { content: `${commitText(shown.commit)}\n\n${diffText(shown.diff)}`, artifact: shown };
        }
        case "blame": {
          const { start_line, end_line } = args;
          const blame = await git.blame(toHostPath(needed(args.path, "path", action)), {
            signal,
            ...(ref === undefined ? {} : { ref }),
            ...(start_line === undefined ? {} : { startLine: start_line }),
            ...(end_line === undefined ? {} : { endLine: end_line }),
          });
          const lines = blame.lines.map(
            ({ line, text, commit, author, date }) =>
              `${line}: ${commit === undefined ? "not committed" : `${shortId(commit)} ${date.slice(0, 10)} ${author}`} | ${text}`,
          );
          const more = blame.truncated ? ["[there are more lines: use start_line and end_line]"] : [];
          return { content: [...lines, ...more].join("\n"), artifact: blame };
        }
        case "branches": {
          const list = await git.branches({ signal, remote: true, maxCount: max_count });
          const lines = list.branches.length === 0 ? ["No branches."] : list.branches.map(branchLine);
          const more = list.truncated ? ["[there are more: use max_count]"] : [];
          const head = headText(await git.head({ signal }));
          return { content: [head, ...lines, ...more].join("\n"), artifact: list };
        }
        case "file": {
          const file = await git.fileAt(ref ?? "HEAD", toHostPath(needed(args.path, "path", action)), {
            signal,
          });
          if (file.binary)
            return { content: `Binary, ${file.bytes} bytes; it is not shown.`, artifact: file };
          const more = file.truncated ? "\n[the file is longer than what is shown]" : "";
          return { content: `${file.text}${more}`, artifact: file };
        }
        case "stashes": {
          const list = await git.stashes({ signal });
          const lines = list.stashes.map(
            ({ index, commit, message }) => `${index}: ${shortId(commit)} ${message}`,
          );
          return { content: lines.length === 0 ? "No stashes." : lines.join("\n"), artifact: list };
        }
      }
    },
  });
