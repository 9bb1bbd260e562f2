import { ProviderConfigError } from "./errors.js";
import type { ModelSpec } from "./provider.js";

/** Splits "provider:model" at the first colon: model ids may hold more of them ("local:qwen3:8b"). */
const split = (spec: string): ModelSpec => {
  const at = spec.indexOf(":");
  const provider = (at < 0 ? spec : spec.slice(0, at)).trim();
  const model = at < 0 ? "" : spec.slice(at + 1).trim();
  return { provider, ...(model ? { model } : {}) };
};

const positive = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;
const between =
  (least: number, most: number) =>
  (value: unknown): boolean =>
    typeof value === "number" && value >= least && value <= most;

const isWebURL = (value: unknown): boolean => {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  return ["http:", "https:"].includes(new URL(value).protocol);
};

const isReasoning = (value: unknown): boolean =>
  typeof value === "object" && value !== null
    ? positive((value as { budgetTokens?: unknown }).budgetTokens)
    : ["off", "low", "medium", "high", "max"].includes(value as string);

/** What each field must be, and how the message says so. The value itself is not repeated: it might be the wrong secret. */
const RULES: readonly (readonly [
  field: keyof ModelSpec,
  valid: (value: unknown) => boolean,
  mustBe: string,
])[] = [
  ["model", (value) => typeof value === "string", "a string"],
  ["apiKey", (value) => typeof value === "string", "a string"],
  ["baseURL", isWebURL, "an http or https URL"],
  ["temperature", between(0, 2), "a number from 0 to 2"],
  ["topP", between(0, 1), "a number from 0 to 1"],
  ["maxTokens", positive, "a positive whole number"],
  ["timeoutMs", between(1, 2_147_483_647), "a number of milliseconds from 1 to 2,147,483,647"],
  ["maxRetries", (value) => value === 0 || positive(value), "a whole number from 0"],
  ["contextWindowTokens", positive, "a positive whole number"],
  [
    "reasoning",
    isReasoning,
    'one of "off", "low", "medium", "high", "max" and { budgetTokens: a positive whole number }',
  ],
  ["api", (value) => value === "chat" || value === "responses", '"chat" or "responses"'],
];

/** @throws {ProviderConfigError} `invalid_spec`, naming the field. */
export const checkFields = (spec: Partial<ModelSpec>, provider: string): void => {
  for (const [field, valid, mustBe] of RULES) {
    if (spec[field] === undefined || valid(spec[field])) continue;
    throw new ProviderConfigError("invalid_spec", `\`${field}\` of a model must be ${mustBe}.`, { provider });
  }
};

/**
 * A spec from what a caller may write, fields checked.
 *
 * @throws {ProviderConfigError} `invalid_spec`.
 */
export const parseSpec = (spec: string | ModelSpec): ModelSpec => {
  const given: unknown = typeof spec === "string" ? split(spec) : spec;
  const provider: unknown = (given as { provider?: unknown } | null | undefined)?.provider;
  if (typeof given !== "object" || given === null || typeof provider !== "string") {
    throw new ProviderConfigError(
      "invalid_spec",
      'A model is "provider:model", { provider, model }, or a LangChain chat model.',
    );
  }
  checkFields(given, provider);
  return given as ModelSpec;
};
