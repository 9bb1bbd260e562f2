import { AIMessage } from "@langchain/core/messages";
import { createMiddleware, type AgentMiddleware } from "langchain";
import type { PipelineCall, ToolResult } from "./call.js";
import { currentCall } from "./call-scope.js";
import { declarationInAgent } from "./effects.js";
import type { Pipeline } from "./pipeline.js";
import { effectsBeyond } from "./rights/effects-beyond.js";
import { ALL_RIGHTS, intersect, type Rights } from "./rights/rights.js";
import { anchorOf } from "./task-anchor.js";
import { ensureUniqueCallIds } from "./unique-call-ids.js";

/** The part of LangChain's ToolCallRequest that the pipeline reads. */
interface Request {
  readonly toolCall: {
    readonly id?: string | undefined;
    readonly name: string;
    readonly args: Record<string, unknown>;
  };
  readonly tool?: { readonly name?: unknown } | undefined;
  readonly state?: { readonly messages?: readonly unknown[] } | undefined;
  readonly runtime?: {
    readonly configurable?: Readonly<Record<string, unknown>> | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly context?: unknown;
  };
}

/** Who the agent is whose calls the middleware takes through the pipeline. */
export interface AgentIdentity {
  /** For the audit log and `currentCall()`. */
  agent?: string;
  role?: string;
  /**
   * What it may do; default everything. A function is asked at every call with the run's context and the agent's messages, for
   * rights that depend on a mode of the run.
   */
  rights?: Rights | ((context: unknown, messages: readonly unknown[]) => Rights);
}

const rightsOf = ({ rights }: AgentIdentity, context: unknown, messages: readonly unknown[]): Rights =>
  typeof rights === "function" ? rights(context, messages) : (rights ?? ALL_RIGHTS);

/** The tools of which the agent may make some call at least, as the policy layer would decide. */
const offered = <Tool extends object>(tools: readonly Tool[], own: Rights): Tool[] => {
  const outer = currentCall()?.rights ?? ALL_RIGHTS;
  const rights = outer === ALL_RIGHTS ? own : intersect(own, outer);
  return tools.filter((tool) => effectsBeyond(rights, declarationInAgent(tool)).length === 0);
};

const callOf = (request: Request, identity: AgentIdentity): PipelineCall => {
  const { agent, role } = identity;
  const configurable = request.runtime?.configurable;
  const threadId = configurable?.["thread_id"];
  const namespace = configurable?.["checkpoint_ns"];
  return {
    id: request.toolCall.id ?? "",
    toolName: request.toolCall.name,
    args: request.toolCall.args,
    toolExists: request.tool !== undefined,
    declaration: declarationInAgent(request.tool),
    threadId: typeof threadId === "string" ? threadId : undefined,
    namespace: typeof namespace === "string" ? namespace : "",
    agent,
    role,
    rights: rightsOf(identity, request.runtime?.context, request.state?.messages ?? []),
    messages: request.state?.messages ?? [],
    anchor: anchorOf(configurable),
    signal: request.runtime?.signal,
  };
};

/**
 * Puts a pipeline around every tool call of an agent, the tools that deepagents and other middleware add included.
 * deepagents hands an agent's middleware to no delegate, so give it to each delegate too (`@fiveseam/subagents` does).
 * It uses wrap hooks only, which cost no checkpoint; around the model it leaves out the tools of which the agent's rights
 * allow no call, and makes sure that no two calls have one id.
 */
export const toolPipelineMiddleware = (pipeline: Pipeline, identity: AgentIdentity = {}): AgentMiddleware =>
  createMiddleware({
    name: "FiveseamToolPipeline",
    wrapModelCall: async (request, handler) => {
      const tools = offered(
        request.tools,
        rightsOf(identity, request.runtime.context, request.state.messages),
      );
      const response = await handler(tools.length === request.tools.length ? request : { ...request, tools });
      if (AIMessage.isInstance(response)) ensureUniqueCallIds(response, request.state.messages);
      return response;
    },
    wrapToolCall: (request, handler) =>
      pipeline.run(callOf(request as Request, identity), async (call): Promise<ToolResult> => {
        const changed = call.args !== request.toolCall.args;
        return (await handler(
          changed ? { ...request, toolCall: { ...request.toolCall, args: { ...call.args } } } : request,
        )) as ToolResult;
      }) as ReturnType<typeof handler>,
  }) as AgentMiddleware;
