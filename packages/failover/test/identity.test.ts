import { credentialFingerprint, identifyModel, modelIdentity } from "@fiveseam/failover";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";

const openAI = () => new ChatOpenAI({ model: "gpt-4.1", apiKey: "sk-secret-1" });
const weather = {
  type: "function" as const,
  function: { name: "w", parameters: { type: "object", properties: {} } },
};

describe("identity", () => {
  it("is read from the model where nobody said it", () => {
    expect(modelIdentity(openAI())).toEqual({
      provider: "openai",
      model: "gpt-4.1",
      credential: credentialFingerprint("sk-secret-1"),
    });
    expect(modelIdentity(new ChatAnthropic({ model: "claude-sonnet-4-6", apiKey: "k" }))).toMatchObject({
      provider: "anthropic",
      model: "claude-sonnet-4-6",
    });
  });

  it("tells endpoints of one client apart", () => {
    const local = new ChatOpenAI({
      model: "q",
      apiKey: "k",
      configuration: { baseURL: "http://localhost:11434/v1" },
    });
    expect(modelIdentity(local).endpoint).toBe("localhost:11434/v1");
    expect(modelIdentity(openAI()).endpoint).toBeUndefined();
  });

  it("that was said survives bindTools, withConfig and their copies", () => {
    const said = { provider: "glm", model: "glm-4.6", credential: "sk-glm" };
    const expected = { ...said, credential: credentialFingerprint("sk-glm") };
    for (const model of [
      identifyModel(openAI(), said),
      identifyModel(new ChatAnthropic({ model: "c", apiKey: "k" }), said),
    ]) {
      expect(modelIdentity(model)).toEqual(expected);
      expect(modelIdentity(model.bindTools([weather]))).toEqual(expected);
      expect(modelIdentity(model.withConfig({ tags: ["x"] }))).toEqual(expected);
      expect(modelIdentity(model.bindTools([weather]).withConfig({ tags: ["x"] }))).toEqual(expected);
    }
  });

  it("does not leak from one model to another made of the same fields", () => {
    const fields = { model: "gpt-4.1", apiKey: "k" };
    const first = identifyModel(new ChatOpenAI(fields), { provider: "a", model: "a" });
    expect(modelIdentity(first).provider).toBe("a");
    expect(modelIdentity(new ChatOpenAI(fields)).provider).toBe("openai");
  });

  it("never shows a key, and does not appear among the model's own keys", () => {
    const model = identifyModel({ name: "m" }, { provider: "p", model: "m", credential: "sk-secret-1" });
    expect(Object.keys(model)).toEqual(["name"]);
    expect(
      JSON.stringify(modelIdentity(model)) + inspect(modelIdentity(model)) + inspect(model),
    ).not.toContain("secret");
  });

  it("of anything is something", () => {
    for (const value of [
      undefined,
      null,
      3,
      {},
      Object.defineProperty({}, "model", {
        get: () => {
          throw new Error("no");
        },
      }),
    ])
      expect(modelIdentity(value)).toMatchObject({
        provider: "unknown",
        model: expect.stringMatching(/^unknown/) as string,
      });
  });

  it("of a credential is the same each time and is not made twice", () => {
    expect(credentialFingerprint("a")).toBe(credentialFingerprint("a"));
    expect(credentialFingerprint("a")).not.toBe(credentialFingerprint("b"));
    expect(credentialFingerprint(credentialFingerprint("a"))).toBe(credentialFingerprint("a"));
  });
});
