import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, ToolMessage, type AIMessageChunk } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { ScriptedChatModel } from "@fiveseam/models";
import { createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  CassetteError,
  CassetteMissError,
  cassetteModel,
  recordModel,
  replayModel,
  startProviderEmulator,
  type EmulatedPolicy,
  type ProviderEmulator,
} from "@fiveseam/testing";
import { scratchFile } from "./support.js";

const weather = tool(({ city }) => `Sunny in ${city}`, {
  name: "weather",
  description: "The weather",
  schema: z.object({ city: z.string() }),
});

const byTool: EmulatedPolicy = (messages) => {
  const last = messages.at(-1);
  return ToolMessage.isInstance(last)
    ? {
        text: `The tool says: ${last.text}`,
        usage: { inputTokens: 50, outputTokens: 5, cacheReadTokens: 40 },
      }
    : { text: "Looking.", toolCalls: [{ name: "weather", args: { city: "Rome" } }] };
};

const KEY = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz";
const clients: Record<string, (provider: ProviderEmulator) => BaseChatModel> = {
  ChatAnthropic: ({ url }) =>
    new ChatAnthropic({ model: "claude-sonnet-4-5", apiKey: KEY, anthropicApiUrl: url, maxRetries: 0 }),
  "ChatAnthropic that streams": ({ url }) =>
    new ChatAnthropic({
      model: "claude-sonnet-4-5",
      apiKey: KEY,
      anthropicApiUrl: url,
      maxRetries: 0,
      streaming: true,
    }),
  "ChatOpenAI with chat completions": ({ openAIBaseURL: baseURL }) =>
    new ChatOpenAI({ model: "gpt-4.1", apiKey: KEY, configuration: { baseURL }, maxRetries: 0 }),
  "ChatOpenAI with responses": ({ openAIBaseURL: baseURL }) =>
    new ChatOpenAI({
      model: "gpt-4.1",
      apiKey: KEY,
      configuration: { baseURL },
      maxRetries: 0,
      useResponsesApi: true,
    }),
};

const ask = (model: BaseChatModel) => async (): Promise<string[]> => {
  const agent = createAgent({ model, tools: [weather], systemPrompt: "Be brief." });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("Weather in Rome?")] });
  return messages.map((message) => `${message.getType()}: ${message.text}`);
};

const streamTokens = (model: BaseChatModel) => async (): Promise<string[]> => {
  const agent = createAgent({ model, tools: [weather] });
  const seen: string[] = [];
  const input = { messages: [new HumanMessage("Weather in Rome?")] };
  for await (const [message] of await agent.stream(input, { streamMode: "messages" }))
    seen.push(message.text);
  return seen;
};

const caught = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => {
      throw new Error("It did not fail.");
    },
    (error: unknown) => error,
  );

const collect = async (stream: AsyncIterable<AIMessageChunk>): Promise<string[]> => {
  const texts: string[] = [];
  for await (const chunk of stream) texts.push(chunk.text);
  return texts;
};

