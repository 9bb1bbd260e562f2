import { inspect } from "node:util";
import { modelIdentity } from "@fiveseam/failover";
import { describe, expect, it } from "vitest";
import { createChatModel } from "../src/index.js";
import { emulator } from "./support/emulator.js";
import { KEY, modelAt, nameOf, PROVIDERS } from "./support/providers.js";

const failure = async (work: Promise<unknown>): Promise<Error> => {
  try {
    await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not fail");
};

/** Everything that a logger could make of a value. */
const printed = (value: unknown): string =>
  [
    String(value),
    inspect(value, { depth: 12, showHidden: true }),
    inspect({ nested: [value] }, { depth: 12 }),
    JSON.stringify(value),
    JSON.stringify({ nested: value }),
    value instanceof Error ? `${value.message} ${value.stack}` : "",
    JSON.stringify(value, Object.getOwnPropertyNames(Object(value))),
  ].join("\n");

describe.each(PROVIDERS.map((provider) => [nameOf(provider), provider] as const))(
  "the key of %s",
  (_, provider) => {
    it("is in nothing that is printed or serialised of the model, before and after a call, bound or not", async () => {
      const { url } = await emulator({ kind: "answer" });
      const model = await modelAt(url, provider);
      expect(printed(model)).not.toContain(KEY);
      await model.invoke("hi");
      expect(printed(model)).not.toContain(KEY);
      expect(printed(model.withConfig({ tags: ["t"] }))).not.toContain(KEY);
      expect(inspect(model)).toContain(provider.model);
      expect(inspect(model)).toMatch(/fp_[0-9a-f]{12}/);
    });

    it("is not in an error, even when the server repeats it", async () => {
      const { url } = await emulator({
        kind: "error",
        status: 401,
        headers: { "x-echo": `Bearer ${KEY}` },
        body: { error: { message: `The key ${KEY} is not valid`, type: "auth", details: [{ given: KEY }] } },
      });
      const model = await modelAt(url, provider);
      const error = await failure(model.invoke("hi"));
      expect(error.message).toContain("[redacted]");
      expect(printed(error)).not.toContain(KEY);
      const inStream = await failure(
        (async () => {
          for await (const chunk of await model.stream("hi")) expect(chunk).toBeDefined();
        })(),
      );
      expect(printed(inStream)).not.toContain(KEY);
    });

    it("is not in the error of a connection that was refused", async () => {
      const model = await modelAt("http://127.0.0.1:9", provider);
      expect(printed(await failure(model.invoke("hi")))).not.toContain(KEY);
    });

    it("is not in what callbacks and traces are told", async () => {
      const { url } = await emulator({ kind: "answer" });
      const model = await modelAt(url, provider);
      const told: unknown[] = [];
      await model.invoke("hi", {
        callbacks: [
          {
            handleChatModelStart: (...args: unknown[]) => void told.push(args),
            handleLLMEnd: (...args: unknown[]) => void told.push(args),
          },
        ],
      });
      expect(told.length).toBeGreaterThan(1);
      expect(JSON.stringify(told)).not.toContain(KEY);
    });
  },
);

it("a password in a base URL is hidden like a key", async () => {
  const { url } = await emulator({
    kind: "error",
    status: 400,
    body: { error: { message: "no hunter2secret" } },
  });
  const model = await createChatModel({
    provider: "local",
    model: "m",
    baseURL: url.replace("http://", "http://user:hunter2secret@"),
  });
  expect(printed(model)).not.toContain("hunter2secret");
  expect(printed(await failure(model.invoke("hi")))).not.toContain("hunter2secret");
});

it("two keys have two fingerprints, and a fingerprint does not change", async () => {
  const identity = async (apiKey: string) =>
    modelIdentity(await createChatModel({ provider: "openai", apiKey }));
  expect(await identity("sk-one-11111")).toEqual(await identity("sk-one-11111"));
  expect(await identity("sk-one-11111")).not.toEqual(await identity("sk-two-22222"));
});
