import type { ChatModelStreamEvent } from "@langchain/core/language_models/event";
import { ChatModelStream } from "@langchain/core/language_models/stream";
import { AIMessageChunk, type AIMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import type { CassetteFailure } from "./failure.js";
import { plain } from "./json.js";

/** One piece of an answer: the fields of a message, or of a part of it. */
export interface CassettePiece {
  message: Record<string, unknown>;
  generationInfo?: Record<string, unknown>;
}

/** How an answer came, and how it ended. "abandoned": the caller stopped reading. */
export interface CassetteAnswer {
  /** "message": whole. "chunks": streamed. "events": streamed as LangChain's content-block events. */
  form: "message" | "chunks" | "events";
  pieces: unknown[];
  end: "done" | "error" | "abandoned";
  error?: CassetteFailure;
}

const FIELDS = [
  "content",
  "tool_calls",
  "invalid_tool_calls",
  "tool_call_chunks",
  "usage_metadata",
  "response_metadata",
  "additional_kwargs",
  "id",
  "name",
] as const;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);

export const pieceOf = (message: BaseMessage, generationInfo?: Record<string, unknown>): CassettePiece => {
  const fields = message as unknown as Record<string, unknown>;
  // The calls of a chunk are made from its pieces; written twice they could contradict each other.
  const streamed = !isEmpty(fields["tool_call_chunks"]);
  const derived = (key: string): boolean => streamed && /^(?:invalid_)?tool_calls$/.test(key);
  const kept = FIELDS.filter((key) => key === "content" || !(isEmpty(fields[key]) || derived(key)));
  return plain({
    message: Object.fromEntries(kept.map((key) => [key, fields[key]])),
    ...(isEmpty(generationInfo) ? {} : { generationInfo }),
  }) as CassettePiece;
};

export const chunkOf = ({ message, generationInfo }: CassettePiece): ChatGenerationChunk => {
  // A copy: a cassette may be asked twice, and LangChain writes ids and metadata onto what it gets.
  const fields = structuredClone(message) as unknown as ConstructorParameters<typeof AIMessageChunk>[0];
  const restored = new AIMessageChunk(fields);
  return new ChatGenerationChunk({
    text: restored.text,
    message: restored,
    ...(generationInfo ? { generationInfo: structuredClone(generationInfo) } : {}),
  });
};

async function* listed(events: readonly ChatModelStreamEvent[]): AsyncGenerator<ChatModelStreamEvent> {
  yield* events;
}

/** The message that content-block events add up to. */
const messageOf = async (events: readonly unknown[]): Promise<AIMessage> =>
  await new ChatModelStream(listed(structuredClone(events) as ChatModelStreamEvent[]));

/** The answer as chunks, whatever form it was recorded in. Events of an answer that broke off have none. */
export const chunksOf = async ({ form, pieces, end }: CassetteAnswer): Promise<ChatGenerationChunk[]> => {
  if (form !== "events") return (pieces as CassettePiece[]).map(chunkOf);
  return end === "done" && pieces.length > 0 ? [chunkOf(pieceOf(await messageOf(pieces)))] : [];
};

/** One piece for all. */
export const wholeOf = async (answer: CassetteAnswer): Promise<CassettePiece | undefined> => {
  const [first, ...rest] = await chunksOf(answer);
  if (!first) return undefined;
  const { message, generationInfo } = rest.reduce((sum, chunk) => sum.concat(chunk), first);
  const { tool_call_chunks: _, ...fields } = pieceOf(message, generationInfo).message;
  const { tool_calls, invalid_tool_calls } = message as AIMessageChunk;
  return pieceOf(
    new AIMessageChunk({ ...fields, tool_calls, invalid_tool_calls } as unknown as ConstructorParameters<
      typeof AIMessageChunk
    >[0]),
    generationInfo,
  );
};
