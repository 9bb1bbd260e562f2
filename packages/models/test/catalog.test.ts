import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  describeModel,
  listProviders,
  priceUsage,
  ProviderConfigError,
  registerProvider,
  ScriptedChatModel,
  splitUsage,
  type ModelPrice,
} from "../src/index.js";
import { catalogOf } from "../src/catalog/index.js";

afterEach(() => vi.unstubAllEnvs());

const inputPrice = (spec: string): number | undefined => describeModel(spec).price?.inputPerMTok;

describe("describeModel", () => {
  it("needs no key and no client, and says what is known", () => {
    for (const { keyVariables } of listProviders())
      for (const variable of keyVariables) vi.stubEnv(variable, "");
    expect(describeModel("anthropic:claude-sonnet-4-6")).toEqual({
      provider: "anthropic",
      model: "claude-sonnet-4-6",
      known: true,
      contextWindowTokens: 1_000_000,
      maxInputTokens: 1_000_000,
      maxOutputTokens: 64_000,
      reasoning: { kind: "effort", efforts: ["low", "medium", "high", "max"], canDisable: true },
      sampling: "without_reasoning",
      promptCaching: { kind: "explicit", maxBreakpoints: 4 },
      toolCalling: true,
      imageInput: true,
      metered: true,
      price: {
        inputPerMTok: 3,
        cachedReadPerMTok: 0.3,
        cacheWritePerMTok: 3.75,
        outputPerMTok: 15,
        currency: "USD",
        asOf: "2026-06",
        source: "https://platform.claude.com/docs/en/about-claude/pricing",
      },
    });
  });

  it("takes a provider and a model apart, and the provider's default", () => {
    expect(describeModel({ provider: "openai", model: "gpt-4.1-mini" })).toEqual(
      describeModel("openai:gpt-4.1-mini"),
    );
    expect(describeModel("openai").model).toBe("gpt-4.1");
  });

  it.each([
    // Prices by prefix in table order once billed these as their cousins.
    ["openai:gpt-4o-mini", 0.15],
    ["openai:gpt-4o", 2.5],
    ["openai:gpt-4.1", 2],
    ["openai:gpt-4", 30],
    ["openai:gpt-4.1-nano", 0.1],
    ["openai:gpt-5-mini-2025-08-07", 0.25],
    ["openai:gpt-4o-2024-05-13", 5],
    ["openai:gpt-4o-2024-11-20", 2.5],
    ["openai:gpt-4-1106-preview", 10],
    ["openai:o3-mini-2025-01-31", 1.1],
    ["anthropic:claude-sonnet-4-5-20250929", 3],
    ["anthropic:claude-3-5-haiku-latest", 0.8],
    ["anthropic:claude-opus-4-1-20250805", 15],
    ["anthropic:claude-opus-4-20250514", 15],
    ["anthropic:claude-opus-4-8", 5],
    ["anthropic:claude-sonnet-4-6@20260217", 3],
    ["gemini:gemini-2.5-flash-lite", 0.1],
    ["gemini:gemini-2.0-flash-001", 0.1],
    ["deepseek:deepseek-v4-pro-0813", 1.32],
  ])("%s costs %d dollars a million input tokens", (spec, price) => {
    expect(inputPrice(spec)).toBe(price);
  });

  it.each([
    "openai:gpt-4o-audio-preview",
    "openai:gpt-4.5",
    "openai:gpt-4-32k",
    "openai:gpt-4omni",
    "openai:gpt-5.9",
    "anthropic:claude-opus-4-9",
    "anthropic:claude-opus-9",
    "gemini:gemini-2.5-flash-image",
    "gemini:gemini-2.5-flash-preview-04-17",
    "groq:llama-9",
    "openai:__proto__",
  ])("%s is in no table: its price is unknown, not its cousin's", (spec) => {
    expect(describeModel(spec)).toMatchObject({ known: false, price: null, contextWindowTokens: null });
  });

  it("knows how a model newer than the tables is told to think, from its name", () => {
    expect(describeModel("anthropic:claude-opus-4-9").reasoning).toMatchObject({ kind: "effort" });
    expect(describeModel("anthropic:claude-2.1").reasoning).toEqual({ kind: "none" });
    expect(describeModel("openai:o9-mini")).toMatchObject({
      reasoning: { kind: "effort" },
      sampling: "refused",
    });
    expect(describeModel("openai:mystery").reasoning).toEqual({ kind: "unknown" });
    expect(describeModel("glm:glm-6").reasoning).toEqual({ kind: "toggle" });
  });

  it("local and scripted models cost nothing, which is not a price of nothing", () => {
    for (const spec of ["local:qwen3", "scripted"])
      expect(describeModel(spec)).toMatchObject({ metered: false, price: null });
  });

  it("a model behind OpenRouter has the vendor's abilities and a price that is not known", () => {
    const { price, ...abilities } = describeModel("openrouter:anthropic/claude-sonnet-4.6:beta");
    const { price: _, ...own } = describeModel("anthropic:claude-sonnet-4-6");
    expect(price).toBeNull();
    expect(abilities).toEqual({ ...own, provider: "openrouter", model: "anthropic/claude-sonnet-4.6:beta" });
    expect(describeModel("openrouter:nobody/nothing")).toMatchObject({ known: false, metered: true });
  });

  it("a provider that nobody registered is unknown as a whole, for models from elsewhere", () => {
    expect(describeModel({ provider: "bedrock", model: "claude-sonnet-4-6" })).toMatchObject({
      provider: "bedrock",
      known: false,
      metered: true,
      price: null,
    });
  });

  it("takes the caller's word for the window, and a registered provider's for its models", () => {
    expect(describeModel({ provider: "local", model: "m", contextWindowTokens: 8192 })).toMatchObject({
      contextWindowTokens: 8192,
      maxInputTokens: 8192,
    });
    registerProvider({
      name: "described",
      title: "Described",
      describe: (model) => ({ known: model === "a", maxOutputTokens: 5 }),
      create: () => new ScriptedChatModel({ script: [] }),
    });
    expect(describeModel("described:a")).toMatchObject({ known: true, maxOutputTokens: 5, price: null });
  });

  it.each([
    ["nobody", "unknown_provider"],
    ["local", "missing_model"],
    ["", "invalid_spec"],
    [undefined as never, "invalid_spec"],
  ])("%j is a ProviderConfigError", (spec, code) => {
    expect(() => describeModel(spec)).toThrow(expect.objectContaining({ name: "ProviderConfigError", code }));
    expect(() => describeModel(spec)).toThrow(ProviderConfigError);
  });
});

