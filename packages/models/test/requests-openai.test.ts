import { describe, expect, it } from "vitest";
import { createChatModel, type ModelSpec } from "../src/index.js";
import { emulator } from "./support/emulator.js";
import { KEY, modelAt, SAMPLING, sent } from "./support/providers.js";

describe("OpenAI", () => {
  const openai = (model: string, more: Partial<ModelSpec> = {}) =>
    sent({ provider: "openai", model, ...more });

  it.each(["o1", "o3", "o4-mini", "o3-mini-2025-01-31", "gpt-5", "gpt-5-mini"])(
    "%s reasons: an effort, max_completion_tokens, and no sampling",
    async (model) => {
      const body = await openai(model, { ...SAMPLING, reasoning: "high", maxTokens: 500 });
      expect(body).toMatchObject({ reasoning_effort: "high", max_completion_tokens: 500 });
      for (const refused of ["temperature", "top_p", "max_tokens"]) expect(body).not.toHaveProperty(refused);
    },
  );

  it.each(["gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-nano", "gpt-5-chat-latest"])(
    "%s does not reason: sampling, max_tokens, and an error when it is asked to",
    async (model) => {
      const body = await openai(model, { ...SAMPLING, maxTokens: 500, reasoning: "off" });
      expect(body).toMatchObject({ temperature: 0.5, top_p: 0.9, max_tokens: 500 });
      expect(body).not.toHaveProperty("reasoning_effort");
      await expect(
        createChatModel({ provider: "openai", model, apiKey: KEY, reasoning: "low" }),
      ).rejects.toMatchObject({
        code: "unsupported_reasoning",
        provider: "openai",
        message: expect.stringContaining(model),
      });
    },
  );

  it.each([
    ["gpt-5", "off", "minimal"],
    ["gpt-5", "max", "high"],
    ["gpt-5.1", "off", "none"],
    ["gpt-5.2", "max", "xhigh"],
    ["o3", "off", "low"],
    ["o3", { budgetTokens: 2000 }, "low"],
    ["o3", { budgetTokens: 50_000 }, "high"],
  ] as const)("%s with %j is effort %s", async (model, reasoning, effort) => {
    expect(await openai(model, { reasoning })).toMatchObject({ reasoning_effort: effort });
  });

  it.each([
    ["gpt-5-pro", "low", "high"],
    ["gpt-5.1-codex", "off", "low"],
    ["gpt-5.2-pro", "low", "medium"],
    ["gpt-5.4", "off", "none"],
    ["gpt-5.6-sol", "max", "max"],
  ] as const)("%s with %j is effort %s of the Responses API", async (model, reasoning, effort) => {
    expect(await openai(model, { reasoning })).toMatchObject({ reasoning: { effort } });
  });

  it("sampling reaches gpt-5.1, 5.2 and 5.4 only when they are told not to reason", async () => {
    for (const model of ["gpt-5.1", "gpt-5.2", "gpt-5.4"]) {
      expect(await openai(model, { ...SAMPLING, reasoning: "off" })).toMatchObject({
        temperature: 0.5,
        top_p: 0.9,
      });
      expect(await openai(model, SAMPLING)).not.toHaveProperty("temperature");
      expect(await openai(model, { ...SAMPLING, reasoning: "low" })).not.toHaveProperty("temperature");
    }
    expect(await openai("gpt-5.5", { ...SAMPLING, reasoning: "off" })).not.toHaveProperty("temperature");
  });

  it.each([
    ["gpt-4.1", "/chat/completions"],
    ["gpt-5.2", "/chat/completions"],
    ["o3", "/chat/completions"],
    // Chat completions refuses their tools: "Please use /v1/responses instead".
    ["gpt-5.4", "/responses"],
    ["gpt-5.5", "/responses"],
    ["gpt-5.6-terra", "/responses"],
    ["gpt-5.1-codex", "/responses"],
    ["o3-pro", "/responses"],
  ])("%s is asked at %s", async (model, path) => {
    const { seen, url } = await emulator({ kind: "answer" });
    await (await modelAt(url, { provider: "openai", model })).invoke("hi");
    expect(seen[0]?.url).toBe(path);
  });

  it("is asked at the API that the spec names", async () => {
    const { seen, url } = await emulator({ kind: "answer" });
    await (await modelAt(url, { provider: "openai", model: "gpt-5.5" }, { api: "chat" })).invoke("hi");
    await (await modelAt(url, { provider: "openai", model: "gpt-4.1" }, { api: "responses" })).invoke("hi");
    await (await modelAt(url, { provider: "openai", model: "gpt-5.3-codex" }, { api: "chat" })).invoke("hi");
    expect(seen.map(({ url: path }) => path)).toEqual([
      "/chat/completions",
      "/responses",
      "/chat/completions",
    ]);
  });

  it("a key is given as `apiKey`, never as the alias, and gpt-4.1 is the default", async () => {
    const model = await createChatModel({ provider: "openai", apiKey: KEY });
    expect(model).toMatchObject({ model: "gpt-4.1", apiKey: KEY });
  });
});
