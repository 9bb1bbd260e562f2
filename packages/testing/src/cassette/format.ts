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

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) > 0;

const isMessage = (value: unknown): boolean => isRecord(value) && typeof value["role"] === "string";

const isRequest = (value: unknown): value is WrittenRequest => {
  if (!isRecord(value)) return false;
  const { after, messages, tools } = value;
  return (
    (after === undefined || (isRecord(after) && isCount(after["call"]) && isCount(after["messages"]))) &&
    Array.isArray(messages) &&
    messages.every(isMessage) &&
    (isCount(tools) || (Array.isArray(tools) && tools.every(isRecord)))
  );
};

const isContent = (value: unknown): boolean =>
  typeof value === "string" || (Array.isArray(value) && value.every(isRecord));

const isPiece = (value: unknown, form: unknown): boolean =>
  isRecord(value) &&
  (form === "events"
    ? typeof value["event"] === "string"
    : isRecord(value["message"]) && isContent(value["message"]["content"]));

const isFailure = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value["name"] === "string" &&
  typeof value["message"] === "string" &&
  isRecord(value["fields"]) &&
  (value["cause"] === undefined || isFailure(value["cause"]));

const isAnswer = (value: unknown): value is CassetteAnswer => {
  if (!isRecord(value)) return false;
  const { form, pieces, end, error } = value;
  return (
    (form === "message" || form === "chunks" || form === "events") &&
    Array.isArray(pieces) &&
    pieces.every((piece) => isPiece(piece, form)) &&
    (end === "error" ? isFailure(error) : end === "done" || end === "abandoned")
  );
};

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
