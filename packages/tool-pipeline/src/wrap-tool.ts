import { ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { PipelineCall, ToolResult } from "./call.js";
import { currentScope, isOnItsWay, withRightsInScope } from "./call-scope.js";
import { declarationInAgent } from "./effects.js";
import { refusalOf, type RefusedSubject } from "./layers/policy.js";
import type { AgentIdentity } from "./middleware.js";
import type { Pipeline } from "./pipeline.js";
import { ALL_RIGHTS, intersect, type Rights } from "./rights/rights.js";
import { anchorOf } from "./task-anchor.js";

/** The pipelines that a wrapped tool goes through. */
const WRAPPED_BY = Symbol("fiveseam.wrapped-by");

interface Wrapped {
  readonly [WRAPPED_BY]?: ReadonlySet<Pipeline>;
}

interface ToolCallInput {
  readonly type: "tool_call";
  readonly id?: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

const isToolCall = (input: unknown): input is ToolCallInput =>
  typeof input === "object" && input !== null && (input as { type?: unknown }).type === "tool_call";

let anonymous = 0;

/** A call that is on its way already, by somebody who may do less than whoever sent it. */
const narrowed = async (
  own: Rights,
  subject: Omit<RefusedSubject, "rights">,
  asMessage: boolean,
  invoke: () => unknown,
): Promise<unknown> => {
  const rights = intersect(currentScope()?.call.rights ?? ALL_RIGHTS, own);
  const refusal = await refusalOf({ ...subject, rights });
  if (refusal) return asMessage ? refusal : refusal.content;
  return withRightsInScope(rights, async () => await invoke());
};

/**
 * A tool like the one given whose every call goes through the pipeline, for agents and programs that do not use
 * `toolPipelineMiddleware`. The tool itself is left as it is, so that it can be shared. Wrapping twice with one pipeline, or
 * using it in an agent that has the same pipeline as middleware, changes nothing: a call goes through once.
 *
 * @example
 * ```ts
 * import { createPipeline, defineTool, wrapTool } from "@fiveseam/tool-pipeline";
 * import { z } from "zod";
 *
 * const now = defineTool({
 *   name: "now",
 *   description: "The time.",
 *   schema: z.object({}),
 *   effects: [],
 *   run: () => new Date().toISOString(),
 * });
 * const limited = wrapTool(now, createPipeline({ rateLimit: { perMinute: 10 } }));
 * console.log(await limited.invoke({}));
 * ```
 */
export const wrapTool = <T extends StructuredToolInterface>(
  tool: T,
  pipeline: Pipeline,
  identity: AgentIdentity = {},
): T => {
  const by = (tool as Wrapped)[WRAPPED_BY];
  const { rights } = identity;
  // Once through the pipeline is enough, unless this wrapping grants less than the one before.
  if (by?.has(pipeline) && rights === undefined) return tool;

  const invoke = async (input: unknown, config?: RunnableConfig): Promise<unknown> => {
    const asked = isToolCall(input)
      ? input
      : { id: undefined, args: (input ?? {}) as Record<string, unknown> };
    const id = asked.id ?? (config as { toolCall?: { id?: string } } | undefined)?.toolCall?.id;
    const own =
      typeof rights === "function"
        ? rights((config as { context?: unknown } | undefined)?.context, [])
        : rights;
    // The very call, by its id: a tool that calls another one of its name, or itself, makes a new one.
    if (id !== undefined && isOnItsWay(pipeline, id, tool.name)) {
      return own === undefined
        ? (tool.invoke(input as never, config as never) as unknown)
        : narrowed(
            own,
            { id, toolName: tool.name, declaration: declarationInAgent(tool), args: asked.args },
            isToolCall(input),
            () => tool.invoke(input as never, config as never),
          );
    }
    const { agent, role } = identity;
    const configurable = config?.configurable as Record<string, unknown> | undefined;
    const threadId = configurable?.["thread_id"];
    const namespace = configurable?.["checkpoint_ns"];
    const call: PipelineCall = {
      id: id ?? `direct_${(anonymous += 1)}`,
      toolName: tool.name,
      args: asked.args,
      toolExists: true,
      declaration: declarationInAgent(tool),
      threadId: typeof threadId === "string" ? threadId : undefined,
      namespace: typeof namespace === "string" ? namespace : "",
      agent,
      role,
      rights: own ?? ALL_RIGHTS,
      messages: [],
      anchor: anchorOf(configurable),
      signal: config?.signal,
    };
    const result = await pipeline.run(call, async (current): Promise<ToolResult> => {
      const answer: unknown = await tool.invoke(
        { type: "tool_call", id: current.id, name: tool.name, args: { ...current.args } } as never,
        config as never,
      );
      return answer as ToolResult;
    });
    // Who passed bare arguments gets the bare answer, as from the tool itself.
    return !isToolCall(input) && ToolMessage.isInstance(result) ? result.content : result;
  };

  return Object.assign(Object.create(Object.getPrototypeOf(tool) as object) as T, tool, {
    invoke,
    [WRAPPED_BY]: new Set([...(by ?? []), pipeline]),
  });
};
