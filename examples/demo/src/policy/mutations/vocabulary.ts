import { closingIndex, tokenize, type Token } from "../tokens.js";
import type { Vocabulary } from "./mutation.js";

const asyncNamesIn = (tokens: readonly Token[]): readonly string[] =>
  tokens.flatMap((token, index) => {
    if (token.text !== "async") return [];
    const next = tokens[index + 1];
    if (next?.text === "function")
      return tokens[index + 2]?.kind === "name" ? [tokens[index + 2]?.text ?? ""] : [];
    // A method, or `name = async (…) =>`.
    if (next?.kind === "name" && tokens[index + 2]?.text === "(") return [next.text];
    const assigned = ["=", ":"].includes(tokens[index - 1]?.text ?? "");
    return assigned ? [tokens[index - 2]?.text ?? ""] : [];
  });

/** Counts the names and short texts of some sources. */
export const vocabularyOf = (sources: readonly string[]): Vocabulary => {
  const counts = new Map<string, number>();
  const asyncNames = new Set<string>();
  for (const source of sources) {
    const tokens = tokenize(source);
    for (const token of tokens) {
      const text =
        token.kind === "string" && /^.[\w-]{2,24}.$/.test(token.text) ? token.text.slice(1, -1) : token.text;
      if (token.kind === "name" || text !== token.text) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    for (const name of asyncNamesIn(tokens)) asyncNames.add(name);
  }
  return { counts, asyncNames };
};

const NOT_CALLEES = new Set(["if", "for", "while", "switch", "with"]);

/** Indexes of the names in parameter lists. */
export const parametersIn = (tokens: readonly Token[]): ReadonlySet<number> => {
  const found = new Set<number>();
  for (const [index, token] of tokens.entries()) {
    if (token.text === "=>" && tokens[index - 1]?.kind === "name") found.add(index - 1);
    if (token.text !== "(" || token.kind !== "punctuator" || NOT_CALLEES.has(tokens[index - 1]?.text ?? ""))
      continue;
    const close = closingIndex(tokens, index);
    if (!["{", "=>"].includes(tokens[close + 1]?.text ?? "")) continue;
    for (let at = index + 1; at < close; at += 1) if (tokens[at]?.kind === "name") found.add(at);
  }
  return found;
};
