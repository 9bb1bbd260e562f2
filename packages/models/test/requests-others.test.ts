import { describe, expect, it } from "vitest";
import { createChatModel, ProviderConfigError, type ModelSpec } from "../src/index.js";
import { emulator } from "./support/emulator.js";
import { KEY, modelAt, SAMPLING, sent } from "./support/providers.js";

describe("Gemini", () => {
  const gemini = async (model: string, more: Partial<ModelSpec> = {}) =>
    (await sent({ provider: "gemini", model, ...more }))["generationConfig"] as Record<string, unknown>;

  it("2.5 takes a budget within its limits, and 0 only where it can stop thinking", async () => {
    expect(await gemini("gemini-2.5-pro", { reasoning: "low" })).toMatchObject({
      thinkingConfig: { thinkingBudget: 4096 },
    });
    expect(await gemini("gemini-2.5-pro", { reasoning: "off" })).toMatchObject({
      thinkingConfig: { thinkingBudget: 128 },
    });
    expect(await gemini("gemini-2.5-flash", { reasoning: "off" })).toMatchObject({
      thinkingConfig: { thinkingBudget: 0 },
    });
    expect(await gemini("gemini-2.5-flash", { reasoning: { budgetTokens: 99_999 } })).toMatchObject({
      thinkingConfig: { thinkingBudget: 24_576 },
    });
  });

  it("3 takes a level that it has, never a budget", async () => {
    expect(await gemini("gemini-3.1-pro-preview", { reasoning: "medium" })).toMatchObject({
      thinkingConfig: { thinkingLevel: "MEDIUM" },
    });
    expect(await gemini("gemini-3-pro-preview", { reasoning: "medium" })).toMatchObject({
      thinkingConfig: { thinkingLevel: "HIGH" },
    });
    expect(await gemini("gemini-3-flash-preview", { reasoning: "off" })).toMatchObject({
      thinkingConfig: { thinkingLevel: "MINIMAL" },
    });
    expect(
      JSON.stringify(await gemini("gemini-3.5-flash", { reasoning: { budgetTokens: 1 } })),
    ).not.toContain("thinkingBudget");
  });

  it("gets the other settings under its own names", async () => {
    expect(await gemini("gemini-2.5-pro", { ...SAMPLING, maxTokens: 77 })).toMatchObject({
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 77,
    });
  });

  it("a base URL may end in /v1beta", async () => {
    const { seen, url } = await emulator({ kind: "answer" });
    await (await modelAt(`${url}/v1beta/`, { provider: "gemini", model: "gemini-2.5-pro" })).invoke("hi");
    expect(seen[0]?.url).toBe("/v1beta/models/gemini-2.5-pro:generateContent");
  });
});

describe("Groq", () => {
  const groq = (model: string, more: Partial<ModelSpec> = {}) => sent({ provider: "groq", model, ...more });

  it("the base URL reaches the request, with or without the path that its SDK adds", async () => {
    // Its option is `baseUrl`; `baseURL` is ignored, and the request would go to api.groq.com.
    for (const suffix of ["", "/", "/openai/v1", "/proxy/openai/v1"]) {
      const { seen, url } = await emulator({ kind: "answer" });
      await (
        await modelAt(`${url}${suffix}`, { provider: "groq", model: "openai/gpt-oss-20b" })
      ).invoke("hi");
      expect(seen[0]?.url).toBe(`${suffix.startsWith("/proxy") ? "/proxy" : ""}/openai/v1/chat/completions`);
    }
  });

  it("gpt-oss takes an effort and cannot stop, qwen3 is switched, llama cannot reason", async () => {
    expect(await groq("openai/gpt-oss-120b", { reasoning: "medium" })).toMatchObject({
      reasoning_effort: "medium",
    });
    expect(await groq("openai/gpt-oss-120b", { reasoning: "off" })).toMatchObject({
      reasoning_effort: "low",
    });
    expect(await groq("qwen/qwen3-32b", { reasoning: "off" })).toMatchObject({ reasoning_effort: "none" });
    expect(await groq("qwen/qwen3-32b", { reasoning: "high" })).toMatchObject({
      reasoning_effort: "default",
      reasoning_format: "parsed",
    });
    await expect(groq("llama-3.3-70b-versatile", { reasoning: "high" })).rejects.toBeInstanceOf(
      ProviderConfigError,
    );
  });

  it("a temperature is sent when it was given, and not the client's own 0.7", async () => {
    expect(await groq("openai/gpt-oss-120b")).not.toHaveProperty("temperature");
    expect(await groq("openai/gpt-oss-120b", { temperature: 0 })).toMatchObject({ temperature: 0 });
  });
});

describe("DeepSeek", () => {
  const deepseek = (model: string, more: Partial<ModelSpec> = {}) =>
    sent({ provider: "deepseek", model, ...more });

  it("thinking is switched by `thinking`, and its effort is one that the model has", async () => {
    expect(await deepseek("deepseek-v4-pro", { reasoning: "off" })).toMatchObject({
      thinking: { type: "disabled" },
    });
    expect(await deepseek("deepseek-v4-pro", { reasoning: "low" })).toMatchObject({
      thinking: { type: "enabled" },
      reasoning_effort: "high",
    });
    expect(await deepseek("deepseek-v4-flash", { reasoning: "low" })).toMatchObject({
      thinking: { type: "enabled" },
      reasoning_effort: "low",
    });
    expect(await deepseek("deepseek-v4-flash")).not.toHaveProperty("thinking");
  });

  it("a temperature is sent only when it does not think", async () => {
    expect(await deepseek("deepseek-v4-pro", { temperature: 0.5 })).not.toHaveProperty("temperature");
    expect(await deepseek("deepseek-v4-pro", { temperature: 0.5, reasoning: "off" })).toMatchObject({
      temperature: 0.5,
    });
  });
});

