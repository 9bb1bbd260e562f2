import { ContextOverflowError } from "@langchain/core/errors";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, type BaseMessage, type SystemMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { createMiddleware, type AgentMiddleware } from "langchain";
import { conversationOf, type Conversation } from "../namespace.js";
import { isControlFlow, reasonOf, tell, warnWith, type OnWarning } from "../warn.js";
import { carriedFrom, carriedText, type Carried, type FilesOfCall } from "./carry.js";
import { effectiveMessages } from "./effective.js";
import { tokensOfMessage, tokensOfMessages, tokensOfTools } from "./estimate.js";
import { compactionState, eventInForce, type CompactionEvent } from "./event.js";
import { historyDirectory, keepHistory, type HistoryBackend } from "./history.js";
import {
  DEFAULT_LEVELS,
  planLast,
  planStrip,
  planSummary,
  type CompactionLevels,
  type CompactionTier,
  type Cut,
  type Measure,
} from "./plan.js";
import { summarise } from "./summarise.js";

/** A conversation was compacted. */
export interface Compacted extends Conversation {
  readonly tier: CompactionTier;
  /** "threshold": it was about to become too long. "overflow": the provider said that it was. */
  readonly cause: "threshold" | "overflow";
  /** Estimates of the whole prompt. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The directory where what was taken out can be read; null when it could not be kept. */
  readonly keptIn: string | null;
}

export interface CompactionOptions {
  /** Where what is taken out is kept, below `/conversation_history/`. */
  readonly backend: HistoryBackend;
  /**
   * How much input the model takes, in tokens; asked at each call, since models change. Default the `maxInputTokens` of the
   * model's profile, and 128,000 where it has none.
   */
  readonly windowTokens?: (model: BaseChatModel) => number | undefined;
  /** Who writes summaries, tried in this order; default the model of the call. */
  readonly summaryModels?: (model: BaseChatModel) => readonly BaseChatModel[];
  readonly levels?: Partial<CompactionLevels>;
  /** Which files a call read or changed, for the list that is handed on; default by deepagents' own file tools. */
  readonly filesOfCall?: FilesOfCall;
  /** Told when it has happened, before the model is asked. What it throws is ignored. */
  readonly onCompacted?: (compacted: Compacted) => void;
  readonly onWarning?: OnWarning;
}

const FALLBACK_WINDOW_TOKENS = 128_000;
/** Conversations of which something is remembered in memory; what is forgotten is found out or said once more. */
const MAX_REMEMBERED = 1_000;

const isWindow = (tokens: unknown): tokens is number => typeof tokens === "number" && tokens > 0;

const profileWindow = (model: BaseChatModel): number | undefined => {
  const { maxInputTokens } = (model.profile ?? {}) as { maxInputTokens?: unknown };
  return isWindow(maxInputTokens) ? maxInputTokens : undefined;
};

const isOverflow = (error: unknown): boolean => {
  const seen = new Set<unknown>();
  for (
    let each = error;
    typeof each === "object" && each !== null && !seen.has(each);
    each = (each as { cause?: unknown }).cause
  ) {
    if (ContextOverflowError.isInstance(each)) return true;
    seen.add(each);
  }
  return false;
};

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/**
 * How far the estimate is off for this model, by what the provider counted at the last call. Only calls since the last
 * compaction tell: before, the prompt was another.
 */
const measuredRatio = (
  messages: readonly BaseMessage[],
  event: CompactionEvent | undefined,
  fixed: number,
): number => {
  const since = event?.at ?? 0;
  const at = messages.findLastIndex(
    (message, index) =>
      index >= since && AIMessage.isInstance(message) && (message.usage_metadata?.input_tokens ?? 0) > 0,
  );
  if (at < 0) return 1;
  const counted = (messages[at] as AIMessage).usage_metadata?.input_tokens ?? 0;
  const estimated = fixed + tokensOfMessages(effectiveMessages(messages.slice(0, at), event));
  // A small prompt says little. Fewer than estimated is not believed: some clients leave out tools or what was cached.
  return estimated < 2_000 ? 1 : clamp(counted / estimated, 1, 3);
};

const NOTICE =
  "The results of earlier tool calls were taken out of this conversation to save space. Each place says so.";

