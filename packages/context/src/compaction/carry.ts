import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { jsonOf } from "./json.js";
import { clip, isHuman, textOfMessage } from "./messages.js";

/** What tools say they do, so that files can be told apart without knowing their names. */
export interface FileUse {
  readonly read: readonly string[];
  readonly changed: readonly string[];
}

/** Says which files a call read and which it changed; by default by the names that deepagents gives its file tools. */
export type FilesOfCall = (tool: string, args: Readonly<Record<string, unknown>>) => FileUse;

const pathsIn = (args: Readonly<Record<string, unknown>>): string[] =>
  ["file_path", "path"].flatMap((key) => (typeof args[key] === "string" ? [args[key]] : []));

export const filesOfBuiltInCall: FilesOfCall = (tool, args) => {
  if (tool === "read_file") return { read: pathsIn(args), changed: [] };
  if (tool === "write_file" || tool === "edit_file" || tool === "delete")
    return { read: [], changed: pathsIn(args) };
  return { read: [], changed: [] };
};

/** What a summary has to hand on word for word, whoever writes the rest. */
export interface Carried {
  /** What the user said, oldest first. */
  readonly requests: readonly string[];
  readonly todos: readonly { readonly content: string; readonly status: string }[];
  readonly filesRead: readonly string[];
  readonly filesChanged: readonly string[];
  /** Calls that failed, the last ones. */
  readonly failures: readonly string[];
  /** What the agent said, the last texts. */
  readonly said: readonly string[];
}

const failedCalls = (messages: readonly BaseMessage[]): ReadonlySet<string> =>
  new Set(
    messages.flatMap((each) =>
      ToolMessage.isInstance(each) && each.status === "error" ? [each.tool_call_id] : [],
    ),
  );

const isTodo = (value: unknown): value is Carried["todos"][number] =>
  typeof (value as { content?: unknown } | null | undefined)?.content === "string";

const MAX_FILES = 150;
const MAX_REQUESTS = 12;
const MAX_REQUEST_CHARS = 2_000;
const MAX_SAID = 6;

const lastOf = <T>(values: readonly T[], most: number): T[] => values.slice(-most);

/** Which files the calls in these messages read and changed, failed calls left out; in the order of their first use. */
export const filesUsed = (
  messages: readonly BaseMessage[],
  filesOfCall: FilesOfCall = filesOfBuiltInCall,
): FileUse => {
  const failed = failedCalls(messages);
  const read = new Set<string>();
  const changed = new Set<string>();
  for (const message of messages) {
    if (!AIMessage.isInstance(message)) continue;
    for (const { id, name, args } of message.tool_calls ?? []) {
      if (id !== undefined && failed.has(id)) continue;
      const use = filesOfCall(name, args as Readonly<Record<string, unknown>>);
      for (const file of use.read) read.add(file);
      for (const file of use.changed) changed.add(file);
    }
  }
  return { read: [...read].filter((file) => !changed.has(file)), changed: [...changed] };
};

/** Pure: from all messages that are no longer shown. */
export const carriedFrom = (
  messages: readonly BaseMessage[],
  filesOfCall: FilesOfCall = filesOfBuiltInCall,
): Carried => {
  const failed = failedCalls(messages);
  const { read, changed } = filesUsed(messages, filesOfCall);
  let todos: Carried["todos"] = [];
  const failures: string[] = [];
  for (const message of messages) {
    if (!AIMessage.isInstance(message)) continue;
    for (const { id, name, args } of message.tool_calls ?? []) {
      const given = args as Readonly<Record<string, unknown>>;
      if (id !== undefined && failed.has(id)) {
        failures.push(`${name} ${clip(jsonOf(given), 200)}`);
        continue;
      }
      if (name === "write_todos" && Array.isArray(given["todos"])) todos = given["todos"].filter(isTodo);
    }
  }
  const requests = messages
    .filter((message) => isHuman(message) && message.additional_kwargs?.["lc_source"] === undefined)
    .map(textOfMessage)
    .filter((text) => text.trim() !== "");
  // The first says what it is all about, and the last ones what is wanted now.
  const kept =
    requests.length <= MAX_REQUESTS
      ? requests
      : [requests[0] as string, ...lastOf(requests, MAX_REQUESTS - 1)];
  return {
    requests: kept.map((text) => clip(text, MAX_REQUEST_CHARS)),
    todos,
    filesRead: lastOf(read, MAX_FILES),
    filesChanged: lastOf(changed, MAX_FILES),
    failures: lastOf(failures, 5),
    said: lastOf(
      messages
        .filter((message) => AIMessage.isInstance(message))
        .map(textOfMessage)
        .filter((text) => text.trim() !== ""),
      MAX_SAID,
    ).map((text) => clip(text, 800)),
  };
};

const list = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}\n${lines.map((line) => `- ${line}`).join("\n")}`];

const wholeText = (carried: Carried, withSaid: boolean): string =>
  [
    ...list("What the user asked for, word for word:", carried.requests),
    ...list(
      "The plan as it stood (write_todos):",
      carried.todos.map(({ content, status }) => `[${status}] ${content}`),
    ),
    ...list("Files changed so far:", carried.filesChanged),
    ...list(
      "Files read so far (their text is no longer before you; read again what you are going to change):",
      carried.filesRead,
    ),
    ...list("Calls that failed:", carried.failures),
    ...(withSaid ? list("What you said, last:", carried.said) : []),
  ].join("\n\n");

/** Something of everything, where all of it is more than there is room for. */
const shorter = (carried: Carried, maxChars: number): Carried => {
  const ofRequest = Math.max(80, Math.floor(maxChars / 2 / Math.max(1, carried.requests.length)));
  return {
    requests: carried.requests.map((text) => clip(text, ofRequest)),
    todos: carried.todos.map(({ content, status }) => ({ content: clip(content, 100), status })),
    filesRead: lastOf(carried.filesRead, 20),
    filesChanged: lastOf(carried.filesChanged, 40),
    failures: lastOf(carried.failures, 2),
    said: lastOf(carried.said, 2).map((text) => clip(text, 200)),
  };
};

/** The part of a summary that no model writes; about as long as said, for a small window must hold it too. */
export const carriedText = (carried: Carried, withSaid: boolean, maxChars: number): string => {
  const whole = wholeText(carried, withSaid);
  return whole.length <= maxChars ? whole : clip(wholeText(shorter(carried, maxChars), withSaid), maxChars);
};
