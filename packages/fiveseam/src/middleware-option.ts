import { AIMessage } from "@langchain/core/messages";
import { isCommand, isGraphBubbleUp } from "@langchain/langgraph";
import type { AgentMiddleware } from "langchain";
import { errorFacts } from "./error-facts.js";
import { ConfigError } from "./errors.js";
import type { WarningCode } from "./events.js";

/** A middleware of the product's own, or what makes one. */
export type MiddlewareOption = AgentMiddleware | (() => AgentMiddleware);

const REQUIRED = Symbol.for("fiveseam.required-middleware");

/**
 * Marks a middleware that the agent must not go without: a guard that refuses by throwing, for instance. Without this mark
 * one that throws is skipped for the call, with a warning, and the call goes on as if it were not there.
 *
 * @example
 * ```ts
 * import { createCodingAgent, requiredMiddleware } from "fiveseam";
 * import { createMiddleware } from "langchain";
 *
 * const guard = createMiddleware({
 *   name: "Guard",
 *   wrapModelCall: (request, handler) => {
 *     if (request.messages.length > 1_000) throw new Error("This conversation is too long for us.");
 *     return handler(request);
 *   },
 * });
 * const agent = await createCodingAgent({
 *   workspace: ".",
 *   model: "scripted",
 *   middleware: [requiredMiddleware(guard)],
 * });
 * await agent.close();
 * ```
 */
export const requiredMiddleware = <M extends MiddlewareOption>(middleware: M): M => {
  if (Object.isExtensible(middleware))
    Object.defineProperty(middleware, REQUIRED, { value: true, enumerable: true, configurable: true });
  else frozenRequired.add(middleware);
  return middleware;
};

/** Those that no mark can be put on. */
const frozenRequired = new WeakSet<MiddlewareOption>();

const isRequired = (middleware: MiddlewareOption): boolean =>
  frozenRequired.has(middleware) || (middleware as unknown as Record<symbol, unknown>)[REQUIRED] === true;

type Warn = (code: WarningCode, message: string) => void;
type WrapModelCall = NonNullable<AgentMiddleware["wrapModelCall"]>;

const NODE_HOOKS = ["beforeAgent", "beforeModel", "afterModel", "afterAgent"] as const;

/** What LangGraph and an abort of the run throw must reach them. An AbortError while the run goes on is somebody's own. */
const mayPass = (error: unknown, signal: AbortSignal | undefined): boolean =>
  isGraphBubbleUp(error) ||
  signal?.aborted === true ||
  (error as { stopsRun?: unknown } | null | undefined)?.stopsRun === true;

/** Whether an error is the other one, or names it as its cause. */
const comesFrom = (error: unknown, origin: unknown): boolean => {
  const seen = new Set<unknown>();
  for (let at = error; !seen.has(at); at = (at as { cause?: unknown } | null | undefined)?.cause) {
    if (at === origin) return true;
    seen.add(at);
  }
  return false;
};

/** What langchain takes from a `wrapModelCall` (1.5). */
const isAnswer = (value: unknown): boolean =>
  AIMessage.isInstance(value) ||
  isCommand(value) ||
  (typeof value === "object" && value !== null && "structuredResponse" in value);

const wrapped = (middleware: AgentMiddleware, original: WrapModelCall, warn: Warn): WrapModelCall => {
  const { name } = middleware;
  const say = (error: unknown): void =>
    warn(
      "middleware_failed",
      `The middleware ${name} failed and was left out of a call: ${errorFacts(error).message}`,
    );
  return async (request, handler) => {
    type Result = Awaited<ReturnType<typeof handler>>;
    let last: { result: Result } | { error: unknown } | undefined;
    const watched: typeof handler = async (given) => {
      try {
        const result = await handler(given);
        last = { result };
        return result;
      } catch (error) {
        last = { error };
        throw error;
      }
    };
    try {
      const answer = await original.call(middleware, request, watched);
      if (isAnswer(answer) || (last && "result" in last && answer === last.result)) return answer;
      throw new TypeError("it gave back no answer of a model");
    } catch (error) {
      if (mayPass(error, request.runtime.signal)) throw error;
      // What the model or something further in failed with is not this middleware's fault, and goes on in its words.
      if (last && "error" in last && comesFrom(error, last.error)) throw error;
      say(error);
      if (last && "error" in last) throw last.error;
      return last ? last.result : handler(request);
    }
  };
};

