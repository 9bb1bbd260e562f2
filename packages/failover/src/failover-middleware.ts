import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage, SystemMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { FailoverConfigError } from "./errors.js";
import { adaptMessages } from "./messages/adapt.js";
import { stampAnswer, wholeAnswer } from "./messages/answers.js";
import { targetOf } from "./messages/target.js";
import {
  CandidateSlot,
  canStream,
  type FailoverCandidate,
  type ReadyCandidate,
} from "./recovery/candidates.js";
import { baseChatModel, observedModel } from "./recovery/observed-model.js";
import { type RecoveryOptions, resolveOptions } from "./recovery/options.js";
import { RecoveryRun } from "./recovery/run.js";
import type { AttemptWatch } from "./recovery/watch.js";

/** The part of a model call that compaction may shorten. */
export interface CompactableRequest {
  readonly messages: readonly BaseMessage[];
  readonly systemMessage: SystemMessage;
  readonly state: unknown;
  readonly runtime: unknown;
}

/** Settings of {@link failoverMiddleware}. */
export interface FailoverMiddlewareOptions extends RecoveryOptions {
  /** The fallbacks, in order. The agent's own model comes before them. */
  readonly models: readonly FailoverCandidate[];
  /**
   * Shortens a request that was too long, for this one call: the messages to send instead, or undefined when it cannot.
   * Asked once a call; then there is one more attempt. The conversation in state stays what it is.
   */
  readonly compact?: (
    request: CompactableRequest,
    error: unknown,
  ) => Promise<readonly BaseMessage[] | undefined> | readonly BaseMessage[] | undefined;
}

const wholeForQuietCaller = (response: unknown, watch: AttemptWatch): unknown =>
  AIMessageChunk.isInstance(response) && !watch.audience ? wholeAnswer(response) : response;

/**
 * Failover for an agent: when the model fails, the cure that its failure calls for, inside the one model call. The
 * conversation in state does not change, the user's message is not repeated, and every model is called as itself, so that
 * its prompt caching and its profile hold.
 *
 * Give it to each agent and to each role that shall have it; share `health` between them.
 *
 * @example
 * ```ts
 * import { failoverMiddleware } from "@fiveseam/failover";
 * import { ChatAnthropic } from "@langchain/anthropic";
 * import { ChatOpenAI } from "@langchain/openai";
 * import { createAgent } from "langchain";
 *
 * const agent = createAgent({
 *   model: new ChatAnthropic({ model: "claude-sonnet-4-6" }),
 *   middleware: [failoverMiddleware({ models: [new ChatOpenAI({ model: "gpt-4.1" })] })],
 * });
 * ```
 */
export const failoverMiddleware = (options: FailoverMiddlewareOptions): AgentMiddleware => {
  if (!Array.isArray(options.models)) throw new FailoverConfigError("no_models", "models is not a list");
  const fallbacks = options.models.map((each, index) => new CandidateSlot(each, index));
  const resolved = resolveOptions(options);
  const primaries = new WeakMap<object, CandidateSlot>();
  const slotOf = (model: object): CandidateSlot => {
    const known = primaries.get(model) ?? new CandidateSlot(model as BaseChatModel, 0);
    primaries.set(model, known);
    return known;
  };

  return createMiddleware({
    name: "Failover",
    wrapModelCall: async (request, handler) => {
      const primarySlot = slotOf(request.model);
      const primary = await primarySlot.resolve();
      const from = targetOf(primary);
      let { messages } = request;

      const perform = async (candidate: ReadyCandidate, watch: AttemptWatch): Promise<unknown> => {
        const to = targetOf(candidate);
        const stream = canStream(candidate.model, baseChatModel);
        // A blank one goes; the agent sends none for an empty one.
        const nothing = request.systemMessage.text === "" ? request.systemMessage : new SystemMessage("");
        const [systemMessage = nothing] = adaptMessages([request.systemMessage], {
          from,
          to,
        }) as SystemMessage[];
        const response: unknown = await handler({
          ...request,
          messages: adaptMessages(messages, { from, to }),
          ...(systemMessage === request.systemMessage ? {} : { systemMessage }),
          model: observedModel(candidate.model, watch, stream),
        });
        const whole = wholeForQuietCaller(response, watch);
        if (candidate !== primary && AIMessage.isInstance(whole)) stampAnswer(whole, candidate);
        return whole;
      };

      const run = new RecoveryRun<unknown>(
        {
          slots: [primarySlot, ...fallbacks.filter((slot) => slot.eagerModel !== request.model)],
          ...(request.runtime.signal === undefined ? {} : { signal: request.runtime.signal }),
          perform,
          streams: (candidate) => canStream(candidate.model, baseChatModel),
          // A failed attempt leaves nothing in state, and the next one streams under a message id of its own.
          mayRestart: () => true,
          ...(options.compact === undefined
            ? {}
            : {
                compact: async (error: unknown) => {
                  const shorter = await options.compact?.({ ...request, messages }, error);
                  if (shorter === undefined) return false;
                  messages = [...shorter];
                  return true;
                },
              }),
        },
        resolved,
      );
      return (await run.run()) as AIMessage;
    },
  });
};
