import { getTextAtPath, type MatchCondition, type SearchOperation } from "@langchain/langgraph-checkpoint";
import type { StoredItem } from "./store-state.js";

// Pure functions over items: what a search finds, which namespaces a listing names.

export const isUnder = (namespace: readonly string[], prefix: readonly string[]): boolean =>
  prefix.length <= namespace.length && prefix.every((label, index) => namespace[index] === label);

/** The filter of LangGraph's `InMemoryStore`: equality, or an object of operators. */
export const matchesItemFilter = (
  value: Readonly<Record<string, unknown>>,
  filter: NonNullable<SearchOperation["filter"]>,
): boolean =>
  Object.entries(filter).every(([key, wanted]) => {
    const found = Object.hasOwn(value, key) ? value[key] : undefined;
    return isOperators(wanted)
      ? Object.entries(wanted).every(([operator, operand]) => OPERATORS[operator]!(found, operand))
      : found === wanted;
  });

const OPERATORS: Record<string, (found: unknown, operand: unknown) => boolean> = {
  $eq: (found, operand) => found === operand,
  $ne: (found, operand) => found !== operand,
  $gt: (found, operand) => Number(found) > Number(operand),
  $gte: (found, operand) => Number(found) >= Number(operand),
  $lt: (found, operand) => Number(found) < Number(operand),
  $lte: (found, operand) => Number(found) <= Number(operand),
  $in: (found, operand) => Array.isArray(operand) && operand.includes(found),
  $nin: (found, operand) => !Array.isArray(operand) || !operand.includes(found),
};

const isOperators = (wanted: unknown): wanted is Record<string, unknown> =>
  typeof wanted === "object" &&
  wanted !== null &&
  Object.keys(wanted).every((key) => Object.hasOwn(OPERATORS, key));

/**
 * How well the item's words fit the query; 0 when none does. Rare words count more, repetitions less and less, and long
 * texts are not favoured: the ranking known as BM25.
 */
export const rankByText = <T extends { item: StoredItem; value: Record<string, unknown> }>(
  found: readonly T[],
  query: string,
): { entry: T; score: number }[] => {
  const wanted = Array.from(new Set(wordsOf(query)));
  const documents = found.map((entry) => ({ entry, words: wordsOf(searchedText(entry)) }));
  const meanLength =
    documents.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, documents.length);
  const weight = new Map(
    wanted.map((word) => {
      const holding = documents.filter(({ words }) => words.includes(word)).length;
      return [word, Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5))];
    }),
  );
  return documents
    .map(({ entry, words }) => {
      let score = 0;
      for (const word of wanted) {
        const times = words.filter((one) => one === word).length;
        const length = 1.2 * (0.25 + 0.75 * (words.length / Math.max(1, meanLength)));
        score += (weight.get(word)! * times * 2.2) / (times + length);
      }
      return { entry, score };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
};

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const searchedText = ({ item, value }: { item: StoredItem; value: Record<string, unknown> }): string => {
  if (item.index === false) return "";
  if (item.index) return item.index.flatMap((path) => textsAt(value, path)).join(" ");
  return `${item.key} ${stringsIn(value).join(" ")}`;
};

const textsAt = (value: Record<string, unknown>, path: string): string[] => {
  try {
    return getTextAtPath(value, path);
  } catch {
    // LangGraph's helper throws where the path leads through something that is not there.
    return [];
  }
};

/** Not recursive: a value may be nested deeper than the stack. */
const stringsIn = (value: unknown): string[] => {
  const found: string[] = [];
  const open = [value];
  while (open.length > 0) {
    const each = open.pop();
    if (typeof each === "string") found.push(each);
    else if (typeof each === "object" && each !== null) open.push(...Object.values(each).reverse());
  }
  return found;
};

export const matchesCondition = (
  { matchType, path }: MatchCondition,
  namespace: readonly string[],
): boolean => {
  if (path.length > namespace.length) return false;
  const offset = matchType === "prefix" ? 0 : namespace.length - path.length;
  return path.every((label, index) => label === "*" || namespace[offset + index] === label);
};
