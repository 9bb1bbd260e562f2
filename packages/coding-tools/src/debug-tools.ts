import type { DebugPort, DebugSession, DebugVariable } from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { toVirtualPath } from "./workspace-paths.js";

const MAX_VALUE_CHARS = 500;

const sessionText = ({ id, name, type, threads, stopReason }: DebugSession): string =>
  [
    `session ${id} (${name}, ${type}): ${stopReason === undefined ? "running" : `stopped, ${stopReason}`}`,
    ...threads.map((thread) => `  thread ${thread.id} ${thread.name}: ${thread.state}`),
  ].join("\n");

const variableText = ({ name, value, type, reference }: DebugVariable): string => {
  const shown = value.length > MAX_VALUE_CHARS ? `${value.slice(0, MAX_VALUE_CHARS)}…` : value;
  return `${name}${type === undefined ? "" : `: ${type}`} = ${shown}${reference > 0 ? ` [reference ${reference}]` : ""}`;
};

const session = z.string().optional().describe("The session; default the active one.");
const threadId = z.number().int().optional().describe("The thread; default the one that stopped.");

const common = { effects: ["debug"] as const };

/** The five tools over a debugger. Each is an error result when no session is active. */
export const createDebugTools = (debug: DebugPort): StructuredTool[] => [
  defineTool({
    ...common,
    name: "debug_get_state",
    description:
      "Says which debug sessions there are, whether the program runs or stands still and why, and its threads. Use it first: " +
      "stack and variables can only be asked of a program that stands still.",
    schema: z.object({}),
    async run(_args, { signal }) {
      const sessions = await debug.sessions({ signal });
      if (sessions.length === 0)
        throw new Error("No debug session is active. Ask the user to start one, or read the code instead.");
      return { content: sessions.map(sessionText).join("\n"), artifact: sessions };
    },
  }),
  defineTool({
    ...common,
    name: "debug_get_stack_trace",
    description:
      "Shows the call stack of a thread that stands still, the innermost frame first, with the frame ids that the other debug " +
      "tools take.",
    schema: z.object({
      session,
      thread_id: threadId,
      max_frames: z.number().int().min(1).max(200).optional().describe("Default 30."),
    }),
    async run({ session: id, thread_id, max_frames = 30 }, { signal }) {
      const stack = await debug.stack({
        signal,
        maxFrames: max_frames,
        ...(id === undefined ? {} : { session: id }),
        ...(thread_id === undefined ? {} : { threadId: thread_id }),
      });
      const lines = stack.frames.map(
        (frame) =>
          `frame ${frame.id}: ${frame.name}${frame.path === undefined ? "" : ` ${toVirtualPath(frame.path)}:${frame.line}:${frame.column}`}`,
      );
      return {
        content: [...lines, ...(stack.truncated ? ["[there are more frames]"] : [])].join("\n"),
        artifact: stack,
      };
    },
  }),
  defineTool({
    ...common,
    name: "debug_get_variables",
    description:
      "Shows the variables of a frame, or with `reference` what is inside one of them. Use it to see values where the program " +
      "stands still, before you change code on a guess.",
    schema: z.object({
      session,
      frame_id: z
        .number()
        .int()
        .optional()
        .describe("A frame of debug_get_stack_trace; default the innermost."),
      reference: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe("What an earlier answer showed as [reference N]."),
      max_variables: z.number().int().min(1).max(500).optional().describe("Default 50."),
    }),
    async run({ session: id, frame_id, reference, max_variables = 50 }, { signal }) {
      const found = await debug.variables({
        signal,
        maxVariables: max_variables,
        ...(id === undefined ? {} : { session: id }),
        ...(frame_id === undefined ? {} : { frameId: frame_id }),
        ...(reference === undefined ? {} : { reference }),
      });
      const lines = found.variables.length === 0 ? ["No variables."] : found.variables.map(variableText);
      return {
        content: [...lines, ...(found.truncated ? ["[there are more]"] : [])].join("\n"),
        artifact: found,
      };
    },
  }),
  defineTool({
    ...common,
    name: "debug_evaluate",
    description:
      "Evaluates an expression in a frame of the program under the debugger. It can change the program: prefer expressions that " +
      "only read.",
    schema: z.object({
      session,
      expression: z.string().min(1),
      frame_id: z.number().int().optional().describe("Default the innermost frame."),
    }),
    async run({ session: id, expression, frame_id }, { signal }) {
      const value = await debug.evaluate(expression, {
        signal,
        ...(id === undefined ? {} : { session: id }),
        ...(frame_id === undefined ? {} : { frameId: frame_id }),
      });
      return { content: variableText({ ...value, name: expression }), artifact: value };
    },
  }),
  defineTool({
    ...common,
    name: "debug_control",
    description:
      "Steps through the program under the debugger: next, stepIn, stepOut, continue, pause. It answers with where the program " +
      "stands afterwards, that it runs on, or that it has ended.",
    schema: z.object({
      session,
      thread_id: threadId,
      step: z.enum(["next", "stepIn", "stepOut", "continue", "pause"]),
    }),
    async run({ session: id, thread_id, step }, { signal }) {
      const after = await debug.control(step, {
        signal,
        ...(id === undefined ? {} : { session: id }),
        ...(thread_id === undefined ? {} : { threadId: thread_id }),
      });
      return after ? { content: sessionText(after), artifact: after } : "The program has ended.";
    },
  }),
];
