import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { Document } from "@langchain/core/documents";
import { Command, Send } from "@langchain/langgraph";
import { DeltaSnapshot, JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContentStore } from "../src/content-store.js";
import { Encoder } from "../src/encoder.js";
import { Expander, resolveRope } from "../src/rope.js";

const serde = new JsonPlusSerializer();
const theirs = async (value: unknown): Promise<string> =>
  Buffer.from((await serde.dumpsTyped(value))[1]).toString("utf8");

/** Through parts and back: the text has to be the one of LangGraph's serializer, to the letter. */
const ours = (
  value: unknown,
  encoder = new Encoder(),
  store = new ContentStore(),
  step?: string,
): { text: string; stored: string } => {
  const { type, rope } = encoder.begin(step).encode(value);
  const stored = resolveRope(rope, store);
  const back = new Expander(store).value({ type, text: stored });
  return { text: typeof back === "string" ? back : Buffer.from(back).toString("utf8"), stored };
};

const ring = (): unknown => {
  const value: Record<string, unknown> = { a: [1, { b: 2 }] };
  value["self"] = value;
  return { long: "x".repeat(2_000), value };
};

const message = (index: number, chars = 100): AIMessage =>
  new AIMessage({
    id: `m${index}`,
    content: `${index} `.repeat(chars),
    tool_calls: [{ name: "read", args: { path: `/f/${index}` }, id: `c${index}`, type: "tool_call" }],
    usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
  });

const values: Record<string, unknown> = {
  null: null,
  undefined,
  "nested undefined": { a: undefined, b: [undefined, , 1], c: { d: undefined } },
  numbers: [0, -0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e21, 2 ** 53],
  strings: [
    "",
    "\0\u0001\u0002a1",
    "\u0001a",
    '"\\/\b',
    "\ud800",
    "🙂",
    "x".repeat(5_000),
    "\u0002".repeat(600),
  ],
  "boxed values": [Object("text"), Object(1), Object(false)],
  dates: { now: new Date(0), list: Array.from({ length: 50 }, (_, day) => new Date(day * 86_400_000)) },
  functions: { f: () => 1, list: [() => 1, Symbol("s")], kept: 1 },
  "map and set": {
    map: new Map<unknown, unknown>([
      ["k", { deep: new Set([1, "two", new Map()]) }],
      [{ obj: 1 }, 2],
    ]),
  },
  "regular expression": /a"b/giu,
  errors: [new Error("plain"), new TypeError("typed")],
  bytes: {
    small: new Uint8Array([0, 1, 255]),
    none: new Uint8Array(0),
    large: new Uint8Array(10_000).fill(7),
  },
  buffer: { node: Buffer.from("hello") },
  sends: [new Send("tools", { messages: [message(1)], n: 1 }), new Send("x", undefined)],
  command: new Command({ update: { a: 1 }, goto: [new Send("tools", { b: 2 })], resume: "r" }),
  delta: new DeltaSnapshot({ messages: [message(1)] }),
  document: new Document({ pageContent: "p".repeat(1_000), metadata: { a: 1 } }),
  messages: [
    new SystemMessage("s"),
    new HumanMessage({
      content: [
        { type: "text", text: "t".repeat(900) },
        { type: "image_url", image_url: "u" },
      ],
    }),
    message(2),
    new ToolMessage({
      content: "x".repeat(3_000),
      tool_call_id: "c2",
      status: "error",
      artifact: { a: new Date(0) },
    }),
    new AIMessageChunk({ content: "chunk", additional_kwargs: { lc: { lc: 1 }, undef: undefined } }),
  ],
  "user objects that look serialized": {
    a: { lc: 1, type: "constructor", id: ["x"], kwargs: {} },
    b: { lc: 2, type: "constructor", id: ["Set"], args: [[1]], kwargs: {} },
    c: { lg_name: "Send", node: "n", args: { a: 1 } },
  },
  "long lists": {
    mixed: Array.from(
      { length: 700 },
      (_, index) => [index, `s${index}`, { index }, null, "y".repeat(index)][index % 5],
    ),
    numbers: Array.from({ length: 5_000 }, (_, index) => index * 1.5),
    nested: Array.from({ length: 300 }, (_, index) => Array.from({ length: index % 40 }, () => index)),
    holes: Object.assign([], { 40: 1 }),
  },
  "wide object": Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`key ${index}`, index % 3 ? index : undefined]),
  ),
  "wide object with functions": Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`k${index}`, index % 3 ? () => 1 : { index }]),
  ),
  "own __proto__": JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}'),
  "integer-like keys": { 10: "a", 9: "b", z: "c" },
  "toJSON of its own": { custom: { toJSON: (key: string) => ({ key, big: "z".repeat(700) }) } },
  "a circle": ring(),
  "a BigInt": { big: 1n },
  "a toJSON that throws": {
    toJSON: () => {
      throw new Error("no");
    },
  },
  "very deep": Array.from({ length: 900 }).reduce((inner) => ({ inner }), 1),
  "a function": () => 1,
};

