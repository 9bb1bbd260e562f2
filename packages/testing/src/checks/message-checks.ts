import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { orphanToolCalls } from "./orphans.js";
import type { Equals, Verdict } from "./verdict.js";

/** What a tool's result should be. */
export interface ToolResultPattern {
  status?: "success" | "error";
  /** The text of the result, or what it is to match. */
  content?: string | RegExp;
}

const MAX_CHARS = 120;

const shown = (messages: readonly BaseMessage[]): string => {
  const lines = messages.map((message, at) => {
    const text = message.text.replaceAll("\n", "\\n");
    const cut = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
    const calls = AIMessage.isInstance(message)
      ? (message.tool_calls ?? []).map(({ name, args, id }) => ` -> ${name} ${JSON.stringify(args)} (${id})`)
      : [];
    const result = ToolMessage.isInstance(message)
      ? ` <- ${message.name ?? "?"} ${message.status ?? "success"} (${message.tool_call_id})`
      : "";
    return `  [${at}] ${message.getType()}: ${cut}${calls.join("")}${result}`;
  });
  return ["The messages:", ...lines].join("\n");
};

const verdict = (pass: boolean, messages: readonly BaseMessage[], expected: string): Verdict => ({
  pass,
  message: () => `expected the conversation ${pass ? "not " : ""}${expected}\n${shown(messages)}`,
});

export const checkNoOrphans = (messages: readonly BaseMessage[]): Verdict => {
  const orphans = orphanToolCalls(messages);
  const found = orphans.map(
    ({ kind, tool, id, at }) =>
      `\n  [${at}] ${kind === "call" ? `${tool} (${id}) has no result` : `the result (${id}) has no call`}`,
  );
  return verdict(
    orphans.length === 0,
    messages,
    `to have a result for every tool call and a call for every result${found.join("")}`,
  );
};

/** The tool of a result: results made by hand often lack the name, and the call has it. */
const toolOf = (result: ToolMessage, messages: readonly BaseMessage[]): string | undefined =>
  result.name ??
  messages
    .flatMap((message) => (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []))
    .find(({ id }) => id === result.tool_call_id)?.name;

export const checkToolResult = (
  messages: readonly BaseMessage[],
  equals: Equals,
  name: string,
  { status, content }: ToolResultPattern = {},
): Verdict => {
  const pass = messages.some(
    (message) =>
      ToolMessage.isInstance(message) &&
      toolOf(message, messages) === name &&
      (status === undefined || (message.status ?? "success") === status) &&
      (content === undefined ||
        (content instanceof RegExp ? content.test(message.text) : equals(message.text, content))),
  );
  const wanted = [status, content === undefined ? undefined : String(content)].filter(Boolean).join(", ");
  return verdict(pass, messages, `to have a result of ${name}${wanted === "" ? "" : ` (${wanted})`}`);
};
