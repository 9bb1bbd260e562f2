import { AsyncLocalStorage } from "node:async_hooks";
import type { BaseChatModel, BindToolsInput } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { ChatGenerationChunk, ChatResult } from "@langchain/core/outputs";
import { CassetteError } from "../errors.js";
import { pieceOf, wholeOf, type CassetteAnswer } from "./answer.js";
import { failureOf, type CassetteFailure } from "./failure.js";
import type { ModelIdentity } from "./format.js";
import { canonical, isRecord, plain } from "./json.js";
import { createRedactor, type RedactOptions, type Redactor } from "./redact.js";
import { requestOf, type CassetteRequest } from "./request.js";
import { Tape } from "./tape.js";

export interface RecordOptions {
  /** Where the cassette is written; folders are made. */
  file: string;
  /** What must not get onto it, beside what is known by its shape. */
  redact?: RedactOptions;
}

/** A recording under way. */
export interface Recording<Model extends BaseChatModel = BaseChatModel> {
  /** The model that was given: the same object, so that agents go on knowing it by its class, name and profile. */
  readonly model: Model;
  readonly file: string;
  /** Calls so far. */
  readonly calls: number;
  /** Writes the cassette, in one piece. After it the model refuses calls. */
  finish(): Promise<void>;
  /** Leaves the file as it was, unless `finish` came before: a test that failed half way records nothing. */
  [Symbol.asyncDispose](): Promise<void>;
}

type Method = (this: unknown, ...args: unknown[]) => unknown;
type Options = { tools?: BindToolsInput[] } | undefined;

const recorded = new WeakSet<object>();

const method = (model: object, name: string): Method | undefined => {
  const found: unknown = Reflect.get(model, name);
  return typeof found === "function" ? (found as Method) : undefined;
};

/** LangChain's own, which calls the others: `generatePrompt` stands in BaseChatModel and in no client. */
const isInherited = (model: object, name: string): boolean => {
  let holder: object | null = model;
  while (holder && !Object.hasOwn(holder, name)) holder = Reflect.getPrototypeOf(holder);
  return holder === null || Object.hasOwn(holder, "generatePrompt");
};

const define = (model: object, name: string, value: unknown): void => {
  Object.defineProperty(model, name, { value, configurable: true, writable: true, enumerable: false });
};

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

export const identityOf = (model: BaseChatModel): ModelIdentity => {
  const params = model.getLsParams({} as never) as { ls_provider?: string; ls_model_name?: string };
  const own = model as unknown as { model?: unknown; modelName?: unknown };
  return {
    name: model.getName(),
    llmType: model._llmType(),
    model: textOrNull(params.ls_model_name) ?? textOrNull(own.model) ?? textOrNull(own.modelName),
    provider: textOrNull(params.ls_provider),
    profile: plain(model.profile ?? {}) as Record<string, unknown>,
  };
};

/** The key that the client holds, which a server may repeat in what it says. */
const keysOf = (model: object): string[] =>
  ["apiKey", "anthropicApiKey", "openAIApiKey"].flatMap((name) => {
    const value: unknown = Reflect.get(model, name);
    return typeof value === "string" ? [value] : [];
  });

/**
 * Without secrets. A secret may be spread over the pieces of a stream, where none of them shows it: an answer that holds
 * one is kept in one piece.
 */
const cleaned = async (answer: CassetteAnswer, { value }: Redactor): Promise<CassetteAnswer> => {
  const whole = answer.form === "message" ? undefined : await wholeOf(answer);
  const holdsSecret = (each: unknown): boolean => canonical(each) !== canonical(value(each));
  const error = answer.error && (value(answer.error) as CassetteFailure);
  const rest = { end: answer.end, ...(error ? { error } : {}) };
  if (answer.form === "message" || !(holdsSecret(whole) || holdsSecret(answer.pieces)))
    return { form: answer.form, pieces: value(answer.pieces) as unknown[], ...rest };
  return { form: "message", pieces: whole ? [value(whole)] : [], ...rest };
};

/**
 * Records what a chat model is asked and answers, streamed pieces and errors included, into a file that `replayModel`
 * plays without a provider. It changes the model in place: class, name, profile, tools, callbacks and aborts are the
 * model's own.
 *
 * @throws {CassetteError} `cassette_busy` when the file or the model is being recorded already.
 *
 * @example
 * ```ts
 * import { ScriptedChatModel } from "@fiveseam/models";
 * import { recordModel } from "@fiveseam/testing";
 *
 * await using recording = recordModel(new ScriptedChatModel({ script: [{ text: "Hello." }] }), {
 *   file: "test/cassettes/hello.jsonl",
 * });
 * await recording.model.invoke("Hi");
 * await recording.finish();
 * ```
 */
