import type { GitWritePort } from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { changeLines, type CommandBracket } from "./command-bracket.js";
import { needed } from "./errors.js";
import { branchLine, commitText, headText, mergeText, statusText } from "./git-text.js";
import { checkWritesEverything, toHostPath } from "./workspace-paths.js";

const schema = z.object({
  action: z.enum([
    "add",
    "unstage",
    "commit",
    "create_branch",
    "switch_branch",
    "stash_push",
    "stash_pop",
    "merge",
    "revert",
    "tag",
    "discard",
    "abort",
  ]),
  paths: z
    .array(z.string().min(1))
    .optional()
    .describe("Needed for add, unstage and discard; for commit and stash_push: these files alone."),
  message: z
    .string()
    .min(1)
    .optional()
    .describe("Needed for commit; for stash_push, merge and tag if you want one."),
  name: z.string().min(1).optional().describe("The branch or tag, for create_branch, switch_branch and tag."),
  ref: z
    .string()
    .min(1)
    .optional()
    .describe(
      "A commit: needed for merge and revert; where a branch or tag begins; what discard takes files from.",
    ),
  index: z.number().int().min(0).optional().describe("For stash_pop; default 0, the newest."),
  include_untracked: z.boolean().optional().describe("For stash_push; default false."),
});

/** Actions after which git cannot, or not easily, give the files back. */
const TAKES_WORK: ReadonlySet<string> = new Set(["discard", "abort", "stash_push", "stash_pop"]);

/** The tool that changes the repository: the index, commits, branches, stashes. It never talks to a remote. */
export const createGitOpsTool = (git: GitWritePort, bracket?: CommandBracket): StructuredTool =>
  defineTool({
    name: "git_ops",
    description:
      "Changes the git repository: add, unstage, commit, create_branch, switch_branch, stash_push, stash_pop, merge, " +
      "revert, tag, discard, abort. Use it when the user wants something recorded or a branch changed; look first with " +
      "git_read. Nothing is pushed and no old commit is changed. `discard` overwrites uncommitted changes and `abort` " +
      "gives up a merge or revert under way: what they take away cannot be brought back. The answer is the state afterwards.",
    schema,
    // Changing a branch changes the files too.
    effects: ["fs.write", "vcs.write"],
    async run(args, context) {
      checkWritesEverything("git_ops");
      if (!bracket || !TAKES_WORK.has(args.action)) return carryOut(git, args, context.signal);
      const { result, changes } = await bracket(() => carryOut(git, args, context.signal));
      const content = typeof result === "string" ? result : result.content;
      return { content: [content, ...changeLines(changes)].join("\n"), artifact: { changes } };
    },
  });

type Answer = string | { readonly content: string; readonly artifact?: unknown };

const carryOut = async (
  git: GitWritePort,
  args: z.infer<typeof schema>,
  signal: AbortSignal | undefined,
): Promise<Answer> => {
  const { action, message, name, ref } = args;
  const paths = args.paths?.map(toHostPath);
  const withMessage = message === undefined ? {} : { message };
  const from = ref === undefined ? {} : { from: ref };
  switch (action) {
    case "add":
      return statusText(await git.add(needed(paths, "paths", action), { signal }));
    case "unstage":
      return statusText(await git.unstage(needed(paths, "paths", action), { signal }));
    case "discard":
      return statusText(
        await git.discard(needed(paths, "paths", action), {
          signal,
          ...(ref === undefined ? {} : { ref }),
        }),
      );
    case "commit": {
      const commit = await git.commit(needed(message, "message", action), {
        signal,
        ...(paths === undefined ? {} : { paths }),
      });
      return { content: commitText(commit), artifact: commit };
    }
    case "create_branch":
      return branchLine(await git.createBranch(needed(name, "name", action), { signal, ...from }));
    case "switch_branch":
      return headText(await git.switchBranch(needed(name, "name", action), { signal, ...from }));
    case "stash_push": {
      const stash = await git.stashPush({
        signal,
        ...withMessage,
        ...(paths === undefined ? {} : { paths }),
        ...(args.include_untracked === undefined ? {} : { includeUntracked: args.include_untracked }),
      });
      return `Stashed as ${stash.index}: ${stash.message}`;
    }
    case "stash_pop":
      return mergeText(
        await git.stashPop({ signal, ...(args.index === undefined ? {} : { index: args.index }) }),
      );
    case "merge":
      return mergeText(await git.merge(needed(ref, "ref", action), { signal, ...withMessage }));
    case "revert":
      return mergeText(await git.revert(needed(ref, "ref", action), { signal }));
    case "tag":
      await git.tag(needed(name, "name", action), {
        signal,
        ...withMessage,
        ...(ref === undefined ? {} : { ref }),
      });
      return `Tagged ${name}.`;
    case "abort":
      return statusText(await git.abort({ signal }));
  }
};
