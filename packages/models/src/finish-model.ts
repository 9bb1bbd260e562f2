import { inspect } from "node:util";
import { credentialFingerprint, identifyModel } from "@fiveseam/failover";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { answerWithin, piecesWithin, type Deadline } from "./deadline.js";
import { ProviderStreamError, ProviderTimeoutError } from "./errors.js";
import { isBuiltIn } from "./registry.js";
import { StreamEnd } from "./stream-end.js";
import type { ResolvedSpec } from "./provider.js";
import { redactData, redactError, redactor, type Redact } from "./secrets.js";

type Method = (this: unknown, ...args: unknown[]) => unknown;
type CallOptions = { signal?: AbortSignal } & Record<string, unknown>;

const specs = new WeakMap<object, ResolvedSpec>();

/** The spec that a model was made from, when this package made it. */
export const specOf = (model: object): ResolvedSpec | undefined => specs.get(model);

const method = (model: object, name: string): Method | undefined => {
  const found: unknown = Reflect.get(model, name);
  return typeof found === "function" ? (found as Method) : undefined;
};

/**
 * Whether a method is LangChain's own and not the client's: it asks the same of `_streamResponseChunks` to know whether a
 * model streams. By the prototype that holds it and not by identity, as an application may hold two copies of
 * @langchain/core; `generatePrompt` stands in BaseChatModel and in no client.
 */
const isInherited = (model: object, name: string): boolean => {
  let holder: object | null = model;
  while (holder && !Object.hasOwn(holder, name)) holder = Reflect.getPrototypeOf(holder);
  return holder === null || Object.hasOwn(holder, "generatePrompt");
};

const define = (model: object, name: PropertyKey, value: unknown): void => {
  Object.defineProperty(model, name, { value, configurable: true, writable: true, enumerable: false });
};

/** A model by itself, and not a binding around one. */
const isChatModel = (value: unknown): value is BaseChatModel =>
  typeof value === "object" && value !== null && method(value, "_generate") !== undefined;

/** What the summarizer of deepagents, and LangChain at large, read: ours where it is known, else the client's. */
const profileOf = (
  model: BaseChatModel,
  { description }: ResolvedSpec,
): Record<string, unknown> | undefined => {
  const known = Object.entries({
    maxInputTokens: description.maxInputTokens,
    maxOutputTokens: description.maxOutputTokens,
    imageInputs: description.imageInput,
    toolCalling: description.toolCalling,
    reasoningOutput: description.reasoning.kind === "unknown" ? null : description.reasoning.kind !== "none",
  }).filter(([, value]) => value !== null);
  return known.length === 0 || description.provider === "scripted"
    ? undefined
    : { ...model.profile, ...Object.fromEntries(known) };
};

/** Host and path, without who logs in and what is asked: behind one gateway the path tells the routes apart. */
const endpointOf = (baseURL: string): string => {
  const { host, pathname } = new URL(baseURL);
  return `${host}${pathname.replace(/\/+$/, "")}`;
};

const secretsOf = (spec: ResolvedSpec): string[] => {
  const inURL = spec.baseURL === undefined ? "" : decodeURIComponent(new URL(spec.baseURL).password);
  return [spec.apiKey ?? "", inURL].filter((secret) => secret !== "");
};

/** Keeps the key out of what is printed, serialised and cached. */
const hideSecrets = (model: BaseChatModel, spec: ResolvedSpec, redact: Redact): void => {
  const summary = {
    provider: spec.provider,
    model: spec.model,
    ...(spec.baseURL === undefined ? {} : { baseURL: redact(spec.baseURL) }),
    ...(spec.apiKey === undefined ? {} : { credential: credentialFingerprint(spec.apiKey) }),
  };
  define(model, inspect.custom, () => `${model.getName()} ${inspect(summary)}`);
  for (const name of ["toJSON", "_identifyingParams", "identifyingParams"]) {
    const original = method(model, name);
    if (original)
      define(model, name, (...args: unknown[]) => redactData(original.apply(model, args), redact));
  }
};

