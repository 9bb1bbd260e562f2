import { createHash } from "node:crypto";
import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { jsonOf } from "./json.js";
import { textOfMessage } from "./messages.js";

/** The one method of deepagents' backend protocol that is needed. */
export interface HistoryBackend {
  write(path: string, content: string): { error?: string } | Promise<{ error?: string }>;
}

/** Where deepagents keeps what it takes out of a conversation. */
export const HISTORY_ROUTE = "/conversation_history/";

const headingOf = (message: BaseMessage, index: number): string => {
  if (ToolMessage.isInstance(message))
    return `## ${index} result of ${message.name ?? "a tool"} (${message.tool_call_id})${message.status === "error" ? ", failed" : ""}`;
  return `## ${index} ${message.getType() === "human" ? "user" : message.getType() === "ai" ? "you" : message.getType()}`;
};

const callsOf = (message: BaseMessage): string[] =>
  AIMessage.isInstance(message)
    ? (message.tool_calls ?? []).map(({ id, name, args }) => `call ${name} (${id}): ${jsonOf(args)}`)
    : [];

/** Messages as a person would read them; nothing is cut. `from` is the index of the first one. */
export const historyText = (messages: readonly BaseMessage[], from: number): string =>
  messages
    .map((message, at) =>
      [headingOf(message, from + at), ...callsOf(message), textOfMessage(message)]
        .filter((part) => part !== "")
        .join("\n\n"),
    )
    .join("\n\n");

const padded = (index: number): string => String(index).padStart(6, "0");

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);

/**
 * "session_ab" → the directory of its files. What comes from outside cannot leave the route, and two sessions whose names
 * look the same in it have two directories.
 */
export const historyDirectory = (session: string): string => {
  const name = session.replaceAll(/[^\w-]/g, "_").slice(0, 100);
  return `${HISTORY_ROUTE}${name === session && name !== "" ? name : `${name}-${digest(session)}`}/`;
};

/**
 * Writes messages [from, to) to a file of their own, named after its text, so that nothing has to be read before, a second
 * attempt writes the same and nothing is written over. Returns its path.
 *
 * @throws {Error} what the backend says.
 */
export const keepHistory = async (
  backend: HistoryBackend,
  session: string,
  messages: readonly BaseMessage[],
  from: number,
  to: number,
): Promise<string> => {
  const text = historyText(messages.slice(from, to), from);
  // A branch of the conversation has other messages under the same numbers.
  const path = `${historyDirectory(session)}${padded(from)}-${padded(to - 1)}-${digest(text)}.md`;
  const { error } = await backend.write(path, text);
  if (error !== undefined) throw new Error(error);
  return path;
};
