import { createMiddleware, type AgentMiddleware } from "langchain";
import { compare } from "./account.js";
import { readAnthropicBody } from "./anthropic-body.js";
import { SimulatedCache } from "./cache-model.js";
import { Conversations, withinCaps } from "./conversations.js";
import { PrefixMeterError } from "./errors.js";
import { explain } from "./explain.js";
import { isObject } from "./json.js";
import { meteredFetch } from "./meter-fetch.js";
import { snapshotOf, whoMoved, type Observation } from "./observation.js";
import { readOpenAIBody } from "./openai-body.js";
import type { Prompt } from "./prompt.js";
import { withShares, type MeterNotes, type MeterReport, type PrefixMove, type TurnReport } from "./report.js";
import { bodyOfRequest } from "./request-body.js";
import { ANTHROPIC_CACHE_RULES, OPENAI_CACHE_RULES, rulesForModel, type CacheRules } from "./rules.js";
import { runKey } from "./run-key.js";
import { DEFAULT_IMAGE_TOKENS, fourCharactersAToken, type CountTokens } from "./tokens.js";
import { Watcher } from "./watch.js";

export interface PrefixMeterOptions {
  /** The providers' rules; default `ANTHROPIC_CACHE_RULES` and `OPENAI_CACHE_RULES`. */
  rules?: { anthropic?: CacheRules; openai?: CacheRules };
  /** Tokens of one serialised block; default its characters ÷ 4, rounded up. */
  countTokens?: CountTokens;
  /** Tokens of an image, a document or a recording; default 1,600. */
  imageTokens?: number;
  /** The clock, in milliseconds; default `Date.now`. */
  now?: () => number;
  /** The fetch under `meter.fetch`; default the global one at the time of the request. */
  fetch?: typeof fetch;
  /** Most turns in the report, the oldest forgotten; default 10,000. */
  maxTurns?: number;
  /** Most conversations remembered; default 200. */
  maxConversations?: number;
  /** Most prefixes in the simulated cache; default 100,000. */
  maxCacheEntries?: number;
}

export interface RecordOptions {
  /** Whose API the body is for. */
  provider: "anthropic" | "openai";
  /** The conversation it belongs to; default what LangGraph's run or the messages tell. */
  conversation?: string;
  /** When it was sent; default now. */
  atMs?: number;
}

/** Measures how much of the prompt stays cached, and names what moved it. */
export interface PrefixMeter {
  /** A fetch for a provider's client. It never breaks, delays or changes a request. */
  readonly fetch: typeof fetch;
  /**
   * Measures one body.
   *
   * @throws {PrefixMeterError} `unknown_body` when it is not an Anthropic Messages, OpenAI Chat Completions or OpenAI
   * Responses body, or a Responses body whose history is with the provider.
   */
  record(body: unknown, options: RecordOptions): TurnReport;
  /** Measures requests of a model without an HTTP client, by Anthropic's rules. Put it last: it is to be innermost. */
  middleware(): AgentMiddleware;
  /** The same list of middleware; what each does to a request is seen, so that the one who moves the prefix is named. */
  watch<const T extends readonly AgentMiddleware[]>(list: T): T;
  /** Everything measured so far. */
  report(): MeterReport;
}

const atLeastOne = (name: string, value: number): number => {
  if (Number.isInteger(value) && value >= 1) return value;
  throw new PrefixMeterError("invalid_option", `${name} is ${value}; give a whole number from 1 up.`);
};

/**
 * Creates a prefix meter.
 *
 * @example
 * ```ts
 * import { createPrefixMeter, expectStablePrefix } from "@fiveseam/context/prefix-meter";
 * import { ChatAnthropic } from "@langchain/anthropic";
 * import { createAgent } from "langchain";
 *
 * const meter = createPrefixMeter();
 * const model = new ChatAnthropic({ model: "claude-sonnet-4-6", clientOptions: { fetch: meter.fetch } });
 * const agent = createAgent({ model, tools: [], middleware: meter.watch([]) });
 *
 * await agent.invoke({ messages: [{ role: "user", content: "Find the bug." }] });
 * expectStablePrefix(meter);
 * ```
 *
 * @throws {PrefixMeterError} `invalid_option` when a maximum is not a whole number from 1 up.
 */
