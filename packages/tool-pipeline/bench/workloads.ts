import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import {
  ALL_RIGHTS,
  createPipeline,
  fileAuditSink,
  memoryAuditSink,
  type AuditSink,
  type Pipeline,
  type PipelineCall,
} from "../src/index";

const conversation = [
  new HumanMessage("Go"),
  ...Array.from({ length: 20 }, (_, index) => [
    new AIMessage({ content: "Next", tool_calls: [{ id: `call_${index}`, name: "add", args: {} }] }),
    new ToolMessage({ content: "1", tool_call_id: `call_${index}` }),
  ]).flat(),
];

const text = "x".repeat(2_000);

const callOf = (at: number): PipelineCall => ({
  id: `call_${at}`,
  toolName: `tool${at % 50}`,
  args: { path: `/workspace/src/file-${at}.ts`, limit: 100, offset: at },
  toolExists: true,
  declaration: { effects: ["fs.read"], idempotent: true },
  threadId: `thread ${Math.floor(at / 500)}`,
  namespace: `tools:${at}`,
  agent: "main",
  role: undefined,
  rights: ALL_RIGHTS,
  messages: conversation,
  anchor: undefined,
  signal: undefined,
});

const tool = async (call: PipelineCall): Promise<ToolMessage> =>
  new ToolMessage({ content: text, tool_call_id: call.id, name: call.toolName });

/** Microseconds of processor time a call, which a busy machine stretches less: the lower quartile of the rounds. */
const perCall = async (calls: number, run: (call: PipelineCall) => Promise<unknown>): Promise<number> => {
  let at = 0;
  const round = async (count: number): Promise<number> => {
    const asked = Array.from({ length: count }, () => callOf((at += 1)));
    const began = process.cpuUsage();
    for (const call of asked) await run(call);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / count;
  };
  await round(calls / 4);
  const rounds: number[] = [];
  for (let each = 0; each < 15; each += 1) rounds.push(await round(calls / 5));
  return rounds.sort((a, b) => a - b)[3] ?? 0;
};

/** What a pipeline adds to a call over the bare tool, in microseconds. */
export const overhead = async (calls: number): Promise<Record<"none" | "memory" | "file", number>> => {
  const bare = await perCall(calls, tool);
  const added = async (pipeline: Pipeline): Promise<number> =>
    (await perCall(calls, (call) => pipeline.run(call, tool))) - bare;
  const withSink = (sink: AuditSink): Pipeline =>
    createPipeline({ audit: { sink }, rateLimit: { perMinute: 1e6, perToolPerMinute: 1e6 } });
  const directory = mkdtempSync(join(tmpdir(), "bench-"));
  const sink = fileAuditSink({ directory });
  try {
    return {
      none: await added(createPipeline({ rateLimit: { perMinute: 1e6, perToolPerMinute: 1e6 } })),
      memory: await added(withSink(memoryAuditSink())),
      file: await added(withSink(sink)),
    };
  } finally {
    await sink.close();
    rmSync(directory, { recursive: true });
  }
};
