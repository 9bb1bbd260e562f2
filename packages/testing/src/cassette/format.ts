import { CassetteError } from "../errors.js";
import type { CassetteAnswer } from "./answer.js";
import { isRecord } from "./json.js";
import {
  commonMessages,
  messageKeys,
  type CassetteMessage,
  type CassetteRequest,
  type CassetteTool,
} from "./request.js";
import { canonical } from "./json.js";

/** Raised when a reader of the release before would get it wrong. */
export const CASSETTE_VERSION = 1;

/** What of the recorded model others ask for: agents choose prompt caching by its name and compaction by its profile. */
export interface ModelIdentity {
  name: string;
  llmType: string;
  model: string | null;
  provider: string | null;
  profile: Record<string, unknown>;
}

export interface CassetteHeader {
  cassette: "fiveseam";
  version: number;
  identity: ModelIdentity;
}

export interface CassetteEntry {
  request: CassetteRequest;
  answer: CassetteAnswer;
}

/** The messages of a request beyond those of an earlier one: a conversation would else be written once a call. */
interface WrittenRequest {
  /** The earlier call, from 1, and how many of its messages this request begins with. */
  after?: { call: number; messages: number };
  messages: CassetteMessage[];
  /** The tools, or the earlier call that had the same. */
  tools: CassetteTool[] | number;
}

/** Writes entries as lines, each with what is new in it. */
export const createLines = (): ((entry: CassetteEntry) => string) => {
  const before: { keys: string[]; tools: string }[] = [];
  return ({ request, answer }) => {
    const keys = messageKeys(request);
    const tools = canonical(request.tools);
    const same = before.findIndex((earlier) => earlier.tools === tools);
    const shared = before.map((earlier) => commonMessages(earlier.keys, keys));
    const most = Math.max(0, ...shared);
    const written: WrittenRequest = {
      ...(most === 0 ? {} : { after: { call: shared.indexOf(most) + 1, messages: most } }),
      messages: request.messages.slice(most),
      tools: same === -1 ? request.tools : same + 1,
    };
    before.push({ keys, tools });
    return `${JSON.stringify({ call: before.length, request: written, answer })}\n`;
  };
};

const corrupt = (file: string, line: number, why: string, cause?: unknown): CassetteError =>
  new CassetteError(
    "cassette_corrupt",
    file,
    `${file}:${line} ${why}. Restore the file or record it again.`,
    {
      cause,
    },
  );

const isRequest = (value: unknown): value is WrittenRequest =>
  isRecord(value) &&
  Array.isArray(value["messages"]) &&
  (Array.isArray(value["tools"]) || typeof value["tools"] === "number");

const isAnswer = (value: unknown): value is CassetteAnswer =>
  isRecord(value) &&
  ["message", "chunks", "events"].includes(String(value["form"])) &&
  Array.isArray(value["pieces"]) &&
  value["pieces"].every(isRecord) &&
  (["done", "abandoned"].includes(String(value["end"])) ||
    (value["end"] === "error" && isRecord(value["error"]) && isRecord(value["error"]["fields"])));

const isIdentity = (value: unknown): value is ModelIdentity =>
  isRecord(value) &&
  typeof value["name"] === "string" &&
  typeof value["llmType"] === "string" &&
  isRecord(value["profile"]);

const headerOf = (file: string, value: unknown): CassetteHeader => {
  if (!isRecord(value) || value["cassette"] !== "fiveseam" || typeof value["version"] !== "number")
    throw corrupt(file, 1, "is not the first line of a cassette");
  const { version, identity } = value;
  if (version > CASSETTE_VERSION)
    throw new CassetteError(
      "cassette_version",
      file,
      `${file} has version ${version}, and this release reads up to ${CASSETTE_VERSION}. Update @fiveseam/testing or record it again.`,
    );
  if (!isIdentity(identity)) throw corrupt(file, 1, "does not say which model was recorded");
  return { cassette: "fiveseam", version, identity };
};

/** Reads a whole cassette. */
export const parseCassette = (
  file: string,
  text: string,
): { header: CassetteHeader; entries: CassetteEntry[] } => {
  const lines = text.split("\n");
  if (lines.pop() !== "")
    throw corrupt(file, lines.length + 1, "was not written to its end: the last line has no line break");
  const values = lines.map((line, at): unknown => {
    try {
      return JSON.parse(line);
    } catch (cause) {
      throw corrupt(file, at + 1, "is not JSON", cause);
    }
  });
  const header = headerOf(file, values.shift());
  const entries: CassetteEntry[] = [];
  for (const [at, value] of values.entries()) {
    const line = at + 2;
    if (!isRecord(value) || !isRequest(value["request"]) || !isAnswer(value["answer"]))
      throw corrupt(file, line, "is not a recorded call");
    const { after, messages, tools } = value["request"];
    const earlier = after && entries[after.call - 1]?.request.messages;
    const shared = typeof tools === "number" ? entries[tools - 1]?.request.tools : tools;
    if ((after && !earlier) || !shared) throw corrupt(file, line, "builds on a call that is not there");
    const request = { messages: [...(earlier?.slice(0, after?.messages) ?? []), ...messages], tools: shared };
    entries.push({ request, answer: value["answer"] });
  }
  return { header, entries };
};
