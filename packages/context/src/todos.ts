import { ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, ReducedValue, StateSchema } from "@langchain/langgraph";
import { createMiddleware, type AgentMiddleware } from "langchain";
import { z } from "zod";

/** One item of the agent's plan. */
export interface Todo {
  content: string;
  status: "pending" | "in_progress" | "completed";
}

const todoSchema = z.object({
  content: z.string().min(1).describe("What is to be done, as one short instruction."),
  status: z.enum(["pending", "in_progress", "completed"]),
});

/** The channel's last value wins, so that two lists written in one step do not end the run. */
const todosState = new StateSchema({
  // Optional and not defaulted: langchain asks for a value of every required key before the first step.
  todos: new ReducedValue(z.array(todoSchema).optional(), {
    inputSchema: z.array(todoSchema).optional(),
    reducer: (before, after) => after ?? before,
  }),
});

const DESCRIPTION =
  "Writes the todo list of this task: the whole list, every time. Use it when the task has three or more steps, and " +
  "keep it true: exactly one item in progress while you work, an item completed as soon as it is done and only when it " +
  "is, new items when you find them. Skip it for a task of one or two steps.";

/**
 * The `write_todos` tool and its state. It has the name, the tool and the state key of langchain's todoListMiddleware,
 * so programs that show `todos` work on, but no afterModel hook: that one is a node of the graph and costs a
 * checkpoint every model step.
 *
 * @example
 * ```ts
 * import { todosMiddleware } from "@fiveseam/context";
 * import { createAgent } from "langchain";
 *
 * const agent = createAgent({ model: "anthropic:claude-sonnet-4-6", tools: [], middleware: [todosMiddleware()] });
 * ```
 */
export const todosMiddleware = (): AgentMiddleware =>
  createMiddleware({
    name: "todoListMiddleware",
    stateSchema: todosState,
    tools: [
      tool(
        ({ todos }: { todos: Todo[] }, config: { toolCall?: { id?: string } }) => {
          const done = todos.filter((todo) => todo.status === "completed").length;
          return new Command({
            update: {
              todos,
              messages: [
                new ToolMessage({
                  name: "write_todos",
                  tool_call_id: config.toolCall?.id ?? "",
                  content: `The list has ${todos.length} item(s), ${done} completed.`,
                }),
              ],
            },
          });
        },
        { name: "write_todos", description: DESCRIPTION, schema: z.object({ todos: z.array(todoSchema) }) },
      ),
    ],
  }) as unknown as AgentMiddleware;
