import { ScriptedChatModel, ScriptedModelError, type IdSource } from "@fiveseam/models";
import type { AIMessageChunk } from "@langchain/core/messages";
import type { EmulatedPolicy, EmulatedStep, EmulatedTurn, ParsedRequest, WireAnswer } from "./turn.js";

/** Where the emulator's answers come from. */
export interface TurnSource {
  /** The next answer, or the error of the turn. With `again`, the next request gets it once more. */
  next(
    request: ParsedRequest,
    prefixes: { answer: string; call: string },
    again: boolean,
  ): Promise<WireAnswer | Error>;
  assertFinished(): void;
}

/** A `ScriptedChatModel` inside: one meaning of scripts, expectations and offered tools, in process and over HTTP. */
export const createTurnSource = (
  play: { script?: readonly EmulatedStep[]; policy?: EmulatedPolicy },
  { chunkSize, ids }: { chunkSize: number; ids: IdSource },
): TurnSource => {
  const model = new ScriptedChatModel(
    play.policy ? { policy: play.policy, ids } : { script: play.script ?? [], ids },
  );
  const broken: (WireAnswer | Error)[] = [];
  let refused: ScriptedModelError | undefined;

  const ask = async (request: ParsedRequest, prefixes: { answer: string; call: string }) => {
    const { messages } = request;
    const tools = request.tools.map(({ name, description, parameters }) => ({
      type: "function" as const,
      function: { name, description, parameters },
    }));
    const { generations } = await model._generate(messages, { tools });
    const message = generations[0]?.message as AIMessageChunk;
    // By the very list: two requests may be under way.
    const turn = model.calls.find((call) => call.messages === messages)?.turn as EmulatedTurn;
    const usage = turn.usage;
    const calls = message.tool_calls ?? [];
    return {
      id: `${prefixes.answer}${ids()}`,
      model: request.model,
      text: turn.text ?? "",
      reasoning: turn.reasoning ?? "",
      toolCalls: calls.map(({ name, args }, at) => ({
        id: turn.toolCalls?.[at]?.id ?? `${prefixes.call}${ids()}`,
        name,
        args: JSON.stringify(args),
      })),
      stop: turn.stopReason ?? (calls.length > 0 ? "tools" : "stop"),
      usage: {
        inputTokens: message.usage_metadata?.input_tokens ?? 0,
        outputTokens: message.usage_metadata?.output_tokens ?? 0,
        cacheReadTokens: usage?.cacheReadTokens ?? 0,
        cacheWriteTokens: usage?.cacheWriteTokens ?? 0,
        reasoningTokens: usage?.reasoningTokens ?? 0,
      },
      chunkSize,
      streamUsage: request.streamUsage,
    } satisfies WireAnswer;
  };

  return {
    async next(request, prefixes, again) {
      const answer =
        broken.shift() ??
        (await ask(request, prefixes).catch((error: unknown) => {
          if (error instanceof ScriptedModelError) refused ??= error;
          return error instanceof Error ? error : new Error(String(error));
        }));
      // A policy is asked anew: it answers by the conversation, and two may be under way.
      if (again && !play.policy) broken.push(answer);
      return answer;
    },
    assertFinished() {
      if (refused) throw refused;
      model.assertFinished();
    },
  };
};
