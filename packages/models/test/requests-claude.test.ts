import { describe, expect, it } from "vitest";
import { type ModelSpec } from "../src/index.js";
import { SAMPLING, sent } from "./support/providers.js";

describe("Claude", () => {
  const claude = (model: string, more: Partial<ModelSpec> = {}) =>
    sent({ provider: "anthropic", model, ...more });

  it.each([
    "claude-sonnet-4-6",
    "claude-opus-4-6",
    "claude-opus-4-7",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-sonnet-5-5",
    "claude-opus-7-1",
  ])("%s takes adaptive thinking and an effort, and never budget_tokens", async (model) => {
    for (const reasoning of ["low", "high", { budgetTokens: 10_000 }] as const) {
      const body = await claude(model, { reasoning });
      expect(body["thinking"]).toEqual({ type: "adaptive" });
      expect(JSON.stringify(body)).not.toContain("budget_tokens");
    }
    expect((await claude(model, { reasoning: "medium" }))["output_config"]).toEqual({ effort: "medium" });
    expect((await claude(model, { reasoning: "max" }))["output_config"]).toEqual({ effort: "max" });
  });

  it.each([
    "claude-3-7-sonnet-latest",
    "claude-opus-4-1-20250805",
    "claude-sonnet-4-20250514",
    "claude-haiku-4-5",
  ])("%s takes budget_tokens, with max_tokens raised by as much", async (model) => {
    const body = await claude(model, { reasoning: "medium", maxTokens: 1000 });
    expect(body["thinking"]).toEqual({ type: "enabled", budget_tokens: 12_288 });
    expect(body["max_tokens"]).toBe(13_288);
    expect(body["output_config"]).toBeUndefined();
  });

  it("a budget never reaches the model's own limit of output", async () => {
    const body = await claude("claude-opus-4-1", { reasoning: "max", maxTokens: 20_000 });
    expect(body["max_tokens"]).toBe(32_000);
    expect(body["thinking"]).toEqual({ type: "enabled", budget_tokens: 30_976 });
  });

  it("gets room for its thoughts, unless the spec says how much", async () => {
    expect((await claude("claude-opus-4-8", { reasoning: "low" }))["max_tokens"]).toBe(32_000);
    expect((await claude("claude-opus-4-8", { reasoning: "low", maxTokens: 5000 }))["max_tokens"]).toBe(5000);
    // Thinks without being asked to.
    expect((await claude("claude-sonnet-5"))["max_tokens"]).toBe(32_000);
  });

  it("is told not to think only where it would, and refuses not to be told", async () => {
    expect((await claude("claude-opus-4-7", { reasoning: "off" }))["thinking"]).toBeUndefined();
    expect((await claude("claude-sonnet-5", { reasoning: "off" }))["thinking"]).toEqual({ type: "disabled" });
    // 5.5 and Fable always think: "off" is the least effort.
    for (const model of ["claude-sonnet-5-5", "claude-fable-5"]) {
      const body = await claude(model, { reasoning: "off" });
      expect(body["thinking"]).toEqual({ type: "adaptive" });
      expect(body["output_config"]).toEqual({ effort: "low" });
    }
  });

  it("gets temperature or top_p, not both, and neither while it thinks or from 4.7 on", async () => {
    const both = await claude("claude-sonnet-4-6", SAMPLING);
    expect(both).toMatchObject({ temperature: 0.5 });
    expect(both).not.toHaveProperty("top_p");
    expect(await claude("claude-sonnet-4-6", { topP: 0.9 })).toMatchObject({ top_p: 0.9 });
    for (const body of [
      await claude("claude-sonnet-4-6", { ...SAMPLING, reasoning: "low" }),
      await claude("claude-haiku-4-5", { ...SAMPLING, reasoning: "low" }),
      await claude("claude-opus-4-7", SAMPLING),
      await claude("claude-opus-4-8", SAMPLING),
      await claude("claude-sonnet-5", { ...SAMPLING, reasoning: "off" }),
    ]) {
      expect(body).not.toHaveProperty("temperature");
      expect(body).not.toHaveProperty("top_p");
    }
  });

  it("may have a large max_tokens without streaming", async () => {
    // Without a timeout of its own the SDK throws "Streaming is strongly recommended".
    expect((await claude("claude-opus-4-8", { maxTokens: 128_000 }))["max_tokens"]).toBe(128_000);
  });
});
