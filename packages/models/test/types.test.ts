import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { UsageMetadata } from "@langchain/core/messages";
import { describe, expectTypeOf, it } from "vitest";
import {
  createChatModel,
  describeModel,
  priceUsage,
  resolveRoleModel,
  type ModelPrice,
  type ModelSpec,
  type ReasoningSetting,
  type ReasoningShape,
  type RoleModel,
  type UsageCost,
} from "../src/index.js";

describe("the types", () => {
  it("a model is LangChain's, whatever the provider", () => {
    expectTypeOf(createChatModel).returns.resolves.toEqualTypeOf<BaseChatModel>();
    expectTypeOf(resolveRoleModel).returns.resolves.toEqualTypeOf<RoleModel>();
    expectTypeOf(createChatModel).parameter(0).toEqualTypeOf<string | ModelSpec | BaseChatModel>();
  });

  it("an unknown price makes an unknown cost, and a known one a known one", () => {
    expectTypeOf(describeModel("scripted").price).toEqualTypeOf<ModelPrice | null>();
    const usage = {} as UsageMetadata;
    expectTypeOf(() => priceUsage({} as ModelPrice, usage)).returns.toEqualTypeOf<UsageCost>();
    expectTypeOf(() => priceUsage({} as ModelPrice | null, usage)).returns.toEqualTypeOf<UsageCost | null>();
  });

  it("reasoning is one of five words or a budget, and its shape is told by its kind", () => {
    expectTypeOf<ReasoningSetting>().toEqualTypeOf<
      "off" | "low" | "medium" | "high" | "max" | { readonly budgetTokens: number }
    >();
    expectTypeOf<Extract<ReasoningShape, { kind: "budget" }>["maxTokens"]>().toEqualTypeOf<number>();
    expectTypeOf<{ provider: string; reasoning: "hard" }>().not.toExtend<ModelSpec>();
  });
});
