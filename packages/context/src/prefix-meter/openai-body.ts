import { asArray, asText, at, isObject, type Json } from "./json.js";
import {
  markLast,
  parametersOf,
  segmentOf,
  type Counting,
  type Prompt,
  type PromptSegment,
} from "./prompt.js";
import { rulesForModel, type CacheRules } from "./rules.js";

const SYSTEM_ROLES = new Set(["system", "developer"]);

const toolName = (tool: Json): string =>
  asText(tool["name"]) || asText(at(tool, "function.name")) || asText(tool["type"]);

/** What one message or item holds, as blocks; a string is shorthand for one text. */
const blocksOf = (item: Json): Json[] => {
  const { content, ...rest } = item;
  const type = asText(rest["type"]);
  if (type !== "" && type !== "message") return [item];
  const texts: Json[] =
    typeof content === "string"
      ? [{ type: "text", text: content }]
      : asArray(content)
          .filter(isObject)
          .map((part) =>
            // Chat calls a text "text", Responses "input_text" and "output_text".
            typeof part["text"] === "string" && /^(?:input_|output_)?text$/.test(asText(part["type"]))
              ? { ...part, type: "text" }
              : part,
          );
  const calls = asArray(rest["tool_calls"]).filter(isObject);
  const answered = rest["tool_call_id"] === undefined ? {} : { tool_call_id: rest["tool_call_id"] };
  return [...texts.map((block) => ({ ...block, ...answered })), ...calls];
};

const strip = ({
  prompt_cache_breakpoint: given,
  ...block
}: Json): { block: Json; mark?: { lifetime?: string } } => {
  if (!isObject(given)) return { block };
  return { block, mark: typeof given["ttl"] === "string" ? { lifetime: given["ttl"] } : {} };
};

const segmentsOf = (
  item: Json,
  where: "system" | "messages",
  index: number,
  counting: Counting,
): PromptSegment[] =>
  blocksOf(item).map((given) => {
    const { block, mark } = strip(given);
    const label = asText(item["role"]) || asText(item["type"]);
    const alone = block["type"] === "text" && Object.keys(block).length === 2;
    const shown = alone ? { shown: asText(block["text"]) } : {};
    return segmentOf({ where, index, label, block, mark, ...shown }, counting);
  });

/** The messages of a chat body, the input of a responses body, or undefined when the body is neither. */
const itemsOf = (body: Json): Json[] | undefined => {
  if (Array.isArray(body["messages"])) return body["messages"].filter(isObject);
  // What `previous_response_id` and `conversation` stand for is with the provider, so the prompt is not known.
  const given = (name: string): boolean => body[name] !== undefined && body[name] !== null;
  if (given("previous_response_id") || given("conversation") || given("prompt")) return undefined;
  const instructions =
    typeof body["instructions"] === "string" ? [{ role: "system", content: body["instructions"] }] : [];
  if (typeof body["input"] === "string") return [...instructions, { role: "user", content: body["input"] }];
  if (Array.isArray(body["input"])) return [...instructions, ...body["input"].filter(isObject)];
  return undefined;
};

/** Reads a body of OpenAI's Chat Completions or Responses API. */
export const readOpenAIBody = (body: Json, rules: CacheRules, counting: Counting): Prompt | undefined => {
  const items = itemsOf(body);
  if (!items) return undefined;
  const pick = (names: readonly string[]): Json =>
    Object.fromEntries(names.map((name) => [name, at(body, name)]));
  const model = asText(body["model"]);
  const { implicitMark, matching } = rulesForModel(rules, model);
  const firstOther = items.findIndex((item) => !SYSTEM_ROLES.has(asText(item["role"])));
  const leading = firstOther === -1 ? items.length : firstOther;
  const written: PromptSegment[] = [
    ...asArray(body["tools"])
      .filter(isObject)
      .map((tool, index) =>
        segmentOf({ where: "tools", index, label: toolName(tool), block: tool }, counting),
      ),
    parametersOf("system", pick(rules.promptParameters)),
    ...items.slice(0, leading).flatMap((item, index) => segmentsOf(item, "system", index, counting)),
    parametersOf("messages", pick(rules.messageParameters)),
    ...items.slice(leading).flatMap((item, index) => segmentsOf(item, "messages", index, counting)),
  ];
  const options = at(body, "prompt_cache_options.ttl") ?? body["prompt_cache_retention"];
  const lifetime = typeof options === "string" ? options : undefined;
  const implicit =
    matching === "marks" && implicitMark && at(body, "prompt_cache_options.mode") !== "explicit";
  const segments = implicit ? markLast(written, lifetime) : written;
  return {
    provider: "openai",
    model,
    seed: JSON.stringify(["openai", model, pick(rules.keyParameters)]),
    segments,
    marks: segments.filter((segment) => segment.mark !== undefined).length,
    ...(lifetime === undefined ? {} : { lifetime }),
  };
};