describe.each(Object.keys(clients))("a recorded %s", (name) => {
  const record = async (file: string, run: (model: BaseChatModel) => () => Promise<unknown>) => {
    await using provider = await startProviderEmulator({ policy: byTool });
    const model = clients[name]!(provider);
    await using recording = recordModel(model, { file });
    expect(recording.model).toBe(model);
    const result = await run(recording.model)();
    await recording.finish();
    expect(recording.calls).toBe(provider.requests.length);
    return { result, model };
  };

  it("replays an agent's run with the same messages, name, profile and kind", async () => {
    const file = scratchFile();
    const { result, model } = await record(file, ask);
    const replay = replayModel({ file });
    expect(await ask(replay)()).toEqual(result);
    replay.assertFinished();
    expect(replay.getName()).toBe(model.getName());
    expect(replay._llmType()).toBe(model._llmType());
    expect(replay.profile).toEqual(JSON.parse(JSON.stringify(model.profile)));
    expect(replay.getLsParams({} as never)).toMatchObject({
      ls_provider: model.getLsParams({} as never).ls_provider,
    });
    expect(readFileSync(file, "utf8")).not.toContain(KEY);
  });

  it("replays a stream piece by piece", async () => {
    const file = scratchFile();
    const { result } = await record(file, streamTokens);
    const replay = replayModel({ file });
    expect(await streamTokens(replay)()).toEqual(result);
    expect((result as string[]).length).toBeGreaterThan(4);
    replay.assertFinished();
  });

  it("replays content-block events", async () => {
    const file = scratchFile();
    const events = (model: BaseChatModel) => async () => {
      const seen: unknown[] = [];
      for await (const event of model.streamEvents("Hi")) seen.push(event);
      return JSON.parse(JSON.stringify(seen)) as unknown;
    };
    await using provider = await startProviderEmulator({ policy: () => "Hello there." });
    await using recording = recordModel(clients[name]!(provider), { file });
    const result = await events(recording.model)();
    await recording.finish();
    expect(await events(replayModel({ file }))()).toEqual(result);
    expect((await replayModel({ file }).invoke("Hi")).text).toBe("Hello there.");
  });

  it("keeps the tools of content-block events, where a client merges them late", async () => {
    const file = scratchFile();
    await using provider = await startProviderEmulator({ policy: () => "Hello there." });
    await using recording = recordModel(clients[name]!(provider), { file });
    type Streaming = { streamEvents(input: string): AsyncIterable<unknown> };
    const drain = async (model: unknown): Promise<number> => {
      let events = 0;
      for await (const _ of (model as Streaming).streamEvents("Hi")) events += 1;
      return events;
    };
    const bound = recording.model.bindTools!([weather]) as { bound?: unknown };
    // A binding has the events of another version; what it binds has those of the model.
    const seen = await drain(bound.bound ?? bound);
    await recording.finish();
    expect(provider.requests[0]?.tools.length).toBe(bound.bound ? 0 : 1);
    const recorded = readFileSync(file, "utf8").split("\n")[1]!;
    expect(JSON.parse(recorded).request.tools).toHaveLength(provider.requests[0]!.tools.length);
    expect(seen).toBeGreaterThan(3);
  });

  it("keeps usage, with what came from the cache", async () => {
    const file = scratchFile();
    await record(file, (model) => async () => {
      await model.invoke([
        new HumanMessage("Hi"),
        new AIMessage({
          content: "",
          tool_calls: [{ type: "tool_call", id: "t", name: "weather", args: {} }],
        }),
        new ToolMessage({ content: "Sunny", tool_call_id: "t" }),
      ]);
    });
    const answer = await replayModel({ file, match: "lenient" }).invoke("Hi");
    expect(answer.usage_metadata).toMatchObject({
      input_tokens: 50,
      output_tokens: 5,
      input_token_details: { cache_read: 40 },
    });
  });

  it("replays an error with its status, code, type, body and Retry-After", async () => {
    const file = scratchFile();
    await using provider = await startProviderEmulator({
      script: [],
      faults: [{ kind: "status", status: 429, retryAfter: 7 }],
    });
    await using recording = recordModel(clients[name]!(provider), { file });
    const real = (await caught(recording.model.invoke("Hi"))) as Record<string, unknown>;
    await recording.finish();
    const again = (await caught(replayModel({ file }).invoke("Hi"))) as Record<string, unknown>;
    expect(again).toBeInstanceOf(Error);
    for (const key of ["name", "message", "status", "code", "type", "error", "lc_error_code"])
      expect(again[key]).toEqual(real[key]);
    expect((again["headers"] as Headers).get("retry-after")).toBe("7");
  });

  it("replays what was streamed before a connection broke, and then the error", async () => {
    const file = scratchFile();
    await using provider = await startProviderEmulator({
      script: [{ text: "A text that is long enough to be cut somewhere in its middle." }],
      faults: [{ kind: "cut", afterEvents: 6 }],
    });
    await using recording = recordModel(clients[name]!(provider), { file });
    const read = async (model: BaseChatModel) => {
      const seen: string[] = [];
      try {
        for await (const chunk of await model.stream("Hi")) seen.push(chunk.text);
      } catch (error) {
        return { seen, message: (error as Error).message };
      }
      throw new Error("It did not fail.");
    };
    const real = await read(recording.model);
    await recording.finish();
    expect(real.seen.join("")).not.toBe("");
    expect(await read(replayModel({ file }))).toEqual(real);
  });
});

