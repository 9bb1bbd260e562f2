import type { Task, TaskChange, TaskList, TaskScope, TaskStorePort } from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { threadOf } from "./caller.js";
import { needed, ToolInputError } from "./errors.js";
import { warningLines } from "./store-warnings.js";

const MARKS = { pending: " ", in_progress: ">", done: "x", cancelled: "-" } as const;

const lineOf = ({ id, title, status, notes, dependencies }: Task): string =>
  [
    `[${MARKS[status]}] ${id}: ${title}${dependencies.length > 0 ? ` (after ${dependencies.join(", ")})` : ""}`,
    ...(notes === "" ? [] : notes.split("\n").map((line) => `      ${line}`)),
  ].join("\n");

const textOf = ({ tasks, warnings }: TaskList): string =>
  [...(tasks.length === 0 ? ["The list is empty."] : tasks.map(lineOf)), ...warningLines(warnings)].join(
    "\n",
  );

const scopeOf = (name: "workspace" | "conversation", threadId: string | undefined): TaskScope => {
  if (name === "workspace") return { kind: "workspace" };
  if (threadId === undefined) {
    throw new ToolInputError('There is no conversation to keep a list for; use the scope "workspace".');
  }
  return { kind: "thread", threadId };
};

const schema = z.object({
  action: z.enum(["list", "add", "update", "move", "remove", "clear"]),
  scope: z
    .enum(["workspace", "conversation"])
    .optional()
    .describe('Whose list: "workspace" (default), seen by every conversation, or this "conversation" alone.'),
  id: z.string().optional().describe("The task, for update, move and remove."),
  title: z.string().min(1).optional().describe("For add; for update to change it."),
  notes: z.string().optional().describe("Details, for add and update."),
  status: z.enum(["pending", "in_progress", "done", "cancelled"]).optional().describe("For add and update."),
  dependencies: z
    .array(z.string())
    .optional()
    .describe("Ids of tasks that come before it, for add and update."),
  before: z.string().optional().describe("For add and move: the task to stand before; default: at the end."),
  what: z.enum(["finished", "all"]).optional().describe("For clear; default finished."),
});

const changeOf = (args: z.infer<typeof schema>): TaskChange | undefined => {
  const { action, id, title, notes, status, dependencies, before } = args;
  const fields = {
    ...(notes === undefined ? {} : { notes }),
    ...(status === undefined ? {} : { status }),
    ...(dependencies === undefined ? {} : { dependencies }),
  };
  const place = before === undefined ? {} : { before };
  switch (action) {
    case "list":
      return undefined;
    case "add":
      return { kind: "add", title: needed(title, "title", action), ...fields, ...place };
    case "update":
      return {
        kind: "update",
        id: needed(id, "id", action),
        ...fields,
        ...(title === undefined ? {} : { title }),
      };
    case "move":
      return { kind: "move", id: needed(id, "id", action), ...place };
    case "remove":
      return { kind: "remove", id: needed(id, "id", action) };
    case "clear":
      return { kind: "clear", what: args.what ?? "finished" };
  }
};

/** The tool that keeps a list of tasks which outlives the conversation. */
export const createManageTasksTool = (port: TaskStorePort): StructuredTool =>
  defineTool({
    name: "manage_tasks",
    description:
      "Keeps a list of tasks on disk that outlives this conversation: list, add, update, move, remove, clear. Use it for " +
      "work that goes on in a later session or that the user wants to follow. For the steps of what you are doing right " +
      "now use write_todos. Every answer is the whole list: `[ ]` pending, `[>]` in progress, `[x]` done, " +
      "`[-]` cancelled, then the id.",
    schema,
    effects: ["state"],
    async run(args, { signal, config }) {
      const scope = scopeOf(args.scope ?? "workspace", threadOf({ config }));
      const change = changeOf(args);
      const list = change
        ? await port.apply(scope, [change], { signal })
        : await port.list(scope, { signal });
      return { content: textOf(list), artifact: list };
    },
  });
