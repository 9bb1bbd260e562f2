import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createChatModel,
  listProviders,
  ProviderConfigError,
  registerProvider,
  ScriptedChatModel,
} from "../src/index.js";
import { emulator } from "./support/emulator.js";

afterEach(() => vi.unstubAllEnvs());

it("a key pasted as a model's name is not repeated", async () => {
  const pasted = "sk-ant-REDACTED";
  const error = await createChatModel(pasted).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "unknown_provider" });
  expect(JSON.stringify(error) + String(error)).not.toContain("0123456789");
});

describe("createChatModel", () => {
  it("local works with any OpenAI-compatible URL, without a key, and sends no credential of OpenAI's there", async () => {
    const { seen, url } = await emulator({ kind: "answer", text: "hello from here" });
    vi.stubEnv("OPENAI_API_KEY", "sk-real-key");
    vi.stubEnv("OPENAI_ORG_ID", "org-real");
    vi.stubEnv("OPENAI_ORGANIZATION", "org-real");
    vi.stubEnv("OPENAI_PROJECT_ID", "proj-real");
    vi.stubEnv("FIVESEAM_LOCAL_URL", `${url}/v1`);
    const model = await createChatModel("local:qwen3:8b");
    expect((await model.invoke("hi")).text).toBe("hello from here");
    expect(seen[0]?.body["model"]).toBe("qwen3:8b");
    expect(JSON.stringify(seen[0]?.headers)).not.toMatch(/real/);
  });

  it("openai's default model is gpt-4.1", async () => {
    vi.stubEnv("OPENAI_API_KEY", "sk-x");
    expect(await createChatModel("openai")).toMatchObject({ model: "gpt-4.1" });
  });

  it("a chat model comes back as it is", async () => {
    const model = new ScriptedChatModel({ script: [] });
    expect(await createChatModel(model)).toBe(model);
  });

  it("scripted needs no key and says that it is a stand-in", async () => {
    const model = await createChatModel("scripted");
    const { text } = await model.invoke("Hello there");
    expect(text).toContain("not a language model");
    expect(text).toContain("Hello there");
  });

  it.each([
    ["", "invalid_spec", /"provider:model"/],
    [":x", "invalid_spec", /"provider:model"/],
    ["oracle:delphi", "unknown_provider", /no provider "oracle".*anthropic/],
    ["local", "missing_model", /name one, for instance "local:MODEL"/],
    ["openai:gpt-4.1", "missing_key", /OPENAI_API_KEY/],
    ["anthropic", "missing_key", /ANTHROPIC_API_KEY/],
    [{ model: "x" } as never, "invalid_spec", /provider, model/],
    [null as never, "invalid_spec", /provider, model/],
  ])("%j is a ProviderConfigError before any request", async (spec, code, message) => {
    vi.stubEnv("OPENAI_API_KEY", "");
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    const error: unknown = await createChatModel(spec).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ProviderConfigError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it.each([
    ["baseURL", "localhost:1234"],
    ["baseURL", "file:///etc/passwd"],
    ["temperature", Number.NaN],
    ["temperature", "0"],
    ["topP", 1.5],
    ["maxTokens", 0],
    ["maxTokens", 1.5],
    ["timeoutMs", -1],
    ["maxRetries", -1],
    ["contextWindowTokens", 0],
    ["reasoning", "hard"],
    ["reasoning", { budgetTokens: 0 }],
    ["reasoning", null],
    ["api", "completions"],
    ["apiKey", 42],
  ])("`%s` may not be %j, and the message names the field and not the value", async (field, value) => {
    const error: unknown = await createChatModel({
      provider: "openai",
      apiKey: "sk-valid-key",
      [field]: value,
    } as never).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "invalid_spec", message: expect.stringContaining(`\`${field}\``) });
    if (typeof value === "string" && value.length > 4) expect((error as Error).message).not.toContain(value);
  });

  it("a key with characters that no header can hold is refused, and not repeated", async () => {
    const error: unknown = await createChatModel({ provider: "openai", apiKey: "sk-geh€im\nx" }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({ code: "invalid_key" });
    expect(String(error)).not.toContain("geh");
  });

  it("azure without an address says what to set", async () => {
    vi.stubEnv("AZURE_OPENAI_ENDPOINT", "");
    await expect(createChatModel({ provider: "azure", model: "d", apiKey: "k" })).rejects.toMatchObject({
      code: "missing_endpoint",
      message: expect.stringContaining("AZURE_OPENAI_ENDPOINT"),
    });
  });

  it("a provider whose package is not installed says what to install", async () => {
    registerProvider({
      name: "absent",
      title: "Absent",
      defaultModel: "m",
      package: "@langchain/not-installed",
      create: async () => (await import("@langchain/not-installed" as string)) as never,
    });
    await expect(createChatModel("absent")).rejects.toMatchObject({
      code: "missing_package",
      message: expect.stringContaining("npm install @langchain/not-installed"),
    });
  });
});

describe("registerProvider", () => {
  it("adds a provider that gets a checked spec", async () => {
    registerProvider({
      name: "parrot",
      title: "Parrot",
      keyVariables: ["PARROT_KEY"],
      create: ({ model, apiKey }) => new ScriptedChatModel({ policy: () => `${model} ${apiKey}` }),
    });
    vi.stubEnv("PARROT_KEY", "cracker");
    expect((await (await createChatModel("parrot:grey")).invoke("x")).text).toBe("grey cracker");
    expect(listProviders().find(({ name }) => name === "parrot")).toMatchObject({
      keyVariables: ["PARROT_KEY"],
    });
  });

  it("does not make a model stream that cannot", async () => {
    class Whole extends BaseChatModel {
      override _llmType(): string {
        return "whole";
      }
      override async _generate(): Promise<ChatResult> {
        return { generations: [{ text: "all", message: new AIMessage("all") }] };
      }
    }
    registerProvider({ name: "whole", title: "Whole", defaultModel: "m", create: () => new Whole({}) });
    let text = "";
    for await (const chunk of await (await createChatModel("whole")).stream("hi")) text += chunk.text;
    expect(text).toBe("all");
  });

  it("refuses a name that is taken or malformed", () => {
    const create = () => new ScriptedChatModel({ script: [] });
    expect(() => registerProvider({ name: "openai", title: "", create })).toThrow(
      expect.objectContaining({ code: "provider_exists" }),
    );
    expect(() => registerProvider({ name: "My Provider", title: "", create })).toThrow(
      expect.objectContaining({ code: "invalid_spec" }),
    );
  });
});
