import type { ReasoningEffort, ReasoningShape } from "./catalog/types.js";
import { ProviderConfigError } from "./errors.js";

/**
 * How much a model shall reason, in words that every provider can be asked for. `max` is the most that the model has.
 * A level that a model does not have becomes the nearest that it has, above before below; a budget becomes a level where
 * there are only levels, and a level a budget where there are only budgets; `off` becomes the least where reasoning
 * cannot be turned off. Left out, nothing is sent and the provider's default holds.
 */
export type ReasoningSetting = "off" | "low" | "medium" | "high" | "max" | { readonly budgetTokens: number };

/** What to send, in the model's own terms. */
export type ReasoningPlan =
  | { readonly kind: "default" }
  | { readonly kind: "off" }
  | { readonly kind: "on" }
  | { readonly kind: "effort"; readonly effort: ReasoningEffort }
  | { readonly kind: "budget"; readonly budgetTokens: number };

const ORDER: readonly ReasoningEffort[] = ["minimal", "low", "medium", "high", "xhigh", "max"];
const BUDGETS = { low: 4096, medium: 12_288, high: 24_576 } as const;

type Level = "low" | "medium" | "high" | "max";

const levelOf = (setting: Exclude<ReasoningSetting, "off">): Level => {
  if (typeof setting === "string") return setting;
  if (setting.budgetTokens <= BUDGETS.low) return "low";
  return setting.budgetTokens <= BUDGETS.medium ? "medium" : "high";
};

const nearest = (level: Level, efforts: readonly ReasoningEffort[]): ReasoningEffort => {
  const wanted = ORDER.indexOf(level);
  return efforts.find((effort) => ORDER.indexOf(effort) >= wanted) ?? efforts.at(-1) ?? "medium";
};

/** Pure. @throws {ProviderConfigError} `unsupported_reasoning` for a model that is known not to reason. */
export const planReasoning = (
  shape: ReasoningShape,
  setting: ReasoningSetting | undefined,
  where: { provider: string; model: string },
): ReasoningPlan => {
  if (setting === undefined) return { kind: "default" };
  switch (shape.kind) {
    case "none":
      if (setting === "off") return { kind: "default" };
      throw new ProviderConfigError(
        "unsupported_reasoning",
        `${where.model} does not reason: leave \`reasoning\` out, or name a model that does.`,
        { provider: where.provider },
      );
    case "always":
      return { kind: "default" };
    case "toggle":
      return { kind: setting === "off" ? "off" : "on" };
    case "effort":
      if (setting !== "off") return { kind: "effort", effort: nearest(levelOf(setting), shape.efforts) };
      return shape.canDisable ? { kind: "off" } : { kind: "effort", effort: shape.efforts[0] ?? "low" };
    case "budget": {
      if (setting === "off" && shape.canDisable) return { kind: "off" };
      const asked =
        setting === "off"
          ? shape.minTokens
          : typeof setting === "object"
            ? setting.budgetTokens
            : setting === "max"
              ? shape.maxTokens
              : BUDGETS[setting];
      return { kind: "budget", budgetTokens: Math.min(shape.maxTokens, Math.max(shape.minTokens, asked)) };
    }
    case "unknown":
      if (setting === "off") return { kind: "off" };
      // `max` is not a word that every server knows.
      return { kind: "effort", effort: nearest(levelOf(setting), ["low", "medium", "high"]) };
  }
};
