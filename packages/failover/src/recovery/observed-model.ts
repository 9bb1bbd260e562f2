import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { RunnableBinding, type RunnableConfig } from "@langchain/core/runnables";
import { silenceClientRetries } from "./client-retries.js";
import { type AttemptWatch, hasAudience, WatchHandler } from "./watch.js";

/**
 * The same model, watched: everything but the ways to call it is the model's own (its class name, profile, private
 * fields, `instanceof`), because prompt caching and profiles ask for them. A wrapping model would lose both.
 */
export const observedModel = <Model extends object>(
  model: Model,
  watch: AttemptWatch,
  stream: boolean,
): Model => {
  const config = { callbacks: [new WatchHandler(watch, stream)], signal: watch.signal };
  const wrap = (runnable: unknown): unknown => {
    silenceClientRetries(runnable);
    return new RunnableBinding({
      bound: runnable as RunnableBinding<never, never>["bound"],
      config,
      kwargs: {},
      configFactories: [
        (called: RunnableConfig) => {
          watch.audience ||= hasAudience(called.callbacks);
          watch.start();
          return {};
        },
      ],
    });
  };
  const own: Record<string, (...args: never[]) => unknown> = {
    bindTools: (...args) => wrap((model as { bindTools: (...all: never[]) => unknown }).bindTools(...args)),
    withConfig: (...args) =>
      wrap((model as { withConfig: (...all: never[]) => unknown }).withConfig(...args)),
    withStructuredOutput: (...args) =>
      wrap((model as { withStructuredOutput: (...all: never[]) => unknown }).withStructuredOutput(...args)),
    invoke: (...args) => (wrap(model) as { invoke: (...all: never[]) => unknown }).invoke(...args),
    stream: (...args) => (wrap(model) as { stream: (...all: never[]) => unknown }).stream(...args),
    _getModelInstance: async (...args) => {
      const get = (model as { _getModelInstance: (...all: never[]) => Promise<object> })._getModelInstance;
      return observedModel(await get.apply(model, args), watch, stream);
    },
  };
  const bound = new Map<PropertyKey, unknown>();
  return new Proxy(model, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function" || key === "constructor") return value;
      if (typeof key === "string" && Object.hasOwn(own, key)) return own[key];
      // Some clients keep private fields, which a proxy as `this` cannot reach.
      if (!bound.has(key)) bound.set(key, value.bind(target));
      return bound.get(key);
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
};

/** The base class whose `_streamResponseChunks` means "does not stream". */
export const baseChatModel: { _streamResponseChunks: unknown } = BaseChatModel.prototype as unknown as {
  _streamResponseChunks: unknown;
};
