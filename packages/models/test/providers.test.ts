import type { AIMessageChunk } from "@langchain/core/messages";
import { credentialFingerprint, modelIdentity } from "@fiveseam/failover";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createChatModel, describeModel, listProviders, splitUsage } from "../src/index.js";
import { emulator } from "./support/emulator.js";
import { KEY, modelAt, nameOf, PROVIDERS } from "./support/providers.js";

afterEach(() => vi.unstubAllEnvs());

const USAGE = { input: 100, cachedRead: 40, output: 30, reasoning: 10 };

const streamed = async (stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> => {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of stream) whole = whole ? whole.concat(chunk) : chunk;
  if (!whole) throw new Error("nothing was streamed");
  return whole;
};

describe.each(PROVIDERS.map((provider) => [nameOf(provider), provider] as const))("%s", (_, provider) => {
  it("builds a real client, which sends the model and the key to the right path", async () => {
    const { seen, url } = await emulator({ kind: "answer", text: "hello there" });
    const model = await modelAt(url, provider);
    expect((await model.invoke("hi")).text).toBe("hello there");
    expect(seen).toHaveLength(1);
    expect(seen[0]?.url).toBe(provider.path);
    expect(String(seen[0]?.headers[provider.key])).toContain(KEY);
    if (seen[0]?.protocol !== "gemini") expect(seen[0]?.body["model"]).toBe(provider.model);
  });

  it("streams the same text, and reports the tokens that the provider reported", async () => {
    const { url } = await emulator({ kind: "answer", text: "hello there", usage: USAGE });
    const model = await modelAt(url, provider);
    const whole = await streamed(await model.stream("hi"));
    expect(whole.text).toBe("hello there");
    expect(whole.usage_metadata).toMatchObject({ input_tokens: 100, total_tokens: 130 });
    expect(splitUsage(whole.usage_metadata!)).toMatchObject({ input: 60, cachedRead: 40, output: 30 });
  });

  it("reports the same tokens when it does not stream", async () => {
    const { url } = await emulator({ kind: "answer", usage: USAGE });
    const answer = await (await modelAt(url, provider)).invoke("hi");
    expect(splitUsage((answer as AIMessageChunk).usage_metadata!)).toMatchObject({
      input: 60,
      cachedRead: 40,
      output: 30,
    });
  });

  it("makes one request and no more when the provider fails", async () => {
    const { seen, url } = await emulator({
      kind: "error",
      status: 500,
      body: { error: { message: "oops" } },
    });
    const model = await modelAt(url, provider);
    await expect(model.invoke("hi")).rejects.toThrow(/oops|500/);
    expect(seen).toHaveLength(1);
  });

  it("binds tools without losing its profile and identity", async () => {
    const { seen, url } = await emulator({ kind: "answer" });
    const model = await modelAt(url, provider, { contextWindowTokens: 12_345 });
    const tool = { name: "add", description: "Adds.", schema: { type: "object", properties: {} } } as const;
    const bound = model.bindTools?.([{ type: "function", function: { ...tool, parameters: tool.schema } }]);
    await bound?.invoke("hi");
    expect(JSON.stringify(seen[0]?.body["tools"])).toContain('"add"');
    const real: object = (bound as unknown as { bound?: object }).bound ?? (bound as object);
    expect(real).toMatchObject({ profile: { maxInputTokens: 12_345 } });
    expect(modelIdentity(bound)).toEqual({
      provider: provider.provider,
      model: provider.model,
      credential: credentialFingerprint(KEY),
      endpoint: new URL(url).host,
    });
  });
});

it.each([PROVIDERS[0], PROVIDERS[1]])(
  "$provider retries inside its client when the spec says so",
  async (provider) => {
    const { seen, url } = await emulator(
      { kind: "error", status: 500, body: { error: { message: "oops" } } },
      { kind: "answer" },
    );
    const model = await modelAt(url, provider, { maxRetries: 1 });
    expect((await model.invoke("hi")).text).toBe("hello");
    expect(seen).toHaveLength(2);
  },
);

