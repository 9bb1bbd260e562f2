import { modelIdentity } from "@fiveseam/failover";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createChatModel,
  defaultTier,
  listProviders,
  registerProvider,
  resolveRoleModel,
  ScriptedChatModel,
} from "../src/index.js";
import { emulator } from "./support/emulator.js";
import { KEY } from "./support/providers.js";

afterEach(() => vi.unstubAllEnvs());

const of = modelIdentity;

describe("tiers", () => {
  it("anthropic and openai give their power model, the others their fast one", () => {
    for (const { name } of listProviders()) {
      expect(defaultTier(name)).toBe(name === "anthropic" || name === "openai" ? "power" : "fast");
    }
  });

  it.each([
    ["anthropic", undefined, "claude-opus-5"],
    ["openai", undefined, "gpt-5.5"],
    ["openai", "fast", "gpt-4.1-mini"],
    ["gemini", undefined, "gemini-3.1-flash-lite"],
    ["groq", undefined, "openai/gpt-oss-20b"],
    ["deepseek", "fast", "deepseek-v4-flash"],
    ["qwen", "power", "qwen3-max"],
    ["glm", undefined, "glm-4.7-flashx"],
    ["xai", "power", "grok-4.7"],
  ] as const)(
    "a role under %s that asks for %s gets %s, and the parent's to fall back to",
    async (provider, tier, modelId) => {
      const parent = await createChatModel({ provider, apiKey: KEY });
      const found = await resolveRoleModel({ role: "reviewer", parent, ...(tier ? { tier } : {}) });
      expect(found).toMatchObject({
        role: "reviewer",
        source: "tier",
        fallbacks: [parent],
        problem: undefined,
      });
      expect(of(found.model)).toMatchObject({ provider, model: modelId });
    },
  );

  it("a tier's model is reached as the parent is: same key, same address, same limits", async () => {
    const { seen, url } = await emulator({ kind: "answer" });
    const parent = await createChatModel({ provider: "openai", apiKey: KEY, baseURL: url, timeoutMs: 1234 });
    const { model } = await resolveRoleModel({ role: "r", parent, tier: "fast" });
    await model.invoke("hi");
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(seen[0]?.body["model"]).toBe("gpt-4.1-mini");
    expect(model).toMatchObject({ timeout: 1234 });
  });

  it("also under a parent that was configured further", async () => {
    const parent = (await createChatModel({ provider: "openai", apiKey: KEY })).withConfig({ tags: ["t"] });
    const { model } = await resolveRoleModel({ role: "r", parent: parent as never, tier: "fast" });
    expect(of(model)).toMatchObject({ model: "gpt-4.1-mini" });
  });

  it("the parent's model stays where it is the tier's already, or its provider has no tiers, or it is a stranger", async () => {
    const stranger = new ScriptedChatModel({ script: [] });
    for (const parent of [
      await createChatModel({ provider: "openai", model: "gpt-4.1-mini", apiKey: KEY }),
      await createChatModel("local:qwen3"),
      stranger,
    ]) {
      expect(await resolveRoleModel({ role: "r", parent, tier: "fast" })).toEqual({
        role: "r",
        model: parent,
        fallbacks: [],
        source: "parent",
        tier: "fast",
        problem: undefined,
      });
    }
  });

  it("configured tiers win over the provider's, and an override over both", async () => {
    const parent = await createChatModel({ provider: "anthropic", apiKey: KEY });
    const tiers = { power: "local:big", fast: "local:small" };
    const byTier = await resolveRoleModel({ role: "r", parent, tiers, tier: "fast" });
    expect(of(byTier.model)).toMatchObject({ provider: "local", model: "small" });
    const own = new ScriptedChatModel({ script: [] });
    const overridden = await resolveRoleModel({ role: "r", parent, tiers, override: own });
    expect(overridden).toMatchObject({ source: "override", fallbacks: [parent], tier: "power" });
    expect(overridden.model).toBe(own);
  });

  it.each([
    ["groq:openai/gpt-oss-20b", "missing_key"],
    [{ provider: "azure", model: "m", apiKey: KEY }, "missing_endpoint"],
    ["not-there:m", "missing_package"],
  ])(
    "%j cannot be set up here: the role runs on the parent's model, and the problem is told",
    async (override, code) => {
      vi.stubEnv("GROQ_API_KEY", "");
      vi.stubEnv("AZURE_OPENAI_ENDPOINT", "");
      if (code === "missing_package") {
        registerProvider({
          name: "not-there",
          title: "Not there",
          package: "@langchain/not-there",
          create: async () => (await import("@langchain/not-there" as string)) as never,
        });
      }
      const parent = await createChatModel("scripted");
      const found = await resolveRoleModel({ role: "r", parent, override });
      expect(found.model).toBe(parent);
      expect(found).toMatchObject({ source: "parent", fallbacks: [], problem: { code } });
    },
  );

  it.each([
    ["nobody:m", "unknown_provider"],
    [{ provider: "openai", apiKey: KEY, temperature: 9 }, "invalid_spec"],
  ])("%j is a mistake and is thrown", async (override, code) => {
    const parent = await createChatModel("scripted");
    await expect(resolveRoleModel({ role: "r", parent, override })).rejects.toMatchObject({ code });
  });
});
