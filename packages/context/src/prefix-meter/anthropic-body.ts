import { asArray, asText, at, isObject, type Json } from "./json.js";
import {
  markLast,
  parametersOf,
  segmentOf,
  type Counting,
  type Prompt,
  type PromptSegment,
} from "./prompt.js";
import type { CacheRules } from "./rules.js";
import { countMedia } from "./tokens.js";

interface Stripped {
  block: Json;
  mark: { lifetime?: string } | undefined;
}

const markOf = (value: unknown): { lifetime?: string } | undefined => {
  if (!isObject(value)) return undefined;
  return typeof value["ttl"] === "string" ? { lifetime: value["ttl"] } : {};
};

/** A string is shorthand for one text block: a client sends the one or the other depending on whether it is marked. */
const blocksOf = (content: unknown): Json[] => {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return asArray(content).filter(isObject);
};

/**
 * The block without its mark. LangChain's client puts the mark of a tool message inside the result's content; there it
 * counts for the result as a whole.
 */
const strip = (given: Json): Stripped => {
  const { cache_control, ...rest } = given;
  let mark = markOf(cache_control);
  let block: Json = rest;
  if (rest["type"] === "text" && Object.keys(rest).length === 2) block = { type: "text", text: rest["text"] };
  if (rest["type"] === "tool_result") {
    const inside = blocksOf(rest["content"]).map(strip);
    mark ??= inside.findLast((each) => each.mark !== undefined)?.mark;
    block = { ...rest, content: inside.map((each) => each.block) };
  }
  return { block, mark };
};

const shownText = (block: Json): { shown?: string } =>
  block["type"] === "text" ? { shown: asText(block["text"]) } : {};

/** Thinking blocks and empty texts take no mark; the automatic one goes to the last block before them. */
const markable = (segment: PromptSegment): boolean =>
  segment.text !== "" && !/^\{"type":"(?:redacted_)?thinking"/.test(segment.text);

/** Reads a body of Anthropic's Messages API. */
export const readAnthropicBody = (body: Json, rules: CacheRules, counting: Counting): Prompt | undefined => {
  if (!Array.isArray(body["messages"])) return undefined;
  const pick = (names: readonly string[]): Json =>
    Object.fromEntries(names.filter((name) => name !== "images").map((name) => [name, at(body, name)]));
  const tools = asArray(body["tools"])
    .filter(isObject)
    .map((tool, index) => {
      const { block, mark } = strip(tool);
      return segmentOf(
        { where: "tools", index, label: asText(tool["name"]) || asText(tool["type"]), block, mark },
        counting,
      );
    });
  const system = blocksOf(body["system"]).map((given, index) => {
    const { block, mark } = strip(given);
    return segmentOf({ where: "system", index, label: "system", block, mark, ...shownText(block) }, counting);
  });
  const messages = asArray(body["messages"])
    .filter(isObject)
    .flatMap((message, index) =>
      blocksOf(message["content"]).map((given) => {
        const { block, mark } = strip(given);
        return segmentOf(
          {
            where: "messages",
            index,
            label: asText(message["role"]),
            block,
            mark,
            messageId: typeof message["id"] === "string" ? message["id"] : undefined,
            ...shownText(block),
          },
          counting,
        );
      }),
    );
  const images = rules.messageParameters.includes("images")
    ? { images: countMedia([body["system"], body["messages"]]) > 0 }
    : {};
  const written = [
    ...tools,
    parametersOf("system", pick(rules.promptParameters)),
    ...system,
    parametersOf("messages", { ...pick(rules.messageParameters), ...images }),
    ...messages,
  ];
  const automatic = markOf(body["cache_control"]);
  const segments = automatic ? markLast(written, automatic.lifetime, markable) : written;
  const model = asText(body["model"]);
  return {
    provider: "anthropic",
    model,
    seed: JSON.stringify(["anthropic", model, pick(rules.keyParameters)]),
    segments,
    marks: segments.filter((segment) => segment.mark !== undefined).length,
  };
};