type Hook = (...args: unknown[]) => unknown;

const openHook = (middleware: AgentMiddleware, hook: Hook, warn: Warn): Hook =>
  async function open(...args) {
    try {
      const update = await hook.apply(middleware, args);
      if (update !== undefined && typeof update !== "object")
        throw new TypeError(`it gave back a ${typeof update}, which is no update of the state`);
      return update;
    } catch (error) {
      if (mayPass(error, (args[1] as { signal?: AbortSignal } | undefined)?.signal)) throw error;
      warn(
        "middleware_failed",
        `The middleware ${middleware.name} failed and was left out of a step: ${errorFacts(error).message}`,
      );
      return undefined;
    }
  };

/** What a class's getters say: private fields are the original's only. */
const readOf = (middleware: AgentMiddleware, prototype: object | null): PropertyDescriptorMap => {
  if (prototype === null || prototype === Object.prototype) return {};
  const read = readOf(middleware, Object.getPrototypeOf(prototype) as object | null);
  for (const [key, { get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
    if (get)
      read[key] = {
        value: middleware[key as keyof AgentMiddleware],
        enumerable: true,
        configurable: true,
        writable: true,
      };
  return read;
};

/**
 * The same middleware, which on an error of its own lets the model call through as it was. Its `wrapToolCall` is left as it
 * is: what throws there stops that tool call, and that is an error result, for a fence must not open.
 */
const failingOpen = (middleware: AgentMiddleware, warn: Warn): AgentMiddleware => {
  const open: Record<string, unknown> = {};
  if (middleware.wrapModelCall) open["wrapModelCall"] = wrapped(middleware, middleware.wrapModelCall, warn);
  for (const name of NODE_HOOKS) {
    const hook = middleware[name] as Hook | { hook: Hook } | undefined;
    if (typeof hook === "function") open[name] = openHook(middleware, hook, warn);
    else if (hook) open[name] = { ...hook, hook: openHook(middleware, hook.hook, warn) };
  }
  if (middleware.wrapToolCall) open["wrapToolCall"] = middleware.wrapToolCall.bind(middleware);
  const prototype = Object.getPrototypeOf(middleware) as object;
  return Object.assign(
    Object.create(prototype, readOf(middleware, prototype)),
    middleware,
    open,
  ) as AgentMiddleware;
};

const isMiddleware = (value: unknown): value is AgentMiddleware =>
  typeof value === "object" && value !== null && typeof (value as { name?: unknown }).name === "string";

/**
 * The product's own middleware, made where it is yet to be made. One that cannot be made is left out with a warning; one that
 * fails in a call leaves the call as it was.
 *
 * @throws {ConfigError} when what makes one gives back something else, and what a required one throws.
 */
export const ownMiddleware = (
  given: readonly MiddlewareOption[],
  warn: Warn,
  skipped: Warn,
): AgentMiddleware[] =>
  given.flatMap((each, at) => {
    const required = isRequired(each);
    let middleware: AgentMiddleware;
    try {
      middleware = typeof each === "function" ? each() : each;
    } catch (error) {
      if (required) throw error;
      skipped(
        "middleware_skipped",
        `The middleware at ${at} could not be made and is left out: ${errorFacts(error).message}`,
      );
      return [];
    }
    if (!isMiddleware(middleware))
      throw new ConfigError(
        `middleware.${at}`,
        "The function at this place did not return a middleware with a name.",
      );
    return [required || isRequired(middleware) ? middleware : failingOpen(middleware, warn)];
  });
