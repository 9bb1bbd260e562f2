import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import { z } from "zod";
import type { ModelSpec } from "../src/index.js";
import { createChatModel } from "../src/index.js";
import { emulator } from "./support/emulator.js";
import { KEY, nameOf, PROVIDERS } from "./support/providers.js";

/** The whole program: nothing in it depends on the provider. */
const run = async (model: ModelSpec, add: (sum: { a: number; b: number }) => string): Promise<string[]> => {
  const agent = createAgent({
    model: await createChatModel(model),
    tools: [
      tool(add, { name: "add", description: "Adds.", schema: z.object({ a: z.number(), b: z.number() }) }),
    ],
  });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: "1 + 2?" }] });
  return messages.map((message) => `${message.getType()}: ${message.text}`);
};

it.each(PROVIDERS.map((provider) => [nameOf(provider), provider] as const))(
  "the same agent runs on %s: switching the provider is one setting",
  async (_, { provider, model }) => {
    const { seen, url } = await emulator(
      { kind: "answer", toolCall: { name: "add", args: { a: 1, b: 2 } } },
      { kind: "answer", text: "It is 3." },
    );
    const sums: unknown[] = [];
    const said = await run({ provider, model, apiKey: KEY, baseURL: url }, (sum) => {
      sums.push(sum);
      return "sum-is-3";
    });
    expect(said).toEqual(["human: 1 + 2?", "ai: ", "tool: sum-is-3", "ai: It is 3."]);
    expect(sums).toEqual([{ a: 1, b: 2 }]);
    expect(seen).toHaveLength(2);
    expect(JSON.stringify(seen[1]?.body).match(/sum-is-3/g)).toHaveLength(1);
  },
);