const summaryText = (parts: {
  summary: string | undefined;
  carried: string;
  keptIn: string | null;
}): string =>
  [
    "The earlier part of this conversation was taken out to save space; this stands for it.",
    parts.keptIn === null
      ? "It could not be kept in a file."
      : `Word for word it is in the files below ${parts.keptIn}: look there (ls, grep, read_file) before you say that you do not know.`,
    ...(parts.summary === undefined ? [] : [`<summary>\n${parts.summary}\n</summary>`]),
    ...(parts.carried === "" ? [] : [parts.carried]),
    "Go on with the work from here; do not begin anew.",
  ].join("\n\n");

const marked = (content: string): HumanMessage =>
  new HumanMessage({ content, additional_kwargs: { lc_source: "summarization" } });

/** The summary that a model wrote in an earlier compaction, out of the message that stands for it. */
const summaryIn = (event: CompactionEvent | undefined): string | undefined =>
  event === undefined || event.tier === 1 ? undefined : event.summaryMessage.text;

/**
 * Keeps a conversation within the model's window, in three tiers: old results of tools are stripped; if that is not
 * enough, a model summarises all but the last messages; if that fails, all but the very last messages are replaced by what
 * can be said without a model (the user's words, the plan, the files). It takes the place of deepagents' own summarizer by
 * its name, in an agent and in each delegate, and keeps its state under the same keys.
 *
 * The messages in state are never changed. Calls and results stay together. What is taken out is first written below
 * `/conversation_history/`, and what stands in its place says where. When a provider refuses a prompt as too long
 * (a `ContextOverflowError` anywhere in the chain of causes), it compacts and asks once more.
 *
 * @example
 * ```ts
 * import { compactionMiddleware } from "@fiveseam/context";
 * import { createDeepAgent, StateBackend } from "deepagents";
 *
 * const backend = new StateBackend();
 * const agent = createDeepAgent({
 *   model: "anthropic:claude-sonnet-4-6",
 *   backend,
 *   middleware: [compactionMiddleware({ backend })],
 * });
 * ```
 */
