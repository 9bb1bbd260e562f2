import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { FailoverConfigError } from "../errors.js";
import { credentialFingerprint, innermostModel, type ModelIdentity, modelIdentity } from "../identity.js";
import { silenceClientRetries } from "./client-retries.js";

/** Makes a model when it is first needed. A rejection (no key, no package) drops a fallback with an event. */
export type ModelFactory = () => Promise<BaseChatModel> | BaseChatModel;

/** A model with a say in what it is called. What is left out is derived from the model. */
export interface DescribedCandidate {
  readonly model: BaseChatModel | ModelFactory;
  readonly provider?: string;
  readonly modelId?: string;
  /** A key or a fingerprint of it; only the fingerprint is kept. */
  readonly credential?: string;
}

/** What stands in the list of models: a model, a factory, or either with a description. */
export type FailoverCandidate = BaseChatModel | ModelFactory | DescribedCandidate;

/** A candidate that can be called. */
export interface ReadyCandidate {
  readonly model: BaseChatModel;
  readonly identity: ModelIdentity;
}

const isModel = (value: unknown): value is BaseChatModel =>
  typeof value === "object" && value !== null && typeof (value as { invoke?: unknown }).invoke === "function";

/** One place in the list; its model is made once. */
export class CandidateSlot {
  readonly label: string;
  private readonly described: DescribedCandidate;
  private ready: Promise<ReadyCandidate> | undefined;
  /** Set when its model could not be made. */
  dropped = false;

  constructor(candidate: FailoverCandidate, index: number) {
    this.described = isModel(candidate) || typeof candidate === "function" ? { model: candidate } : candidate;
    const { model } = this.described;
    if (!isModel(model) && typeof model !== "function")
      throw new FailoverConfigError(
        "invalid_candidate",
        `models[${index}] is neither a chat model nor a function`,
      );
    this.label =
      this.described.modelId ??
      this.described.provider ??
      (isModel(model) ? modelIdentity(model).model : `models[${index}]`);
  }

  /** The model itself, when it was given ready-made. */
  get eagerModel(): BaseChatModel | undefined {
    return isModel(this.described.model) ? this.described.model : undefined;
  }

  /** Makes the model. Rejects with what its factory threw. */
  resolve(): Promise<ReadyCandidate> {
    this.ready ??= this.make();
    return this.ready;
  }

  private async make(): Promise<ReadyCandidate> {
    const { model: source, provider, modelId, credential } = this.described;
    const model = isModel(source) ? source : await source();
    if (!isModel(model))
      throw new FailoverConfigError("invalid_candidate", `${this.label} did not give a chat model`);
    silenceClientRetries(model);
    const derived = modelIdentity(model);
    return {
      model,
      identity: {
        ...derived,
        ...(provider === undefined ? {} : { provider }),
        ...(modelId === undefined ? {} : { model: modelId }),
        ...(credential === undefined ? {} : { credential: credentialFingerprint(credential) }),
      },
    };
  }
}

/** Whether a model streams, so that timers between its bytes mean something. */
export const canStream = (model: unknown, base: { _streamResponseChunks: unknown }): boolean => {
  const inner = innermostModel(model) as { _streamResponseChunks?: unknown; disableStreaming?: unknown };
  return (
    typeof inner._streamResponseChunks === "function" &&
    inner._streamResponseChunks !== base._streamResponseChunks &&
    inner.disableStreaming !== true
  );
};
