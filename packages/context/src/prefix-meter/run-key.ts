import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { conversationOf } from "../namespace.js";
import { asText, at, isObject } from "./json.js";

/**
 * LangGraph's thread and namespace of the run we are in, as a conversation's key. The last part of a namespace is the
 * task of one step and changes with each; what is before it is the delegate.
 */
export const runKey = (
  config: unknown = AsyncLocalStorageProviderSingleton.getRunnableConfig(),
): string | undefined => {
  if (!isObject(config)) return undefined;
  const thread = asText(at(config, "configurable.thread_id"));
  const { namespace: delegate } = conversationOf(config["configurable"]);
  if (thread === "" && delegate === "") return undefined;
  return delegate === "" ? thread : `${thread}/${delegate}`;
};