export const compactionMiddleware = (options: CompactionOptions): AgentMiddleware => {
  const levels = { ...DEFAULT_LEVELS, ...options.levels };
  if (!(
    0 < levels.target &&
    levels.target < levels.warnAt &&
    levels.warnAt <= levels.actAt &&
    levels.actAt <= 1
  )) {
    throw new RangeError(
      `\`levels\` are shares of the window with target < warnAt <= actAt <= 1; given were target ${levels.target}, warnAt ` +
        `${levels.warnAt}, actAt ${levels.actAt}.`,
    );
  }
  const warn = warnWith(options.onWarning);
  /** Conversations that were told that they get long; a compaction takes one out again. */
  const warned = new Set<string>();
  /**
   * What providers were seen to refuse, by model: the windows that nobody had told us. And by conversation, for it may as well
   * be the estimate of what is in that one that is wrong.
   */
  const refusedAt = new WeakMap<BaseChatModel, Map<string, number>>();

  const refuse = (model: BaseChatModel, key: string, tokens: number): void => {
    const known = refusedAt.get(model) ?? new Map<string, number>();
    refusedAt.set(model, known.set(key, Math.max(1_000, tokens)));
    if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value as string);
  };

  const windowOf = (model: BaseChatModel, key: string): number => {
    let asked: number | undefined;
    try {
      asked = options.windowTokens?.(model);
    } catch (error) {
      warn("compaction_failed", `\`windowTokens\` failed and is passed over: ${reasonOf(error)}`, error);
    }
    const said = (isWindow(asked) ? asked : profileWindow(model)) ?? FALLBACK_WINDOW_TOKENS;
    return Math.min(said, refusedAt.get(model)?.get(key) ?? Infinity);
  };

  interface Prompt {
    readonly messages: readonly BaseMessage[];
    readonly event: CompactionEvent | undefined;
    readonly session: string;
    readonly conversation: Conversation;
    readonly model: BaseChatModel;
    readonly measure: Measure;
    readonly window: number;
    readonly signal: AbortSignal | undefined;
  }

  const tokensNow = ({ messages, event, measure }: Prompt): number =>
    (measure.fixed + tokensOfMessages(effectiveMessages(messages, event))) * measure.ratio;

  /** Keeps everything before the index that is in no file yet. Null when that failed. */
  const keep = async (prompt: Prompt, before: number): Promise<string | null> => {
    const { messages, event, session } = prompt;
    const from = event?.keptBefore ?? 0;
    const directory = historyDirectory(session);
    if (before <= from) return event ? event.filePath : directory;
    try {
      await keepHistory(options.backend, session, messages, from, before);
      return directory;
    } catch (error) {
      if (isControlFlow(error, prompt.signal)) throw error;
      warn(
        "history_not_kept",
        `What was taken out of the conversation could not be kept in ${directory}: ${reasonOf(error)}`,
        error,
      );
      return null;
    }
  };

  const eventOf = async (
    prompt: Prompt,
    cut: Cut,
    tier: CompactionTier,
    message: (keptIn: string | null) => Promise<HumanMessage> | HumanMessage,
  ): Promise<CompactionEvent> => {
    const before = Math.max(
      cut.cutoffIndex,
      cut.strippedBefore,
      cut.clippedTo === undefined ? 0 : prompt.messages.length,
    );
    const keptIn = await keep(prompt, before);
    const lastHidden = prompt.messages[cut.cutoffIndex - 1]?.id;
    return {
      cutoffIndex: cut.cutoffIndex,
      summaryMessage: await message(keptIn),
      filePath: keptIn,
      strippedBefore: cut.strippedBefore,
      ...(cut.clippedTo === undefined ? {} : { clippedTo: cut.clippedTo }),
      keptBefore:
        keptIn === null ? (prompt.event?.keptBefore ?? 0) : Math.max(before, prompt.event?.keptBefore ?? 0),
      at: prompt.messages.length,
      ...(lastHidden === undefined ? {} : { lastHidden }),
      tier,
    };
  };

  const strip = async (prompt: Prompt, target: number): Promise<CompactionEvent | undefined> => {
    const { messages, event, measure } = prompt;
    const cut = planStrip(messages, event, target, measure);
    // What a summary stands for stays in it.
    return cut && eventOf(prompt, cut, 1, () => event?.summaryMessage ?? marked(NOTICE));
  };

  const writeSummary = async (prompt: Prompt, cut: Cut): Promise<string | undefined> => {
    const { messages, event, model, window, signal } = prompt;
    const what = {
      before: summaryIn(event),
      messages: messages.slice(event?.cutoffIndex ?? 0, cut.cutoffIndex),
      // Characters, so that at the usual ratio the request takes half of the window.
      maxChars: Math.max(2_000, window * 2),
    };
    for (const writer of options.summaryModels?.(model) ?? [model]) {
      try {
        return await summarise(writer, what, signal);
      } catch (error) {
        if (isControlFlow(error, signal)) throw error;
        warn("summary_failed", `A summary could not be written: ${reasonOf(error)}`, error);
      }
    }
    return undefined;
  };

  const carriedOf = (messages: readonly BaseMessage[]): Carried => {
    try {
      return carriedFrom(messages, options.filesOfCall);
    } catch (error) {
      warn("compaction_failed", `\`filesOfCall\` failed and is passed over: ${reasonOf(error)}`, error);
      return carriedFrom(messages);
    }
  };

  const replaced = (
    prompt: Prompt,
    cut: Cut,
    tier: 2 | 3,
    summary: string | undefined,
  ): Promise<CompactionEvent> => {
    const carried = carriedOf(prompt.messages.slice(0, cut.cutoffIndex));
    const { window, measure } = prompt;
    // At four characters a token half of what there is room for.
    const maxChars = Math.max(1_000, ((window * levels.target - measure.fixed) / measure.ratio) * 2);
    return eventOf(prompt, cut, tier, (keptIn) =>
      marked(
        summaryText({ summary, carried: carriedText(carried, summary === undefined, maxChars), keptIn }),
      ),
    );
  };

  const summaryTier = async (prompt: Prompt, target: number): Promise<CompactionEvent | undefined> => {
    const cut = planSummary(prompt.messages, prompt.event, target, prompt.measure);
    if (!cut) return undefined;
    const summary = await writeSummary(prompt, cut);
    return summary === undefined ? undefined : replaced(prompt, cut, 2, summary);
  };

  const lastTier = (prompt: Prompt, target: number): Promise<CompactionEvent> =>
    replaced(prompt, planLast(prompt.messages, prompt.event, target, prompt.measure), 3, undefined);

  /** The first tier that brings the prompt down. */
  const compact = async (prompt: Prompt, cause: Compacted["cause"]): Promise<CompactionEvent> => {
    const target = prompt.window * levels.target;
    const fits = (event: CompactionEvent | undefined): event is CompactionEvent =>
      event !== undefined && tokensNow({ ...prompt, event }) <= prompt.window * levels.warnAt;
    const attempts: ((prompt: Prompt, target: number) => Promise<CompactionEvent | undefined>)[] = [
      strip,
      summaryTier,
    ];
    let event: CompactionEvent | undefined;
    for (const attempt of attempts) {
      try {
        event = await attempt(prompt, target);
        if (fits(event)) break;
      } catch (error) {
        if (isControlFlow(error, prompt.signal)) throw error;
        warn(
          "compaction_failed",
          `A compaction failed and the next tier is tried: ${reasonOf(error)}`,
          error,
        );
      }
      event = undefined;
    }
    event ??= await lastTier(prompt, target);
    const tokensBefore = Math.round(tokensNow(prompt));
    const tokensAfter = Math.round(tokensNow({ ...prompt, event }));
    if (tokensAfter > prompt.window)
      warn(
        "context_still_full",
        `After compaction the prompt still has about ${tokensAfter} tokens; the model takes ${prompt.window}.`,
      );
    tell(options.onCompacted, {
      ...prompt.conversation,
      tier: event.tier ?? 3,
      cause,
      tokensBefore,
      tokensAfter,
      keptIn: event.filePath,
    });
    return event;
  };

  /** Undefined when it failed: the call then goes on with what there is. */
  const tryToCompact = async (
    prompt: Prompt,
    cause: Compacted["cause"],
  ): Promise<CompactionEvent | undefined> => {
    try {
      return await compact(prompt, cause);
    } catch (error) {
      if (isControlFlow(error, prompt.signal)) throw error;
      warn("compaction_failed", `The conversation could not be compacted: ${reasonOf(error)}`, error);
      return undefined;
    }
  };

  const sessionOf = (stored: string | undefined, { threadId, namespace }: Conversation): string =>
    stored ?? [`thread_${threadId ?? "none"}`, ...(namespace === "" ? [] : [namespace])].join("_");

  return createMiddleware({
    name: "SummarizationMiddleware",
    stateSchema: compactionState,
    wrapModelCall: async (request, handler) => {
      const { messages } = request;
      const { _summarizationEvent: stored, _summarizationSessionId } = request.state;
      const event = eventInForce(stored, messages);
      const model = request.model as BaseChatModel;
      const conversation = conversationOf(request.runtime.configurable);
      const key = `${conversation.threadId}\n${conversation.namespace}`;
      const session = sessionOf(_summarizationSessionId, conversation);
      const fixed = tokensOfMessage(request.systemMessage as SystemMessage) + tokensOfTools(request.tools);
      let prompt: Prompt = {
        messages,
        event,
        session,
        conversation,
        model,
        measure: { fixed, ratio: measuredRatio(messages, event, fixed) },
        window: windowOf(model, key),
        signal: request.runtime.signal,
      };
      const ask = (using: CompactionEvent | undefined) =>
        handler({ ...request, messages: effectiveMessages(messages, using) });

      const tokens = tokensNow(prompt);
      let used = event;
      if (tokens >= prompt.window * levels.actAt) {
        used = (await tryToCompact(prompt, "threshold")) ?? event;
        warned.delete(key);
      } else if (tokens >= prompt.window * levels.warnAt && !warned.has(key)) {
        warned.add(key);
        if (warned.size > MAX_REMEMBERED) warned.delete(warned.keys().next().value as string);
        warn(
          "context_nearly_full",
          `The conversation has about ${Math.round(tokens)} tokens of the ${prompt.window} that the model takes; from ${Math.round(prompt.window * levels.actAt)} on it is compacted.`,
        );
      }
      let result;
      try {
        result = await ask(used);
      } catch (error) {
        if (!isOverflow(error)) throw error;
        // What was refused is more than the model takes, whatever we were told of it.
        const refused = tokensNow({ ...prompt, event: used });
        refuse(model, key, Math.min(prompt.window, refused * 0.9));
        prompt = { ...prompt, event: used, window: windowOf(model, key) };
        used = await tryToCompact(prompt, "overflow");
        if (!used) throw error;
        warned.delete(key);
        result = await ask(used);
      }
      // A Command would take the place of a structured answer (langchain 1.5), and after that nothing follows.
      if (used === stored || used === undefined || "structuredResponse" in result) return result;
      return new Command({ update: { _summarizationEvent: used, _summarizationSessionId: session } });
    },
  }) as unknown as AgentMiddleware;
};
