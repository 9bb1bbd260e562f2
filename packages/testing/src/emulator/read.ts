import type { ScriptedTool } from "@fiveseam/models";
import { isRecord } from "../cassette/json.js";

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const recordsOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** The text of a content that is a string or a list of blocks. */
export const contentText = (content: unknown): string =>
  typeof content === "string"
    ? content
    : recordsOf(content)
        .map((block) => textOf(block["text"]))
        .join("");

export const jsonRecord = (text: unknown): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(textOf(text) || "{}");
    return isRecord(value) ? value : {};
  } catch {
    // What a client sent back of a call that was cut: the provider does not mind either.
    return {};
  }
};

export const toolFrom = (
  tool: Record<string, unknown>,
  schema: "parameters" | "input_schema",
): ScriptedTool => ({
  name: textOf(tool["name"]) || textOf(tool["type"]),
  description: textOf(tool["description"]),
  parameters: isRecord(tool[schema]) ? tool[schema] : {},
});
