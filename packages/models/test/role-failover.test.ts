import { failoverMiddleware } from "@fiveseam/failover";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import { createChatModel, resolveRoleModel } from "../src/index.js";
import { emulator } from "./support/emulator.js";
import { errorBody } from "./support/failures.js";
import { KEY } from "./support/providers.js";

it.each([401, 402, 429, 500])(
  "a role whose own model answers %d goes on with its parent's model, and the run completes",
  async (status) => {
    const own = await emulator({ kind: "error", status, body: errorBody("groq", status) });
    const parents = await emulator({ kind: "answer", text: "done by the parent" });
    const parent = await createChatModel({ provider: "anthropic", apiKey: KEY, baseURL: parents.url });
    const { model, fallbacks } = await resolveRoleModel({
      role: "reviewer",
      parent,
      override: { provider: "groq", apiKey: KEY, baseURL: own.url },
    });
    const reviewer = createAgent({ model, middleware: [failoverMiddleware({ models: fallbacks })] });
    const { messages } = await reviewer.invoke({ messages: [{ role: "user", content: "Review." }] });
    expect(messages.map(({ text }) => text)).toEqual(["Review.", "done by the parent"]);
    expect([own.seen.length, parents.seen.length]).toEqual([1, 1]);
  },
);