/** Puts the deadline on every call, and takes the key out of what it throws. */
const guardCalls = (model: BaseChatModel, spec: ResolvedSpec, redact: Redact): void => {
  const deadline = (waitedFor: ConstructorParameters<typeof ProviderTimeoutError>[2]): Deadline => ({
    timeoutMs: spec.timeoutMs,
    late: () => new ProviderTimeoutError(spec.provider, spec.timeoutMs, waitedFor),
  });
  const generate = method(model, "_generate");
  if (generate) {
    define(model, "_generate", async (messages: unknown, options: CallOptions | undefined, run: unknown) => {
      try {
        return await answerWithin(deadline("an answer"), options?.signal, (signal) =>
          Promise.resolve(generate.call(model, messages, { ...options, signal }, run)),
        );
      } catch (error) {
        redactError(error, redact);
        throw error;
      }
    });
  }
  for (const name of ["_streamResponseChunks", "_streamChatModelEvents"]) {
    const stream = method(model, name);
    if (!stream || isInherited(model, name)) continue;
    define(model, name, async function* (messages: unknown, options: CallOptions | undefined, run: unknown) {
      let empty = true;
      const end = new StreamEnd();
      try {
        const pieces = piecesWithin(
          deadline("the next piece of an answer"),
          options?.signal,
          (signal) => stream.call(model, messages, { ...options, signal }, run) as AsyncIterable<unknown>,
        );
        for await (const piece of pieces) {
          empty = false;
          end.see(piece);
          yield piece;
        }
        // An answer without words has pieces, too. A page of HTML with status 200 has none, and no client minds.
        if (empty && options?.signal?.aborted !== true) {
          const message = `The stream of ${spec.provider} ended without a single piece of an answer. Is the base URL right?`;
          throw new ProviderStreamError(spec.provider, { code: "empty_answer", message }, undefined);
        }
        const aborted = options?.signal?.aborted === true;
        if (
          name === "_streamResponseChunks" &&
          !aborted &&
          !end.isWhole(spec.provider, isBuiltIn(spec.provider))
        ) {
          const message = `The stream of ${spec.provider} ended in the middle of an answer.`;
          throw new ProviderStreamError(spec.provider, { code: "stream_cut", message }, undefined);
        }
      } catch (error) {
        redactError(error, redact);
        throw error;
      }
    });
  }
};

/**
 * What every model made here has, whichever client it is: an identity, a profile, a deadline, and a key that nothing
 * prints. Put on the instance, because agents ask for a client by its class (prompt caching looks for "ChatAnthropic")
 * and a wrapping model would hide it.
 */
export const finishModel = (model: BaseChatModel, spec: ResolvedSpec): BaseChatModel => {
  if (specs.has(model)) return model;
  specs.set(model, spec);
  identifyModel(model, {
    provider: spec.provider,
    model: spec.model,
    ...(spec.apiKey === undefined ? {} : { credential: spec.apiKey }),
    ...(spec.baseURL === undefined ? {} : { endpoint: endpointOf(spec.baseURL) }),
  });
  // LangChain hands it to callbacks: `ls_provider` says "openai" of every server that speaks OpenAI's protocol.
  model.metadata = { ...model.metadata, fiveseam_provider: spec.provider, fiveseam_model: spec.model };
  const profile = profileOf(model, spec);
  if (profile) define(model, "profile", profile);
  const redact = redactor(secretsOf(spec));
  hideSecrets(model, spec, redact);
  guardCalls(model, spec, redact);
  // ChatOpenAI's withConfig (and so its bindTools) makes a new ChatOpenAI, on which all this is missing.
  const withConfig = method(model, "withConfig");
  if (withConfig) {
    define(model, "withConfig", (...args: unknown[]) => {
      const configured = withConfig.apply(model, args);
      if (isChatModel(configured)) finishModel(configured, spec);
      return configured;
    });
  }
  return model;
};
