import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { emulator } from "./support/emulator.js";
import { modelAt } from "./support/providers.js";

const DEEPSEEK = { provider: "deepseek", model: "deepseek-v4-pro" };
const add = {
  type: "function",
  function: { name: "add", description: "Adds.", parameters: { type: "object" } },
};

interface WireMessage {
  role: string;
  content: unknown;
  reasoning_content?: string;
  tool_calls?: { id: string }[];
}
const wire = (body: Record<string, unknown> | undefined): WireMessage[] =>
  body?.["messages"] as WireMessage[];

// "400 The `reasoning_content` in the thinking mode must be passed back to the API." (langchainjs issue 10883)
describe("DeepSeek's reasoning in the history", () => {
  it.each([
    [
      "invoked",
      async (model: Awaited<ReturnType<typeof modelAt>>, messages: BaseMessage[]) => model.invoke(messages),
    ],
    [
      "streamed",
      async (model: Awaited<ReturnType<typeof modelAt>>, messages: BaseMessage[]) => {
        let whole;
        for await (const chunk of await model.stream(messages)) whole = whole ? whole.concat(chunk) : chunk;
        return whole!;
      },
    ],
  ])("goes back with the answer that it belongs to, %s", async (_, call) => {
    const { seen, url } = await emulator(
      { kind: "answer", reasoning: "I should add.", toolCall: { name: "add", args: { a: 1 } } },
      { kind: "answer", text: "3" },
    );
    const model = await modelAt(url, DEEPSEEK);
    const tools = model.bindTools!([add]) as unknown as typeof model;
    const question = new HumanMessage("1 + 2?");
    const asked = await call(tools, [question]);
    expect(asked.tool_calls).toHaveLength(1);
    const id = asked.tool_calls?.[0]?.id ?? "";
    await call(tools, [question, asked, new ToolMessage({ content: "3", tool_call_id: id })]);
    const assistant = wire(seen[1]?.body).find(({ role }) => role === "assistant");
    expect(assistant).toMatchObject({ reasoning_content: "I should add.", tool_calls: [{ id }] });
  });

  it("is a space for an answer of another model, which is what DeepSeek accepts", async () => {
    const { seen, url } = await emulator({ kind: "answer" });
    const model = await modelAt(url, DEEPSEEK);
    const history = [new HumanMessage("a"), new AIMessage("b"), new HumanMessage("c")];
    await model.invoke(history);
    expect(wire(seen[0]?.body)[1]).toMatchObject({ role: "assistant", content: "b", reasoning_content: " " });
    expect(history[1]?.additional_kwargs).toEqual({});
  });

  it("is left out when the model does not think", async () => {
    const { seen, url } = await emulator({ kind: "answer" });
    const model = await modelAt(url, DEEPSEEK, { reasoning: "off" });
    await model.invoke([new HumanMessage("a"), new AIMessage("b"), new HumanMessage("c")]);
    expect(wire(seen[0]?.body)[1]).not.toHaveProperty("reasoning_content");
  });
});