describe("matching", () => {
  const recorded = async (...texts: string[]): Promise<string> => {
    const file = scratchFile();
    await using recording = recordModel(
      new ScriptedChatModel({ policy: (messages) => `Answer to ${messages.at(-1)?.text}` }),
      { file },
    );
    for (const text of texts) await recording.model.invoke(text);
    await recording.finish();
    return file;
  };

  it("answers parallel calls by what they ask, in whichever order they come", async () => {
    const model = replayModel({ file: await recorded("a", "b", "c") });
    const answers = await Promise.all(["c", "a", "b"].map((text) => model.invoke(text)));
    expect(answers.map(({ text }) => text)).toEqual(["Answer to c", "Answer to a", "Answer to b"]);
    model.assertFinished();
  });

  it("answers equal calls in the order in which they were recorded", async () => {
    const file = scratchFile();
    await using recording = recordModel(new ScriptedChatModel({ script: [{ text: "1" }, { text: "2" }] }), {
      file,
    });
    await recording.model.invoke("same");
    await recording.model.invoke("same");
    await recording.finish();
    const model = replayModel({ file });
    expect((await model.invoke("same")).text).toBe("1");
    expect((await model.invoke("same")).text).toBe("2");
    await expect(model.invoke("same")).rejects.toThrow(/answered already/);
  });

  it("says which recorded request is nearest and where it differs", async () => {
    const model = replayModel({ file: await recorded("What is 1 + 1?", "What is 2 + 2?") });
    await model.invoke("What is 1 + 1?");
    const error = await caught(model.invoke("What is 2 + 3?"));
    expect(error).toBeInstanceOf(CassetteMissError);
    expect(error).toMatchObject({ code: "cassette_miss", nearest: 2 });
    expect((error as CassetteMissError).difference).toBe(
      'messages[0].content: recorded "What is 2 + 2?", asked "What is 2 + 3?"',
    );
  });

  it("tells tools apart by name and schema, not by order or description", async () => {
    const file = scratchFile();
    const other = tool(() => "", { name: "other", schema: z.object({}), description: "d" });
    await using recording = recordModel(new ScriptedChatModel({ policy: () => "Yes." }), { file });
    await recording.model.bindTools!([weather, other]).invoke("Hi");
    await recording.finish();
    const described = tool(() => "", {
      name: "weather",
      schema: z.object({ city: z.string() }),
      description: "other words",
    });
    const changed = tool(() => "", {
      name: "weather",
      schema: z.object({ town: z.string() }),
      description: "",
    });
    await expect(replayModel({ file }).bindTools([other, described]).invoke("Hi")).resolves.toBeDefined();
    await expect(replayModel({ file }).bindTools([other, changed]).invoke("Hi")).rejects.toThrow(
      /tools\[1\]/,
    );
    await expect(replayModel({ file }).invoke("Hi")).rejects.toThrow(CassetteMissError);
  });

  it("takes ids, cache marks and one text in blocks for equal", async () => {
    const call = (id: string) => ({
      type: "tool_call" as const,
      id,
      name: "weather",
      args: { city: "Rome" },
    });
    const conversation = (id: string, marked: boolean) => [
      new HumanMessage({
        id: `${id}-human`,
        content: marked ? [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }] : "Hi",
      }),
      new AIMessage({ id: `${id}-ai`, content: "", tool_calls: [call(id)] }),
      new ToolMessage({ content: "Sunny", tool_call_id: id }),
    ];
    const file = scratchFile();
    await using recording = recordModel(new ScriptedChatModel({ policy: () => "Yes." }), { file });
    await recording.model.invoke(conversation("one", true));
    await recording.finish();
    expect((await replayModel({ file }).invoke(conversation("two", false))).text).toBe("Yes.");
  });

  it("leaves out what differs from run to run, when told", async () => {
    const file = await recorded("Look into /tmp/run-1234/a.txt");
    const ignore = [/\/tmp\/run-\d+/];
    expect((await replayModel({ file, ignore }).invoke("Look into /tmp/run-99/a.txt")).text).toMatch(
      /^Answer/,
    );
    await expect(replayModel({ file }).invoke("Look into /tmp/run-99/a.txt")).rejects.toThrow(/run-99/);
  });

  it("lenient, answers by position whatever is asked", async () => {
    const model = replayModel({ file: await recorded("a", "b"), match: "lenient" });
    expect((await model.invoke("x")).text).toBe("Answer to a");
    expect((await model.invoke("y")).text).toBe("Answer to b");
    await expect(model.invoke("z")).rejects.toThrow(CassetteMissError);
  });

  it("reports recorded calls that nobody asked for", async () => {
    const model = replayModel({ file: await recorded("a", "b") });
    await model.invoke("a");
    expect(model.remaining).toBe(1);
    const error = await caught(Promise.resolve().then(() => model.assertFinished()));
    expect(error).toMatchObject({
      code: "cassette_unused",
      message: expect.stringContaining("from call 2 on"),
    });
  });

  it("refuses a call whose signal is aborted", async () => {
    const model = replayModel({ file: await recorded("a") });
    await expect(model.invoke("a", { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
    expect(model.remaining).toBe(1);
  });
});

describe("the file", () => {
  const record = async (file: string, script = [{ text: "Hello." }]): Promise<void> => {
    await using recording = recordModel(new ScriptedChatModel({ script }), { file });
    for (const _ of script) await recording.model.invoke("Hi");
    await recording.finish();
  };
  const codeOf = async (call: () => unknown): Promise<unknown> =>
    ((await caught(Promise.resolve().then(call))) as CassetteError).code;

  it("is refused when its last line is torn, at whichever byte", async () => {
    const file = scratchFile();
    await record(file);
    const whole = readFileSync(file, "utf8");
    const second = whole.indexOf("\n") + 1;
    for (let at = second + 1; at < whole.length; at += 7) {
      writeFileSync(file, whole.slice(0, at));
      expect(await codeOf(() => replayModel({ file }))).toBe("cassette_corrupt");
    }
    writeFileSync(file, whole.slice(0, -2));
    expect(() => replayModel({ file })).toThrow(/:2 was not written to its end/);
  });

  it("is refused when a line is something else", async () => {
    const file = scratchFile();
    await record(file);
    appendFileSync(file, '{"call":2}\n');
    expect(() => replayModel({ file })).toThrow(/:3 is not a recorded call/);
    writeFileSync(file, '{"name":"package"}\n');
    expect(await codeOf(() => replayModel({ file }))).toBe("cassette_corrupt");
    writeFileSync(file, "");
    expect(await codeOf(() => replayModel({ file }))).toBe("cassette_corrupt");
  });

  it("is read or refused with a typed error, whatever one value in it is changed to", async () => {
    const file = scratchFile();
    const failing = { error: Object.assign(new Error("refused"), { status: 400, cause: new Error("why") }) };
    const steps = [{ text: "Hello there." }, { text: "", toolCalls: [{ name: "weather" }] }, failing];
    await using recording = recordModel(new ScriptedChatModel({ script: steps }), { file });
    const bound = recording.model.bindTools!([weather]);
    await collect(await bound.stream("Hi"));
    await bound.invoke([new HumanMessage("Hi"), new HumanMessage("again")]);
    await bound.invoke("Hi").catch(() => undefined);
    await recording.finish();
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const pathsOf = (value: unknown): string[][] =>
      typeof value === "object" && value !== null
        ? Object.entries(value).flatMap(([key, each]) => [
            [key],
            ...pathsOf(each).map((rest) => [key, ...rest]),
          ])
        : [];
    let refused = 0;
    for (const [at, line] of lines.entries())
      for (const keys of pathsOf(JSON.parse(line)))
        for (const wrong of [null, 7, "x", [], {}]) {
          const value = JSON.parse(line) as Record<string, unknown>;
          const holder = keys
            .slice(0, -1)
            .reduce<Record<string, unknown>>((inner, key) => inner[key] as Record<string, unknown>, value);
          holder[keys.at(-1)!] = wrong;
          writeFileSync(file, `${lines.with(at, JSON.stringify(value)).join("\n")}\n`);
          try {
            replayModel({ file, match: "lenient" });
          } catch (error) {
            expect(error, keys.join(".")).toBeInstanceOf(CassetteError);
            refused += 1;
          }
        }
    expect(refused).toBeGreaterThan(200);
  });

  it("is refused when a newer release wrote it", async () => {
    const file = scratchFile();
    await record(file);
    writeFileSync(file, readFileSync(file, "utf8").replace('"version":1', '"version":2'));
    expect(await codeOf(() => replayModel({ file }))).toBe("cassette_version");
    expect(() => replayModel({ file })).toThrow(/Update @fiveseam\/testing/);
  });

  it("is left as it was by a recording that is not finished", async () => {
    const file = scratchFile();
    await record(file, [{ text: "first" }]);
    {
      await using recording = recordModel(new ScriptedChatModel({ script: [{ text: "second" }] }), { file });
      await recording.model.invoke("Hi");
    }
    expect((await replayModel({ file }).invoke("Hi")).text).toBe("first");
    expect(existsSync(`${file}.recording`)).toBe(false);
  });

  it("is recorded by one at a time, and taken over from a process that died", async () => {
    const file = scratchFile();
    const model = () => new ScriptedChatModel({ script: [{ text: "Hello." }] });
    {
      await using recording = recordModel(model(), { file });
      expect(await codeOf(() => recordModel(model(), { file }))).toBe("cassette_busy");
      expect(await codeOf(() => recordModel(recording.model, { file: scratchFile() }))).toBe("cassette_busy");
    }
    const dead = spawnSync(process.execPath, ["-e", ""]).pid;
    writeFileSync(`${file}.recording`, String(dead));
    await record(file);
    expect(existsSync(file)).toBe(true);
  });

  it("that cannot be written is an error, and lets the next recording begin", async () => {
    const file = scratchFile();
    const recording = recordModel(new ScriptedChatModel({ script: [{ text: "Hello." }] }), { file });
    await recording.model.invoke("Hi");
    mkdirSync(file);
    await expect(recording.finish()).rejects.toThrow(/EISDIR|ENOTEMPTY|directory/);
    rmdirSync(file);
    expect(readdirSync(path.dirname(file))).toEqual([]);
    await record(file);
  });

  it("holds a conversation once, however many calls it took", async () => {
    const file = scratchFile();
    const long = "x".repeat(10_000);
    await using recording = recordModel(new ScriptedChatModel({ policy: () => "Yes." }), { file });
    const messages = [new HumanMessage(long)];
    for (let turn = 0; turn < 20; turn += 1) {
      await recording.model.invoke(messages);
      messages.push(new HumanMessage(`turn ${turn}`));
    }
    await recording.finish();
    expect(readFileSync(file, "utf8").length).toBeLessThan(25_000);
    const replay = replayModel({ file });
    await replay.invoke(messages.slice(0, 20));
    await replay.invoke(messages.slice(0, 1));
    expect(replay.remaining).toBe(18);
  });

  it("has calls in the order in which they began, and only what was read of a stream that was left", async () => {
    const file = scratchFile();
    const model = new ScriptedChatModel({
      policy: (messages) => `Answer to ${messages.at(-1)?.text}, at some length.`,
      chunkSize: 8,
    });
    await using recording = recordModel(model, { file });
    const left = await recording.model.stream("a");
    const first = left[Symbol.asyncIterator]();
    await first.next();
    await recording.model.invoke("b");
    await first.return?.();
    await recording.finish();
    await expect(recording.model.invoke("c")).rejects.toMatchObject({ code: "cassette_closed" });
    const replay = replayModel({ file, match: "lenient" });
    expect((await collect(await replay.stream("a"))).join("")).toMatch(/^Answer t/);
    expect((await replay.invoke("b")).text).toBe("Answer to b, at some length.");
  });

  it("replays a model that throws in the middle of a stream", async () => {
    class Breaking extends ScriptedChatModel {
      override async *_streamResponseChunks(...args: Parameters<ScriptedChatModel["_streamResponseChunks"]>) {
        let sent = 0;
        for await (const chunk of super._streamResponseChunks(...args)) {
          if (sent === 2) throw Object.assign(new Error("broke"), { code: "ECONNRESET", cause: "a string" });
          sent += 1;
          yield chunk;
        }
      }
    }
    const file = scratchFile();
    const text = "abcdefgh".repeat(4);
    await using recording = recordModel(new Breaking({ script: [{ text }], chunkSize: 8 }), { file });
    await caught(recording.model.stream("Hi").then(collect));
    await recording.finish();
    const error = await caught(replayModel({ file }).stream("Hi").then(collect));
    expect(error).toMatchObject({ message: "broke", code: "ECONNRESET", cause: "a string" });
  });
});

describe("secrets", () => {
  const secret = "sk-proj-0123456789abcdefghij";

  it("stay off the cassette, in what is asked and answered, also when a stream spreads them over pieces", async () => {
    const file = scratchFile();
    const step = {
      text: `The key is ${secret}, keep it.`,
      toolCalls: [{ name: "weather", args: { city: secret, password: "hunter2" } }],
    };
    const model = new ScriptedChatModel({ script: [step, step], chunkSize: 5 });
    const loose = tool(() => "", {
      name: "weather",
      description: "",
      schema: z.record(z.string(), z.string()),
    });
    await using recording = recordModel(model, { file });
    const bound = recording.model.bindTools!([loose]);
    await collect(await bound.stream(`Use ${secret}`));
    await bound.invoke(`Use ${secret}`);
    await recording.finish();
    const text = readFileSync(file, "utf8");
    expect(text).not.toContain(secret.slice(0, 12));
    expect(text).not.toContain("hunter2");
    const replay = replayModel({ file }).bindTools([loose]);
    const chunks: AIMessageChunk[] = [];
    for await (const chunk of await replay.stream(`Use ${secret}`)) chunks.push(chunk);
    const whole = chunks.reduce((sum, chunk) => sum.concat(chunk));
    expect(whole.text).toBe("The key is [redacted], keep it.");
    expect(whole.tool_calls?.[0]?.args).toEqual({ city: "[redacted]", password: "[redacted]" });
  });

  it("include values that are given, of the environment by name, and by patterns", async () => {
    const file = scratchFile();
    const redact = {
      secrets: ["plain-looking-word"],
      env: { DEPLOY_TOKEN: "a-value-of-the-environment", HOME: "/home/somebody-of-length" },
      patterns: [/customer-\d+/],
    };
    const said = "plain-looking-word a-value-of-the-environment /home/somebody-of-length customer-77";
    await using recording = recordModel(new ScriptedChatModel({ policy: () => said }), { file, redact });
    await recording.model.invoke(said);
    await recording.finish();
    const answer = await replayModel({ file, redact }).invoke(said);
    expect(answer.text).toBe("[redacted] [redacted] /home/somebody-of-length [redacted]");
  });

  it("are not left on it by an option that does not exist", () => {
    const model = new ScriptedChatModel({ script: [] });
    const file = scratchFile();
    const redact = { secret: ["abc"] } as object;
    expect(() => recordModel(model, { file, redact })).toThrow(/no option "secret"/);
    expect(existsSync(`${file}.recording`)).toBe(false);
  });

  it("leave code as it was written", async () => {
    const file = scratchFile();
    const code = 'const token = getToken();\nconst config = { apiKey: process.env["API_KEY"] };';
    await using recording = recordModel(new ScriptedChatModel({ policy: () => code }), { file });
    await recording.model.invoke("Write it");
    await recording.finish();
    expect((await replayModel({ file }).invoke("Write it")).text).toBe(code);
  });
});

describe("cassetteModel", () => {
  const make = () => new ScriptedChatModel({ script: [{ text: "Hello." }] });

  it("records where there is no file and replays where there is one, without making the model again", async () => {
    const file = scratchFile("deep/in/folders.jsonl");
    let made = 0;
    const modes: string[] = [];
    for (let run = 0; run < 2; run += 1) {
      await using cassette = await cassetteModel({
        file,
        model: async () => {
          made += 1;
          return make();
        },
        env: {},
      });
      expect((await cassette.model.invoke("Hi")).text).toBe("Hello.");
      await cassette.finish();
      modes.push(cassette.mode);
    }
    expect(modes).toEqual(["record", "replay"]);
    expect(made).toBe(1);
  });

  it("in CI without the file, names the command that makes it", async () => {
    const error = await caught(cassetteModel({ file: scratchFile(), model: make, env: { CI: "true" } }));
    expect(error).toMatchObject({ code: "cassette_missing" });
    expect(String(error)).toContain("FIVESEAM_CASSETTE=record npx vitest run");
  });

  it("records again when the environment says so, and refuses a mode that it does not know", async () => {
    const file = scratchFile();
    const run = async (text: string, env: Record<string, string>) => {
      const model = new ScriptedChatModel({ script: [{ text }] });
      await using cassette = await cassetteModel({ file, model, env });
      const answer = await cassette.model.invoke("Hi");
      await cassette.finish();
      return answer.text;
    };
    expect(await run("one", {})).toBe("one");
    expect(await run("two", {})).toBe("one");
    expect(await run("three", { FIVESEAM_CASSETTE: "record", CI: "1" })).toBe("three");
    await expect(run("four", { FIVESEAM_CASSETTE: "rewind" })).rejects.toMatchObject({
      code: "invalid_option",
    });
  });

  it("replaying, fails at the end when a recorded call was never asked for", async () => {
    const file = scratchFile();
    await using first = await cassetteModel({ file, model: make, env: {} });
    await first.model.invoke("Hi");
    await first.finish();
    await using second = await cassetteModel({ file, model: make, env: {} });
    await expect(second.finish()).rejects.toMatchObject({ code: "cassette_unused" });
  });
});