describe("the tables", () => {
  const rows = listProviders().flatMap(({ name }) =>
    (catalogOf(name)?.rows ?? []).map((row) => ({ name, row })),
  );

  it("hold each id once, and every id finds its own row", () => {
    const ids = rows.flatMap(({ name, row }) => row.ids.map((id) => `${name}:${id}`));
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, row } of rows) {
      for (const id of row.ids) expect(describeModel(`${name}:${id}`).price).toBe(row.price);
    }
  });

  it("hold prices that are possible, dated and sourced", () => {
    const priced = rows.flatMap(({ row }) => (row.price ? [row.price] : []));
    expect(priced.length).toBeGreaterThan(50);
    for (const price of priced) {
      expect(price.asOf).toMatch(/^20\d\d-(0[1-9]|1[0-2])(-\d\d)?$/);
      expect(price.source).toMatch(/^https:\/\//);
      let above = 0;
      for (const rates of [price, ...(price.longContext ?? [])]) {
        expect(rates.inputPerMTok).toBeGreaterThan(0);
        expect(rates.outputPerMTok).toBeGreaterThan(rates.inputPerMTok);
        expect(rates.cachedReadPerMTok).toBeLessThanOrEqual(rates.inputPerMTok);
        expect(rates.cacheWritePerMTok).toBeGreaterThanOrEqual(rates.inputPerMTok);
        if (!("aboveInputTokens" in rates)) continue;
        expect(rates.aboveInputTokens).toBeGreaterThan(above);
        above = rates.aboveInputTokens;
      }
    }
  });

  it("know every default and every tier's model", () => {
    for (const { name, defaultModel, tiers } of listProviders()) {
      for (const model of [defaultModel, tiers.power, tiers.fast]) {
        if (model !== undefined)
          expect([`${name}:${model}`, describeModel(`${name}:${model}`).known]).toEqual([
            `${name}:${model}`,
            true,
          ]);
      }
    }
  });
});

