import { adaptMessages, FallbackChatModel } from "@fiveseam/failover";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { describe, expect, it } from "vitest";
import { anthropic, openAI } from "./support/clients.js";
import { anthropicAnswer, openAIAnswer, ProviderServer } from "./support/provider-server.js";

const PNG = "iVBORw0KGgo=";
const PDF = "JVBERi0=";
const images: [string, object][] = [
  ["Anthropic's", { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }],
  ["OpenAI's", { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }],
  ["LangChain's standard", { type: "image", mimeType: "image/png", data: PNG }],
  ["LangChain's older", { type: "image", source_type: "base64", mime_type: "image/png", data: PNG }],
  ["the Responses API's", { type: "input_image", image_url: `data:image/png;base64,${PNG}` }],
];
const documents: [string, object][] = [
  ["Anthropic's", { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } }],
  [
    "OpenAI's",
    { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` } },
  ],
  ["LangChain's standard", { type: "file", mimeType: "application/pdf", data: PDF }],
];
const unreadable: [string, object][] = [
  ["a file by id", { type: "document", source: { type: "file", file_id: "file_1" } }],
  ["a block of nobody", { type: "hologram", depth: 3 }],
  ["an image of no kind", { type: "image" }],
];
const asked = (block: object): HumanMessage =>
  new HumanMessage({ content: [{ type: "text", text: "Look" }, block] as never });
const sent = (message: BaseMessage | undefined): unknown => (message?.content as unknown[] | undefined)?.[1];
const to = (provider: string, wire?: string) => ({
  to: { provider, ...(wire === undefined ? {} : { wire }) },
});

describe("an image or a document", () => {
  it.each(images)(
    "in %s spelling reaches OpenAI and Anthropic in theirs, over the wire",
    async (_name, block) => {
      await using first = await ProviderServer.start(openAIAnswer({ text: "ok" }));
      await using second = await ProviderServer.start(anthropicAnswer({ text: "ok" }));
      if ((block as { type: string }).type !== "input_image") {
        await new FallbackChatModel({ models: [openAI(first)] }).invoke([asked(block)]);
        expect(first.requests[0]?.body.messages[0]?.content).toEqual([
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
        ]);
      }
      await new FallbackChatModel({ models: [anthropic(second)] }).invoke([asked(block)]);
      expect(second.requests[0]?.body.messages[0]?.content).toEqual([
        { type: "text", text: "Look" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
      ]);
    },
  );

  it.each(documents)("in %s spelling reaches OpenAI and Anthropic in theirs (PDF)", async (_name, block) => {
    await using first = await ProviderServer.start(openAIAnswer({ text: "ok" }));
    await using second = await ProviderServer.start(anthropicAnswer({ text: "ok" }));
    await new FallbackChatModel({ models: [openAI(first)] }).invoke([asked(block)]);
    expect(first.requests[0]?.body.messages[0]?.content).toMatchObject([
      { type: "text" },
      { type: "file", file: { file_data: `data:application/pdf;base64,${PDF}` } },
    ]);
    await new FallbackChatModel({ models: [anthropic(second)] }).invoke([asked(block)]);
    expect(second.requests[0]?.body.messages[0]?.content).toMatchObject([
      { type: "text" },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } },
    ]);
  });

  it.each([...images, ...documents, ...unreadable])(
    "in %s spelling does not make Gemini's client throw",
    async (_name, block) => {
      const refused: unknown[] = [];
      const [message] = adaptMessages([asked(block)], to("gemini", "google-genai"));
      // Nobody listens: the client's own checks come before the request.
      const model = new ChatGoogleGenerativeAI({
        model: "gemini-2.5-pro",
        apiKey: "k",
        baseUrl: "http://127.0.0.1:9",
        maxRetries: 0,
      });
      await model.invoke([message as BaseMessage]).catch((error: unknown) => refused.push(String(error)));
      expect(refused.join()).toMatch(/fetch/);
    },
  );

  it.each(unreadable)("that cannot be converted (%s) becomes words", (_name, block) => {
    for (const provider of ["openai", "gemini"])
      expect(sent(adaptMessages([asked(block)], to(provider))[0])).toEqual({
        type: "text",
        text: expect.stringContaining("stood here") as string,
      });
    expect(adaptMessages([asked(block)], to("glm"))[0]?.content).toMatch(/^Look\n\n\[.* stood here/);
  });

  it("in the result of a tool becomes words for a chat API, whatever the model's profile says", async () => {
    await using server = await ProviderServer.start(openAIAnswer({ text: "ok" }));
    for (const [, block] of [...images, ...documents]) {
      server.requests.length = 0;
      await new FallbackChatModel({ models: [openAI(server)] }).invoke([
        new HumanMessage("q"),
        new AIMessage({ content: "", tool_calls: [{ id: "c1", name: "f", args: {} }] }),
        new ToolMessage({ content: [block] as never, tool_call_id: "c1" }),
      ]);
      expect(server.requests[0]?.body.messages[2]?.content).toEqual([
        { type: "text", text: expect.stringContaining("stood here") as string },
      ]);
    }
  });

  it("of text becomes text", () => {
    const block = { type: "text-plain", text: "Words", mimeType: "text/plain" };
    expect(sent(adaptMessages([asked(block)], to("openai"))[0])).toEqual({ type: "text", text: "Words" });
  });
});

describe("an answer of OpenAI's Responses API", () => {
  const answer = (): AIMessage =>
    new AIMessage({
      id: "msg_abc",
      content: [
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ENC" },
        { type: "text", text: "answer", annotations: [], id: "msg_1" },
      ],
      additional_kwargs: { reasoning: { id: "rs_1", type: "reasoning", encrypted_content: "ENC" } },
      response_metadata: { model_provider: "openai", id: "resp_1", output: [{ id: "rs_1" }] },
    } as never);
  const copies = ["glm", "qwen", "openrouter", "local"];

  it.each([...copies, "azure-openai", "deepseek"])("is another provider's for %s", (provider) => {
    const wire = provider === "azure-openai" ? "azure" : provider === "deepseek" ? "deepseek" : "openai";
    const wires = { from: { provider: "openai", wire: "openai" }, ...to(provider, wire) };
    for (const options of [wires, to(provider, wire)]) {
      const [after] = adaptMessages([answer()], options) as [AIMessage];
      expect(JSON.stringify(after.toDict())).not.toMatch(/rs_1|ENC|msg_|resp_|annotations/);
      expect(after.text).toBe("answer");
    }
  });

  it.each(copies)("is another provider's for %s also when that is the primary now", (provider) => {
    const party = { provider, wire: "openai" };
    const [after] = adaptMessages([answer()], { from: party, to: party });
    expect(JSON.stringify(after?.toDict())).not.toMatch(/rs_1|ENC/);
  });

  it("stays as it is for OpenAI, and Azure's for Azure", () => {
    const message = answer();
    const openai = { provider: "openai", wire: "openai" };
    const azure = { provider: "azure-openai", wire: "azure" };
    expect(adaptMessages([message], { from: openai, to: openai })[0]).toBe(message);
    expect(adaptMessages([message], { from: azure, to: azure })[0]).toBe(message);
  });
});

describe("a list of texts in an answer", () => {
  it.each(["glm", "groq", "deepseek"])("of its own becomes one string for %s", (provider) => {
    const answer = new AIMessage({
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      additional_kwargs: { reasoning_content: "Hm" },
    });
    const [after] = adaptMessages([answer], { from: { provider }, ...to(provider) });
    expect(after?.content).toBe("ab");
    expect(after?.additional_kwargs).toEqual({ reasoning_content: "Hm" });
  });
});
