import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { createHash } from "node:crypto";
import { modelIdentity } from "./identity.js";
import type { CandidateSlot } from "./recovery/candidates.js";

let made = 0;
const ownKeys = new WeakMap<object, string>();

const ownKey = (owner: object): string => {
  const known = ownKeys.get(owner) ?? `unnamed ${(made += 1)}`;
  ownKeys.set(owner, known);
  return known;
};

/** What a model says of itself as a digest (ChatOpenAI's parameters hold its key); undefined when that is nothing. */
const digestOf = (model: BaseChatModel): string | undefined => {
  try {
    const own = model._identifyingParams();
    if (Object.keys(own).length === 0) return undefined;
    const text = JSON.stringify([model._llmType(), modelIdentity(model), own]);
    return createHash("sha256").update(text).digest("hex");
  } catch {
    return undefined; // Circular, or no chat model of LangChain's: then it shares answers with nobody.
  }
};

/** What tells a candidate from others in a cache. Who cannot be told (a factory's model is not known yet) is alone. */
export const cacheKeyOf = (slot: CandidateSlot): string => {
  const model = slot.eagerModel;
  return model ? (digestOf(model) ?? ownKey(model)) : ownKey(slot);
};