describe("the profile that deepagents' summarizer reads", () => {
  it.each([
    // 400,000 is the window; the input of gpt-5.2 ends at 272,000. The client says 400,000.
    ["openai:gpt-5.2", 272_000],
    // The client says 1,000,000, which needs a beta header that it does not send.
    ["anthropic:claude-sonnet-4-5-20250929", 200_000],
    // Clients that say nothing at all.
    ["qwen:qwen3-coder-plus", 1_000_000],
    ["glm:glm-4.7", 204_800],
    ["gemini:gemini-3.5-flash", 1_048_576],
    ["xai:grok-4.3", 1_000_000],
  ])("%s takes %d tokens", async (spec, maxInputTokens) => {
    const [provider = "", model = ""] = spec.split(":");
    const made = await createChatModel({ provider, model, apiKey: KEY });
    expect(made.profile).toMatchObject({
      maxInputTokens,
      toolCalling: true,
      maxOutputTokens: describeModel(spec).maxOutputTokens,
    });
  });

  it("is the client's own where this package does not know the model", async () => {
    const made = await createChatModel({
      provider: "groq",
      model: "moonshotai/kimi-k2-instruct-0905",
      apiKey: KEY,
    });
    expect(made.profile).toMatchObject({ maxInputTokens: 262_144 });
  });

  it("is what the spec says of a local server's window", async () => {
    const made = await createChatModel({ provider: "local", model: "qwen3", contextWindowTokens: 32_768 });
    expect(made.profile).toMatchObject({ maxInputTokens: 32_768 });
  });
});

describe("keys", () => {
  it.each(
    listProviders().flatMap(({ name, keyVariables }) =>
      keyVariables.map((variable) => [name, variable] as const),
    ),
  )("%s takes its key from %s", async (name, variable) => {
    for (const { keyVariables } of listProviders()) for (const other of keyVariables) vi.stubEnv(other, "");
    await expect(createChatModel({ provider: name, model: "m" })).rejects.toMatchObject({
      code: "missing_key",
      message: expect.stringContaining(variable),
    });
    const { seen, url } = await emulator({ kind: "answer" });
    vi.stubEnv(variable, `${KEY}-env\n`);
    const model = await createChatModel({ provider: name, model: "m", baseURL: url });
    await model.invoke("hi");
    expect(JSON.stringify(seen[0]?.headers)).toContain(`${KEY}-env`);
  });

  it("of Zhipu's mainland platform go there, and those of Z.ai to Z.ai", async () => {
    vi.stubEnv("ZAI_API_KEY", "");
    vi.stubEnv("ZHIPUAI_API_KEY", KEY);
    const mainland = (await createChatModel("glm:glm-4.7")) as unknown as {
      clientConfig: { baseURL: string };
    };
    expect(mainland.clientConfig.baseURL).toBe("https://open.bigmodel.cn/api/paas/v4");
    vi.stubEnv("ZAI_API_KEY", KEY);
    const abroad = (await createChatModel("glm:glm-4.7")) as unknown as { clientConfig: { baseURL: string } };
    expect(abroad.clientConfig.baseURL).toBe("https://api.z.ai/api/paas/v4");
  });

  it.each(["deepseek", "xai", "qwen", "glm", "local", "openrouter", "azure"])(
    "of OpenAI, its organization, project and custom headers never reach %s",
    async (provider) => {
      vi.stubEnv("OPENAI_API_KEY", "sk-real-openai");
      vi.stubEnv("OPENAI_ORG_ID", "org-real");
      vi.stubEnv("OPENAI_ORGANIZATION", "org-real");
      vi.stubEnv("OPENAI_PROJECT_ID", "proj-real");
      vi.stubEnv("OPENAI_CUSTOM_HEADERS", "X-Gateway-Token: token-real\nX-Other: other-real");
      vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:9/openai-real");
      const { seen, url } = await emulator({ kind: "answer" });
      await (
        await createChatModel({
          provider,
          model: "m",
          baseURL: url,
          ...(provider === "local" ? {} : { apiKey: KEY }),
        })
      ).invoke("hi");
      expect(JSON.stringify(seen[0]?.headers)).not.toContain("real");
    },
  );

  it("of Anthropic are sent once, also when ANTHROPIC_AUTH_TOKEN is set", async () => {
    vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "token-real");
    const { seen, url } = await emulator({ kind: "answer" });
    await (await modelAt(url, { provider: "anthropic", model: "claude-sonnet-4-6" })).invoke("hi");
    expect(seen[0]?.headers["authorization"]).toBeUndefined();
    expect(seen[0]?.headers["x-api-key"]).toBe(KEY);
  });
});