export const recordModel = <Model extends BaseChatModel>(
  model: Model,
  { file, redact = {} }: RecordOptions,
): Recording<Model> => {
  if (recorded.has(model))
    throw new CassetteError("cassette_busy", file, "This model is being recorded already; make another one.");
  const redactor = createRedactor({ ...redact, secrets: [...(redact.secrets ?? []), ...keysOf(model)] });
  const tape = new Tape(file, identityOf(model));
  // A client's `_generate` may call its own `_streamResponseChunks`: one call, one entry.
  const inside = new AsyncLocalStorage<true>();

  const attach = (target: BaseChatModel): void => {
    recorded.add(target);
    const ask = (messages: unknown, options: unknown): CassetteRequest => {
      // ChatOpenAI keeps what `bindTools` was given on itself and merges it after this point.
      const bound = (target as { defaultOptions?: Options }).defaultOptions?.tools;
      const { tools = bound } = (options ?? {}) as NonNullable<Options>;
      return redactor.value(requestOf(messages as BaseMessage[], tools)) as CassetteRequest;
    };
    attachGenerate(target, tape, inside, ask);
    for (const name of ["_streamResponseChunks", "_streamChatModelEvents"] as const)
      if (!isInherited(target, name)) attachStream(target, name, tape, inside, ask);
    // ChatOpenAI's makes a new client, on which all this is missing.
    const withConfig = method(target, "withConfig");
    define(target, "withConfig", (...args: unknown[]) => {
      const configured = withConfig?.apply(target, args);
      const fresh = isRecord(configured) && typeof configured["_generate"] === "function";
      if (fresh && !recorded.has(configured)) attach(configured as unknown as BaseChatModel);
      return configured;
    });
  };
  attach(model);

  return {
    model,
    file: tape.file,
    get calls() {
      return tape.size;
    },
    finish: () => tape.finish((answer) => cleaned(answer, redactor)),
    [Symbol.asyncDispose]: () => Promise.resolve(tape.discard()),
  };
};

type Ask = (messages: unknown, options: unknown) => CassetteRequest;

const attachGenerate = (
  target: BaseChatModel,
  tape: Tape,
  inside: AsyncLocalStorage<true>,
  ask: Ask,
): void => {
  const generate = method(target, "_generate");
  define(target, "_generate", async (...args: unknown[]) => {
    if (inside.getStore()) return generate?.apply(target, args);
    const slot = tape.begin(ask(args[0], args[1]), () => ({ form: "message", pieces: [], end: "abandoned" }));
    try {
      const result = (await inside.run(true, () => generate?.apply(target, args))) as ChatResult;
      const pieces = result.generations.map((each) => pieceOf(each.message, each.generationInfo));
      slot.settle({ form: "message", pieces, end: "done" });
      return result;
    } catch (error) {
      slot.settle({ form: "message", pieces: [], end: "error", error: failureOf(error) });
      throw error;
    }
  });
};

const attachStream = (
  target: BaseChatModel,
  name: "_streamResponseChunks" | "_streamChatModelEvents",
  tape: Tape,
  inside: AsyncLocalStorage<true>,
  ask: Ask,
): void => {
  const stream = method(target, name);
  const form = name === "_streamResponseChunks" ? "chunks" : "events";
  const keep = (each: unknown): unknown =>
    form === "events"
      ? plain(each)
      : pieceOf((each as ChatGenerationChunk).message, (each as ChatGenerationChunk).generationInfo);
  define(target, name, async function* (...args: unknown[]) {
    const start = (): AsyncGenerator<unknown> => stream?.apply(target, args) as AsyncGenerator<unknown>;
    if (inside.getStore()) return yield* start();
    const pieces: unknown[] = [];
    const slot = tape.begin(ask(args[0], args[1]), () => ({ form, pieces: [...pieces], end: "abandoned" }));
    const source = inside.run(true, start);
    let ended: CassetteAnswer = { form, pieces, end: "abandoned" };
    try {
      for (;;) {
        // Each step in the context of its own: a generator runs in the one of whoever asks for the next piece.
        const next = await inside.run(true, () => source.next());
        if (next.done) break;
        // As it is now: LangChain writes ids and metadata onto the chunks that it hands on.
        pieces.push(keep(next.value));
        yield next.value;
      }
      ended = { form, pieces, end: "done" };
    } catch (error) {
      ended = { form, pieces, end: "error", error: failureOf(error) };
      throw error;
    } finally {
      slot.settle(ended);
      if (ended.end === "abandoned") await source.return(undefined);
    }
  });
};
