import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { classifyFailure, failoverMiddleware } from "../src/index.js";

interface Case {
  readonly shape: { readonly message?: string };
}

/** Microseconds by case: median, 90th percentile, slowest. */
export const classify = (
  cases: readonly Case[],
  rounds: number,
): { median: number; p90: number; max: number } => {
  const errors = cases.map(({ shape }) => Object.assign(new Error(shape.message), shape));
  for (let round = 0; round < 100; round += 1)
    for (const error of errors) classifyFailure(error, { origin: "model" });
  const times = errors
    .map((error) => {
      const start = performance.now();
      for (let round = 0; round < rounds; round += 1) classifyFailure(error, { origin: "model" });
      return ((performance.now() - start) / rounds) * 1000;
    })
    .sort((a, b) => a - b);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { median: at(0.5), p90: at(0.9), max: at(1) };
};

const conversation = [
  new HumanMessage("Go"),
  ...Array.from({ length: 13 }, (_, index) => [
    new AIMessage({ content: "Next", tool_calls: [{ id: `call_${index}`, name: "add", args: {} }] }),
    new ToolMessage({ content: "1", tool_call_id: `call_${index}` }),
    new HumanMessage("And?"),
  ]).flat(),
];

/** Microseconds that the middleware adds to a call that succeeds: the median over rounds of the difference. */
export const middleware = async (calls: number): Promise<{ median: number }> => {
  const model = new FakeListChatModel({ responses: ["x"] });
  model.disableStreaming = true;
  const wrap = failoverMiddleware({ models: [new FakeListChatModel({ responses: ["y"] })] }).wrapModelCall;
  if (!wrap) throw new Error("The middleware has no wrapModelCall");
  const request = {
    model,
    messages: conversation,
    systemMessage: new SystemMessage("Be brief"),
    runtime: {},
    state: {},
    tools: [],
  } as unknown as Parameters<typeof wrap>[0];
  const answer = new AIMessage("Done");
  const handler = async (): Promise<AIMessage> => answer;
  const time = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    for (let call = 0; call < calls; call += 1) await work();
    return ((performance.now() - start) / calls) * 1000;
  };
  const bare = (): Promise<AIMessage> => handler();
  const wrapped = async (): Promise<unknown> => wrap(request, handler as never);
  await time(bare);
  await time(wrapped);
  const rounds: number[] = [];
  for (let round = 0; round < 9; round += 1) rounds.push((await time(wrapped)) - (await time(bare)));
  return { median: rounds.sort((a, b) => a - b)[4] ?? 0 };
};