describe("Grok", () => {
  const grok = (model: string, more: Partial<ModelSpec> = {}) => sent({ provider: "xai", model, ...more });

  it("an effort is sent only to the models that take one", async () => {
    expect(await grok("grok-4.3", { reasoning: "off" })).toMatchObject({ reasoning_effort: "none" });
    expect(await grok("grok-4.3", { reasoning: "medium" })).toMatchObject({ reasoning_effort: "medium" });
    expect(await grok("grok-3-mini", { reasoning: "medium" })).toMatchObject({ reasoning_effort: "high" });
    // Always reasons, and answers 400 to the parameter.
    for (const model of ["grok-4", "grok-code-fast-1", "grok-4-1-fast-reasoning"]) {
      expect(await grok(model, { reasoning: "high" })).not.toHaveProperty("reasoning_effort");
    }
    await expect(grok("grok-3", { reasoning: "high" })).rejects.toMatchObject({
      code: "unsupported_reasoning",
    });
  });
});

describe("Qwen", () => {
  const qwen = (model: string, more: Partial<ModelSpec> = {}) => sent({ provider: "qwen", model, ...more });

  it("thinking is switched by enable_thinking and measured by thinking_budget", async () => {
    expect(await qwen("qwen-plus", { reasoning: "off" })).toMatchObject({ enable_thinking: false });
    expect(await qwen("qwen-plus", { reasoning: "low" })).toMatchObject({
      enable_thinking: true,
      thinking_budget: 4096,
    });
    expect(await qwen("qwen-plus")).not.toHaveProperty("enable_thinking");
  });

  it("an open-weight hybrid does not think unless asked: it would refuse a call that does not stream", async () => {
    expect(await qwen("qwen3-32b")).toMatchObject({ enable_thinking: false });
    expect(await qwen("qwen3-235b-a22b")).toMatchObject({ enable_thinking: false });
    expect(await qwen("qwen3-235b-a22b-instruct-2507")).not.toHaveProperty("enable_thinking");
  });

  it("a coder cannot reason", async () => {
    await expect(qwen("qwen3-coder-plus", { reasoning: "low" })).rejects.toMatchObject({
      code: "unsupported_reasoning",
    });
  });
});

describe("GLM", () => {
  it("thinking is switched by `thinking`", async () => {
    const glm = (more: Partial<ModelSpec>) => sent({ provider: "glm", model: "glm-4.7", ...more });
    expect(await glm({ reasoning: "off" })).toMatchObject({ thinking: { type: "disabled" } });
    expect(await glm({ reasoning: "high" })).toMatchObject({ thinking: { type: "enabled" } });
    expect(await glm({})).not.toHaveProperty("thinking");
  });
});

describe("base URLs", () => {
  it.each([
    ["qwen", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"],
    ["glm", "https://api.z.ai/api/paas/v4"],
    ["deepseek", "https://api.deepseek.com"],
    ["xai", "https://api.x.ai/v1"],
    ["openrouter", "https://openrouter.ai/api/v1"],
    ["local", "http://localhost:11434/v1"],
  ])("%s is at %s", async (provider, baseURL) => {
    const model = (await createChatModel({ provider, model: "m", apiKey: KEY })) as unknown as {
      clientConfig: { baseURL: string };
    };
    expect(model.clientConfig.baseURL).toBe(baseURL);
  });

  it("Anthropic's may end in /v1", async () => {
    const { seen, url } = await emulator({ kind: "answer" });
    await (await modelAt(`${url}/v1`, { provider: "anthropic", model: "claude-sonnet-4-6" })).invoke("hi");
    expect(seen[0]?.url).toBe("/v1/messages");
  });
});

describe("local and OpenRouter", () => {
  it("pass the wish on in the words of their API", async () => {
    expect(await sent({ provider: "local", model: "gpt-oss", reasoning: "low" })).toMatchObject({
      reasoning_effort: "low",
    });
    expect(await sent({ provider: "local", model: "qwen3", reasoning: "off" })).toMatchObject({
      reasoning_effort: "none",
    });
    const router = (reasoning: NonNullable<ModelSpec["reasoning"]>, model = "some/model") =>
      sent({ provider: "openrouter", model, reasoning });
    expect(await router({ budgetTokens: 2000 })).toMatchObject({ reasoning: { max_tokens: 2000 } });
    expect(await router("high")).toMatchObject({ reasoning: { effort: "high" } });
    expect(await router("off")).toMatchObject({ reasoning: { enabled: false } });
    await expect(router("high", "openai/gpt-4.1")).rejects.toMatchObject({ code: "unsupported_reasoning" });
  });

  it("a local model with codex in its name is asked for chat completions, which is what its server has", async () => {
    const { seen, url } = await emulator({ kind: "answer" });
    await (await modelAt(url, { provider: "local", model: "my-codex-7b" })).invoke("hi");
    expect(seen[0]?.url).toBe("/chat/completions");
  });
});