describe("a value that went through parts", () => {
  it.each(Object.entries(values))("is the text of LangGraph's serializer: %s", async (_name, value) => {
    const expected = await theirs(value);
    expect(ours(value).text).toBe(expected);
    // In a list, in an object, and twice in one encoder, where caches answer.
    const encoder = new Encoder();
    const store = new ContentStore();
    for (const holder of [{ value }, [value, value], { value }]) {
      const text = await theirs(holder);
      expect(ours(holder, encoder, store).text).toBe(text);
    }
  });

  it("is the same for whatever fast-check thinks of", async () => {
    const encoder = new Encoder();
    const store = new ContentStore();
    const anything = fc.anything({
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      maxDepth: 4,
    });
    const long = fc.array(fc.oneof(anything, fc.string({ maxLength: 700 })), { maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(anything, long, fc.dictionary(fc.string(), long)), async (value) => {
        expect(ours({ value }, encoder, store).text).toBe(await theirs({ value }));
      }),
      { numRuns: 300 },
    );
  });

  it("comes back as bytes, each reader's own", () => {
    const store = new ContentStore();
    const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
    const { type, rope } = new Encoder().begin(undefined).encode(bytes.subarray(1));
    const stored = { type, text: resolveRope(rope, store) };
    const first = new Expander(store).value(stored) as Uint8Array;
    expect(type).toBe("bytes");
    expect(Array.from(first)).toEqual(Array.from(bytes.subarray(1)));
    first.fill(0);
    expect((new Expander(store).value(stored) as Uint8Array)[0]).toBe(1);
  });
});

describe("what is stored of a long conversation", () => {
  /** Characters that the value added to the store. */
  const cost = (value: unknown, encoder: Encoder, store: ContentStore): number => {
    const before = store.chars;
    const { stored } = ours(value, encoder, store);
    return store.chars - before + stored.length;
  };

  it("is the message and a few references, for each one added, whatever the length", () => {
    const encoder = new Encoder();
    const store = new ContentStore();
    const messages: AIMessage[] = [];
    const costs: number[] = [];
    for (let index = 1_000; index < 2_000; index += 1) {
      messages.push(message(index));
      costs.push(cost([...messages], encoder, store));
    }
    const alone = JSON.stringify(message(1_000)).length;
    const overhead = costs.reduce((sum, one) => sum + one, 0) / costs.length - alone;
    expect(overhead).toBeLessThan(300);
    expect(Math.max(...costs.slice(-100))).toBeLessThan(alone + 700);
  });

  it("is nothing but references for each task that carries the whole state", () => {
    const encoder = new Encoder();
    const store = new ContentStore();
    const messages = Array.from({ length: 200 }, (_, index) => message(index));
    const files = { "/a": { content: "f".repeat(50_000), created: "now" } };
    cost({ messages, files }, encoder, store);
    const sends = Array.from(
      { length: 10 },
      (_, index) => new Send("tools", { messages, files, lg_tool_call: { id: `c${index}` } }),
    );
    expect(cost(sends, encoder, store)).toBeLessThan(2_500);
  });

  it("is found by content where objects are new, as after every reading", () => {
    const store = new ContentStore();
    const make = (): AIMessage[] => Array.from({ length: 100 }, (_, index) => message(index));
    cost(make(), new Encoder(), store);
    expect(cost(make(), new Encoder(), store)).toBeLessThan(100);
  });
});

describe("messages that are changed in place", () => {
  const text = (message: unknown, encoder: Encoder, store: ContentStore, step?: string): string =>
    ours([message], encoder, store, step).text;

  it("are written out again until a put has had them: the reducer gives a ToolMessage its id", async () => {
    const encoder = new Encoder();
    const store = new ContentStore();
    const tool = new ToolMessage({ content: "x".repeat(1_000), tool_call_id: "c" });
    expect(text(tool, encoder, store, "step 1")).toBe(await theirs([tool]));
    tool.id = "given";
    tool.additional_kwargs = { more: 1 };
    expect(text(tool, encoder, store)).toBe(await theirs([tool]));
  });

  it("are trusted without a put when they came out the same in two steps, not before", async () => {
    const encoder = new Encoder();
    const store = new ContentStore();
    const tool = new ToolMessage({ content: "x", tool_call_id: "c" });
    const change = (value: number): unknown => (tool.additional_kwargs["n"] = value);
    for (const [step, value] of [
      ["1", 1],
      ["1", 2],
      ["2", 3],
    ] as const) {
      change(value);
      expect(text(tool, encoder, store, step)).toBe(await theirs([tool]));
    }
    const settled = text(tool, encoder, store, "3");
    change(4);
    expect(text(tool, encoder, store, "4")).toBe(settled);
  });

  it.each<[string, (message: AIMessage) => void]>([
    ["id", (message) => (message.id = "other")],
    ["name", (message) => (message.name = "other")],
    ["content", (message) => (message.content = "other")],
    ["tool calls", (message) => (message.tool_calls = [])],
  ])("are noticed also later when it is the %s, alone and in a group", async (_what, change) => {
    const encoder = new Encoder();
    const store = new ContentStore();
    const messages = Array.from({ length: 40 }, (_, index) => message(index));
    for (let round = 0; round < 3; round += 1) ours(messages, encoder, store);
    change(messages[3]!);
    expect(ours(messages, encoder, store).text).toBe(await theirs(messages));
    expect(ours([messages[3]], encoder, store).text).toBe(await theirs([messages[3]]));
  });

  it("are not noticed when an old one's content is reached into, as documented", () => {
    const encoder = new Encoder();
    const store = new ContentStore();
    const old = new HumanMessage({ content: [{ type: "text", text: "before" }] });
    const before = text(old, encoder, store);
    (old.content as { text: string }[])[0]!.text = "after";
    expect(text(old, encoder, store)).toBe(before);
    // A list that was changed in place is no message: it is walked every time.
    const list = [old, old];
    ours(list, encoder, store);
    list.push(new HumanMessage("new"));
    expect(ours(list, encoder, store).text).toContain("new");
  });
});