export const createPrefixMeter = (options: PrefixMeterOptions = {}): PrefixMeter => {
  const rules = { anthropic: ANTHROPIC_CACHE_RULES, openai: OPENAI_CACHE_RULES, ...options.rules };
  const counting = {
    countTokens: options.countTokens ?? fourCharactersAToken,
    imageTokens: options.imageTokens ?? DEFAULT_IMAGE_TOKENS,
  };
  const now = options.now ?? Date.now;
  const maxTurns = atLeastOne("maxTurns", options.maxTurns ?? 10_000);
  const cache = new SimulatedCache(atLeastOne("maxCacheEntries", options.maxCacheEntries ?? 100_000));
  const conversations = new Conversations(atLeastOne("maxConversations", options.maxConversations ?? 200));
  const notes: MeterNotes = { ignoredRequests: 0, failedRequests: 0, meterFaults: 0, forgottenTurns: 0 };
  const turns: TurnReport[] = [];
  const totals = { promptTokens: 0, reusedTokens: 0, writtenTokens: 0, uncachedTokens: 0, rebilledTokens: 0 };
  const onFault = (): void => {
    notes.meterFaults += 1;
  };

  const read = (body: unknown, provider: "anthropic" | "openai"): Prompt => {
    const prompt = !isObject(body)
      ? undefined
      : provider === "anthropic"
        ? readAnthropicBody(body, rules.anthropic, counting)
        : readOpenAIBody(body, rules.openai, counting);
    if (prompt) return prompt;
    throw new PrefixMeterError(
      "unknown_body",
      "The body is not a whole prompt of Anthropic's Messages API or of OpenAI's Chat Completions or Responses API.",
    );
  };

  const watcher = new Watcher((request) => snapshotOf(read(bodyOfRequest(request), "anthropic")), onFault);

  const measure = (prompt: Prompt, key: string | undefined, given: boolean, atMs: number): TurnReport => {
    const observations = watcher.observations();
    const conversation = conversations.pick(key, given, prompt);
    const modelRules = rulesForModel(rules[prompt.provider], prompt.model);
    const served = cache.serve(prompt, modelRules, atMs);
    const { promptTokens, reusedTokens, writtenTokens } = served;
    const comparison = conversation.last && compare(conversation.last, prompt, served, modelRules);
    const rebilledTokens = comparison?.rebilledTokens ?? 0;
    const counts = {
      promptTokens,
      reusedTokens,
      writtenTokens,
      uncachedTokens: promptTokens - reusedTokens - writtenTokens,
      rebilledTokens,
    };
    conversation.turns += 1;
    const turn: TurnReport = {
      turn: conversation.turns,
      conversation: conversation.id,
      provider: prompt.provider,
      model: prompt.model,
      atMs,
      ...withShares(counts),
    };
    if (comparison && rebilledTokens > 0) {
      const move = explain(comparison);
      turn.moved = { ...move, ...attribute(move, conversation.observations, observations) } as PrefixMove;
    }
    conversation.last = {
      seed: prompt.seed,
      segments: withinCaps(prompt.segments),
      keptSegments: served.keptSegments,
    };
    conversation.observations = observations;
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) totals[name] += counts[name];
    turns.push(turn);
    if (turns.length > maxTurns) {
      turns.shift();
      notes.forgottenTurns += 1;
    }
    return turn;
  };

  const record = (body: unknown, given: RecordOptions): TurnReport => {
    const prompt = read(body, given.provider);
    const { conversation } = given;
    return measure(prompt, conversation ?? runKey(), conversation !== undefined, given.atMs ?? now());
  };

  return {
    fetch: meteredFetch((...request) => (options.fetch ?? fetch)(...request), {
      now,
      onFault,
      onSent: (body, provider, atMs) => {
        try {
          record(body, { provider, atMs });
        } catch (error) {
          if (!(error instanceof PrefixMeterError && error.code === "unknown_body")) throw error;
          notes.ignoredRequests += 1;
        }
      },
      onIgnored: () => {
        notes.ignoredRequests += 1;
      },
      onFailed: () => {
        notes.failedRequests += 1;
      },
    }),
    record,
    middleware: () =>
      createMiddleware({
        name: "FiveseamPrefixMeter",
        wrapModelCall: (request, handler) => {
          try {
            record(bodyOfRequest(request), { provider: "anthropic" });
          } catch {
            onFault();
          }
          return handler(request);
        },
      }) as AgentMiddleware,
    watch: (list) => watcher.watch(list),
    report: () => ({ turns: [...turns], totals: withShares(totals), notes: { ...notes } }),
  };
};

const BY_PROVIDER: readonly PrefixMove["cause"][] = [
  "lookback",
  "expired",
  "below_minimum",
  "mark_limit",
  "cache_key_changed",
];

/** What the rules did nobody did; the rest is looked up in what was watched. */
const attribute = (
  move: ReturnType<typeof explain>,
  before: readonly Observation[] | undefined,
  now: readonly Observation[],
): Pick<PrefixMove, "origin" | "middleware"> =>
  BY_PROVIDER.includes(move.cause) || (move.cause === "mark_missing" && !move.transient)
    ? { origin: "provider" }
    : whoMoved(before, now, move.where);
