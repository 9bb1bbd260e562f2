import { DynamicStructuredTool, type StructuredTool } from "@langchain/core/tools";
import type { InferInteropZodOutput, InteropZodObject } from "@langchain/core/utils/types";
import type { RunnableConfig } from "@langchain/core/runnables";
import { declareEffects, type ToolDeclaration } from "./effects.js";
import { storableArtifact } from "./layers/storable-results.js";

/** What a tool's `run` is given beside its arguments. */
export interface ToolRunContext {
  /** Aborted when the run is cancelled; undefined when the caller gave none. */
  readonly signal: AbortSignal | undefined;
  /** The id of the tool call, undefined when the tool was invoked outside an agent. */
  readonly callId: string | undefined;
  /** The LangGraph config of the call, for the cases that need it. */
  readonly config: RunnableConfig;
}

/** A part of an answer, in LangChain's standard form: text, or an image as base64. */
export type ToolContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mimeType: string; readonly data: string };

/** A tool's answer: what the model gets, and optionally a value for programs that never reaches the model. */
export type ToolAnswer = string | { content: string | readonly ToolContentBlock[]; artifact?: unknown };

export interface ToolDefinition<Schema extends InteropZodObject> extends ToolDeclaration {
  /** What the model calls it; letters, digits, `_` and `-`, 64 at most. */
  name: string;
  /** When to use it, when not, and what comes back: the only place a model learns that. */
  description: string;
  schema: Schema;
  run(args: InferInteropZodOutput<Schema>, context: ToolRunContext): Promise<ToolAnswer> | ToolAnswer;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Makes a LangChain tool that carries its declaration. The returned tool can be given to any LangChain agent.
 *
 * @throws {TypeError} when the name is one that a provider would refuse, or an effect is unknown or none is stated.
 *
 * @example
 * ```ts
 * import { defineTool } from "@fiveseam/tool-pipeline";
 * import { z } from "zod";
 *
 * const wordCount = defineTool({
 *   name: "word_count",
 *   description: "Counts the words of a text.",
 *   schema: z.object({ text: z.string() }),
 *   effects: [],
 *   run: ({ text }) => `${text.split(/\s+/).filter(Boolean).length} words`,
 * });
 * ```
 */
export const defineTool = <Schema extends InteropZodObject>(
  definition: ToolDefinition<Schema>,
): StructuredTool => {
  if (!NAME.test(definition.name)) {
    throw new TypeError(
      `"${definition.name}" is not a tool name that every provider accepts: use 1 to 64 of A-Z a-z 0-9 _ -.`,
    );
  }
  // Not `tool()`: that one rejects as soon as the signal is aborted and leaves the work running behind it, so that no
  // layer could wait for a process to be stopped. LangGraph itself gives up on a task when its signal is aborted, so a
  // run that ignores the signal holds up nobody.
  const made = new DynamicStructuredTool({
    name: definition.name,
    description: definition.description,
    schema: definition.schema,
    responseFormat: "content_and_artifact",
    func: async (
      args: unknown,
      runManager,
      config,
    ): Promise<[string | readonly ToolContentBlock[], unknown]> => {
      const child = (config ?? {}) as RunnableConfig & { toolCall?: { id?: string } };
      const answer: ToolAnswer | undefined | null = await definition.run(
        args as InferInteropZodOutput<Schema>,
        {
          signal: child.signal,
          callId: child.toolCall?.id,
          config: runManager ? { ...child, callbacks: runManager.getChild() } : child,
        },
      );
      // JavaScript lets a run return nothing; its effect has taken place all the same.
      if (answer === undefined || answer === null) return ["(no output)", undefined];
      if (typeof answer === "string") return [answer, undefined];
      // Here and not only in the pipeline: LangChain's callbacks look into it before any layer does.
      return [answer.content, storableArtifact(answer.artifact, definition.name)];
    },
  }) as unknown as StructuredTool;
  const { effects, lesser, idempotent, cacheable, paths, polls, outcome } = definition;
  return declareEffects(made, {
    effects,
    ...(lesser === undefined ? {} : { lesser }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(cacheable === undefined ? {} : { cacheable }),
    ...(paths === undefined ? {} : { paths: (args) => paths.call(definition, args) }),
    ...(polls === undefined ? {} : { polls: (args) => polls.call(definition, args) }),
    ...(outcome === undefined ? {} : { outcome }),
  });
};