describe("priceUsage", () => {
  const sonnet = describeModel("anthropic:claude-sonnet-4-6").price as ModelPrice;

  it("prices each class of tokens at its own rate", () => {
    const cost = priceUsage(sonnet, {
      input_tokens: 1_000_000,
      output_tokens: 200_000,
      total_tokens: 1_200_000,
      input_token_details: { cache_read: 600_000, cache_creation: 300_000 },
      output_token_details: { reasoning: 50_000 },
    });
    expect(cost.input).toBeCloseTo(0.3, 12);
    expect(cost.cachedRead).toBeCloseTo(0.18, 12);
    expect(cost.cacheWrite).toBeCloseTo(1.125, 12);
    expect(cost.output).toBeCloseTo(3, 12);
    expect(cost.reasoning).toBeCloseTo(0.75, 12);
    expect(cost.total).toBeCloseTo(4.605, 12);
    expect(cost.currency).toBe("USD");
  });

  it("an unknown price is unknown, not nothing", () => {
    expect(priceUsage(null, { input_tokens: 1, output_tokens: 1, total_tokens: 2 })).toBeNull();
  });

  it.each([
    ["gemini:gemini-2.5-pro", 200_000, 0.25],
    ["gemini:gemini-2.5-pro", 200_001, 0.5000025],
    ["openai:gpt-5.5", 272_000, 1.36],
    ["openai:gpt-5.5", 272_001, 2.72001],
    ["qwen:qwen3-coder-plus", 32_001, 0.0576018],
    ["qwen:qwen3-coder-plus", 300_000, 1.8],
  ])(
    "%s with %d input tokens costs %d dollars: a long prompt is dearer as a whole",
    (spec, input, dollars) => {
      const cost = priceUsage(describeModel(spec).price, {
        input_tokens: input,
        output_tokens: 0,
        total_tokens: input,
      });
      expect(cost?.total).toBeCloseTo(dollars, 9);
    },
  );

  it("reasoning that a client leaves out of the output is in the total, and is billed", () => {
    // As @langchain/google-genai 2.3.2 reports 10 visible and 90 thinking tokens.
    const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 200 };
    expect(splitUsage(usage)).toEqual({
      input: 100,
      cachedRead: 0,
      cacheWrite: 0,
      output: 100,
      reasoning: 90,
    });
  });

  it("classes never overlap, never go below nothing, and add up, whatever a provider reports", () => {
    const tokens = fc.oneof(fc.nat(2_000_000), fc.constantFrom(-1, Number.NaN, Number.POSITIVE_INFINITY));
    fc.assert(
      fc.property(
        tokens,
        tokens,
        tokens,
        tokens,
        tokens,
        tokens,
        (input, output, total, read, write, reasoning) => {
          const usage = {
            input_tokens: input,
            output_tokens: output,
            total_tokens: total,
            input_token_details: { cache_read: read, cache_creation: write },
            output_token_details: { reasoning },
          };
          const split = splitUsage(usage);
          const clean = Number.isFinite(input) ? Math.max(0, input) : 0;
          expect(split.input + split.cachedRead + split.cacheWrite).toBe(clean);
          for (const part of Object.values(split)) expect(part).toBeGreaterThanOrEqual(0);
          expect(split.reasoning).toBeLessThanOrEqual(split.output);
          const cost = priceUsage(sonnet, usage);
          expect(cost.total).toBeCloseTo(cost.input + cost.cachedRead + cost.cacheWrite + cost.output, 9);
        },
      ),
    );
  });
});
