import { createHash } from "node:crypto";

/** Who answers a call. Two models with the same identity share their health. */
export interface ModelIdentity {
  /** `anthropic`, `openai`, `glm`, … */
  readonly provider: string;
  /** The model's id at the provider. */
  readonly model: string;
  /** A fingerprint of the credential; see {@link credentialFingerprint}. Never the key. */
  readonly credential?: string;
  /** Host and path of the endpoint, where it is not the provider's own. */
  readonly endpoint?: string;
}

const IDENTITY = Symbol.for("fiveseam.modelIdentity");
const FINGERPRINT = /^fp_[0-9a-f]{12}$/;

/**
 * A short, irreversible name for a key. What already is one stays as it is.
 *
 * @example
 * ```ts
 * import { credentialFingerprint } from "@fiveseam/failover";
 *
 * console.log(credentialFingerprint("sk-secret").startsWith("fp_")); // true
 * ```
 */
export const credentialFingerprint = (key: string): string =>
  FINGERPRINT.test(key) ? key : `fp_${createHash("sha256").update(key).digest("hex").slice(0, 12)}`;

const read = (object: unknown, key: string): unknown => {
  if ((typeof object !== "object" && typeof object !== "function") || object === null) return undefined;
  try {
    return (object as Record<string, unknown>)[key];
  } catch {
    return undefined; // A getter that throws tells nothing.
  }
};

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value.length > 0 ? value : undefined;

const hidden = (target: object, identity: ModelIdentity): void => {
  Object.defineProperty(target, IDENTITY, {
    value: identity,
    enumerable: false,
    configurable: true,
    writable: true,
  });
};

/**
 * Says who a model is, for health and events, and returns the model. The mark is a non-enumerable symbol
 * (`Symbol.for("fiveseam.modelIdentity")`); a credential is kept as its fingerprint only.
 *
 * @example
 * ```ts
 * import { identifyModel, modelIdentity } from "@fiveseam/failover";
 * import { FakeListChatModel } from "@langchain/core/utils/testing";
 *
 * const model = identifyModel(new FakeListChatModel({ responses: ["Hi"] }), { provider: "local", model: "qwen3" });
 * console.log(modelIdentity(model).provider); // local
 * ```
 */
export const identifyModel = <Model extends object>(model: Model, identity: ModelIdentity): Model => {
  const { credential, ...rest } = identity;
  const own: ModelIdentity = Object.freeze({
    ...rest,
    ...(credential === undefined ? {} : { credential: credentialFingerprint(credential) }),
  });
  hidden(model, own);
  // ChatOpenAI.withConfig() and bindTools() build a new model from `fields`; a copy of them carries the mark along.
  const fields = read(model, "fields");
  if (typeof fields === "object" && fields !== null) {
    const copy = { ...fields };
    hidden(copy, own);
    (model as { fields?: unknown }).fields = copy;
  }
  return model;
};

const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  azure: "azure-openai",
  azure_openai: "azure-openai",
  google_genai: "gemini",
  "google-genai": "gemini",
  google: "gemini",
  google_vertexai: "vertex",
  amazon_bedrock: "bedrock",
};

const OWN_HOSTS =
  /^(?:api\.openai\.com|api\.anthropic\.com|api\.groq\.com|api\.deepseek\.com|api\.x\.ai|generativelanguage\.googleapis\.com)$/;

const lsParams = (model: unknown): { provider?: string; model?: string } => {
  const get = read(model, "getLsParams");
  if (typeof get !== "function") return {};
  try {
    const params: unknown = get.call(model, {});
    return { provider: text(read(params, "ls_provider")), model: text(read(params, "ls_model_name")) };
  } catch {
    return {}; // Some models compute it from options that are not there yet.
  }
};

const endpointOf = (model: unknown): string | undefined => {
  const url =
    text(read(read(model, "clientConfig"), "baseURL")) ??
    text(read(model, "apiUrl")) ??
    text(read(model, "baseUrl")) ??
    text(read(model, "baseURL")) ??
    text(read(read(model, "client"), "baseURL"));
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { host, pathname } = new URL(url);
  // Behind one gateway the path tells the routes apart.
  return OWN_HOSTS.test(host) ? undefined : `${host}${pathname.replace(/\/+$/, "")}`;
};

const keyOf = (model: unknown): string | undefined =>
  text(read(model, "apiKey")) ??
  text(read(model, "openAIApiKey")) ??
  text(read(model, "anthropicApiKey")) ??
  text(read(read(model, "clientConfig"), "apiKey"));

/** The model inside `withConfig()`, `bindTools()` and pipelines. */
export const innermostModel = (model: unknown): unknown => {
  let inner = model;
  for (let depth = 0; depth < 8; depth += 1) {
    if (typeof read(inner, "_llmType") === "function") return inner;
    const next = read(inner, "bound") ?? (read(read(inner, "steps"), "0") as unknown);
    if (typeof next !== "object" || next === null) return inner;
    inner = next;
  }
  return inner;
};

let counted = 0;
const numbers = new WeakMap<object, number>();

/** Two models that say nothing of themselves are two all the same. */
const nameless = (model: unknown): string => {
  if (typeof model !== "object" || model === null) return "unknown";
  let number = numbers.get(model);
  if (number === undefined) numbers.set(model, (number = counted += 1));
  return `unknown-${number}`;
};

const marked = (model: unknown): ModelIdentity | undefined => {
  if (typeof model !== "object" || model === null) return undefined;
  return (
    (model as { [IDENTITY]?: ModelIdentity })[IDENTITY] ??
    (read(model, "fields") as { [IDENTITY]?: ModelIdentity } | undefined)?.[IDENTITY]
  );
};

/**
 * Who a model is: the mark of {@link identifyModel}, also through `bindTools()` and `withConfig()`, else what the model
 * says of itself (`getLsParams()`, its class, its base URL, a fingerprint of its key).
 */
export const modelIdentity = (model: unknown): ModelIdentity => {
  const inner = innermostModel(model);
  const known = marked(model) ?? marked(inner);
  if (known) return known;
  const params = lsParams(inner);
  const llmType = read(inner, "_llmType");
  const type = typeof llmType === "function" ? text(llmType.call(inner)) : undefined;
  const provider = params.provider ?? type ?? "unknown";
  const key = keyOf(inner);
  const endpoint = endpointOf(inner);
  return {
    provider: PROVIDER_NAMES[provider.toLowerCase()] ?? provider.toLowerCase(),
    model: text(read(inner, "model")) ?? text(read(inner, "modelName")) ?? params.model ?? nameless(inner),
    ...(key === undefined ? {} : { credential: credentialFingerprint(key) }),
    ...(endpoint === undefined ? {} : { endpoint }),
  };
};

/** `provider:model`, for people. */
export const identityLabel = (identity: ModelIdentity): string =>
  `${identity.provider}:${identity.model}${identity.endpoint === undefined ? "" : `@${identity.endpoint}`}`;
