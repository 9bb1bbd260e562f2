import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ReadyCandidate } from "../recovery/candidates.js";
import type { AdaptTarget } from "./adapt.js";
import type { AcceptedContent } from "./blocks.js";

interface ProfileLike {
  readonly imageInputs?: boolean;
  readonly audioInputs?: boolean;
  readonly videoInputs?: boolean;
  readonly pdfInputs?: boolean;
  readonly imageToolMessage?: boolean;
}

const acceptedBy = (model: BaseChatModel): AcceptedContent => {
  const profile = (model as { profile?: ProfileLike }).profile ?? {};
  return {
    ...(profile.imageInputs === undefined ? {} : { images: profile.imageInputs }),
    ...(profile.audioInputs === undefined ? {} : { audio: profile.audioInputs }),
    ...(profile.videoInputs === undefined ? {} : { video: profile.videoInputs }),
    ...(profile.pdfInputs === undefined ? {} : { files: profile.pdfInputs }),
    // A "yes" says nothing of the API in use: OpenAI's Responses takes them, its chat API, with the same model, does not.
    ...(profile.imageToolMessage === false ? { toolImages: false } : {}),
  };
};

const targets = new WeakMap<ReadyCandidate, AdaptTarget>();

/** A candidate as the reader of messages: its provider, what its client writes, what its profile says it takes. */
export const targetOf = (candidate: ReadyCandidate): AdaptTarget => {
  const known = targets.get(candidate) ?? describe(candidate);
  targets.set(candidate, known);
  return known;
};

const describe = ({ model, identity }: ReadyCandidate): AdaptTarget => {
  let wire: string | undefined;
  try {
    wire = model.getLsParams({} as never).ls_provider;
  } catch {
    wire = undefined; // It needs options that are not there yet; then the provider's name has to do.
  }
  return { provider: identity.provider, ...(wire === undefined ? {} : { wire }), accepts: acceptedBy(model) };
};
