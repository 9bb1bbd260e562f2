import { describe, expect, it } from "vitest";
import { ProviderTimeoutError } from "../src/index.js";
import { emulator } from "./support/emulator.js";
import { modelAt, nameOf, PROVIDERS } from "./support/providers.js";

const SHORT = 300;
const gone = async (entry: { aborted: boolean } | undefined): Promise<void> => {
  await expect.poll(() => entry?.aborted, { timeout: 2000 }).toBe(true);
};

describe.each(PROVIDERS.map((provider) => [nameOf(provider), provider] as const))("%s", (_, provider) => {
  it("gives up on an answer that does not come, and closes the connection", async () => {
    const { seen, url } = await emulator({ kind: "silence" });
    const model = await modelAt(url, provider, { timeoutMs: SHORT });
    await expect(model.invoke("hi")).rejects.toMatchObject({ name: "TimeoutError" });
    await gone(seen[0]);
  });

  it("gives up on a stream that stalls, and closes the connection", async () => {
    const { seen, url } = await emulator({ kind: "stall" });
    const model = await modelAt(url, provider, { timeoutMs: SHORT });
    const error: unknown = await (async () => {
      for await (const chunk of await model.stream("hi")) expect(chunk).toBeDefined();
    })().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ProviderTimeoutError);
    expect(error).toMatchObject({ code: "ETIMEDOUT", provider: provider.provider, timeoutMs: SHORT });
    await gone(seen[0]);
  });

  it("an abort ends a call that waits, and closes the connection", async () => {
    const { seen, url } = await emulator({ kind: "silence" });
    const model = await modelAt(url, provider);
    const controller = new AbortController();
    const call = model.invoke("hi", { signal: controller.signal });
    await expect.poll(() => seen.length).toBe(1);
    controller.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await gone(seen[0]);
  });

  it("leaving a stream early closes the connection", async () => {
    const { seen, url } = await emulator({ kind: "stall" });
    const model = await modelAt(url, provider);
    for await (const chunk of await model.stream("hi")) {
      if (chunk.text !== "") break;
    }
    await gone(seen[0]);
  });
});

it("a stream may take longer than the limit as long as its pieces come", async () => {
  const { url } = await emulator({ kind: "answer", text: "abcdef" });
  const model = await modelAt(url, { provider: "openai", model: "gpt-4.1" }, { timeoutMs: 200 });
  let text = "";
  for await (const chunk of await model.stream("hi")) {
    text += chunk.text;
    await new Promise((resolve) => setTimeout(resolve, 90));
  }
  expect(text).toBe("abcdef");
});
