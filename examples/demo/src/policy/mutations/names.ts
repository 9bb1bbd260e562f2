import type { Token } from "../tokens.js";
import { isNear } from "./constants.js";
import { insertAt, replaceToken, type Mutation, type MutationContext, type Mutator } from "./mutation.js";

/** Words that stand for one side of something, each with the other sides. */
const PAIRS: readonly (readonly string[])[] = [
  ["min", "max"],
  ["minimum", "maximum"],
  ["floor", "ceil", "round"],
  ["push", "unshift"],
  ["pop", "shift"],
  ["some", "every"],
  ["find", "findLast"],
  ["findIndex", "findLastIndex"],
  ["indexOf", "lastIndexOf"],
  ["startsWith", "endsWith"],
  ["padStart", "padEnd"],
  ["trimStart", "trimEnd", "trim"],
  ["toUpperCase", "toLowerCase"],
  ["replace", "replaceAll"],
  ["keys", "values", "entries"],
  ["map", "flatMap"],
  ["all", "allSettled"],
  ["reduce", "reduceRight"],
  ["first", "last"],
  ["start", "end"],
  ["begin", "end"],
  ["from", "to"],
  ["left", "right"],
  ["top", "bottom"],
  ["width", "height"],
  ["rows", "columns"],
  ["row", "column"],
  ["x", "y"],
  ["before", "after"],
  ["previous", "next"],
  ["lower", "upper"],
  ["low", "high"],
  ["head", "tail"],
  ["source", "target"],
  ["key", "value"],
  ["add", "delete"],
  ["hours", "minutes", "seconds"],
  ["asc", "desc"],
];

const SIDES = new Map(
  PAIRS.flatMap((pair) => pair.map((word) => [word, pair.filter((other) => other !== word)] as const)),
);

/** Members that are seldom mistaken for their counterpart. */
const RARE = new Set([
  "reduce",
  "map",
  "add",
  "delete",
  "keys",
  "values",
  "entries",
  "all",
  "find",
  "trim",
  "next",
  "key",
  "value",
]);

/** `max` for `min`, `ceil` for `floor`, `unshift` for `push`. */
export const pairs: Mutator = ({ tokens, parameters }, index) => {
  const token = tokens[index];
  if (token?.kind !== "name") return [];
  const member = tokens[index - 1]?.text === "." || tokens[index - 1]?.text === "?.";
  // Outside a member access these are names of one's own; another name is a change of meaning only if it exists.
  const others = SIDES.get(token.text) ?? [];
  const exists = (name: string): boolean =>
    tokens.some((other) => other.kind === "name" && other.text === name);
  return others
    .filter((other) => member || (exists(other) && !parameters.has(index) && !declares(tokens, index)))
    .map((other) => replaceToken(token, other, "pair", RARE.has(token.text) ? 0.25 : member ? 0.75 : 0.35));
};

const DECLARERS = new Set(["const", "let", "var", "function", "class", "async", "static", "get", "set"]);

/** The name at `index` is being declared or is a key, so that another name there would change more than one use. */
const declares = (tokens: readonly Token[], index: number): boolean =>
  DECLARERS.has(tokens[index - 1]?.text ?? "") ||
  tokens[index + 1]?.text === ":" ||
  tokens[index + 1]?.text === "=>";

/** Members that this source reads from the same object, near the token first. */
const membersOf = (tokens: readonly Token[], receiver: string): readonly string[] => [
  ...new Set(
    tokens.flatMap((token, index) =>
      token.text === receiver &&
      [".", "?."].includes(tokens[index + 1]?.text ?? "") &&
      tokens[index + 3]?.text !== "("
        ? [tokens[index + 2]?.text ?? ""]
        : [],
    ),
  ),
];

const RESERVED =
  /^(?:if|else|for|while|return|const|let|var|function|class|new|await|async|import|export|from|of|in|this|true|false|null|undefined|typeof|throw|default|static)$/;

/** A name that the error calls unknown becomes the nearest name that the project knows. */
const nearestNames = (context: MutationContext, token: Token): readonly Mutation[] => {
  if (!context.hints.unknownNames.has(token.text)) return [];
  return [...context.vocabulary.counts.keys()]
    .filter((name) => name !== token.text && /^[\p{L}_$]/u.test(name) && isNear(token.text, name))
    .map((name) => replaceToken(token, name, "name", 0.95));
};

/** Another member of the same object, or another local of the same statement's neighbourhood. */
export const names: Mutator = (context, index) => {
  const { tokens } = context;
  const token = tokens[index];
  if (token?.kind !== "name" || RESERVED.test(token.text)) return [];
  const nearest = nearestNames(context, token);
  const member = tokens[index - 1]?.text === "." || tokens[index - 1]?.text === "?.";
  const receiver = tokens[index - 2];
  if (member) {
    if (receiver?.kind !== "name" || tokens[index + 1]?.text === "(") return nearest;
    const others = membersOf(tokens, receiver.text).filter(
      (name) => name !== token.text && name !== "length",
    );
    return [
      ...nearest,
      ...others.map((name) => replaceToken(token, name, "name", 0.35)),
      ...misspelt(context, token).map((name) => replaceToken(token, name, "name", 0.9)),
    ];
  }
  if (
    context.parameters.has(index) ||
    declares(tokens, index) ||
    tokens[index + 1]?.text === "(" ||
    tokens[index + 1]?.text === "="
  )
    return nearest;
  // What methods are called on, and what stands on both sides of an operator, is rarely mixed up.
  const weight = tokens[index + 1]?.text === "." || tokens[index + 1]?.text === "[" ? 0.12 : 0.28;
  const sides = [tokens[index - 2]?.text, tokens[index + 2]?.text];
  return [
    ...nearest,
    ...localsNear(context, index)
      .filter((name) => !sides.includes(name))
      .map((name) => replaceToken(token, name, "name", weight)),
  ];
};

/** A name used once, next to one of almost the same spelling that is used more often. */
const misspelt = ({ vocabulary: { counts } }: MutationContext, token: Token): readonly string[] =>
  (counts.get(token.text) ?? 0) > 1
    ? []
    : [...counts].flatMap(([name, count]) =>
        count > 1 && name !== token.text && isNear(token.text, name) ? [name] : [],
      );

/** Other plain names used in the same line: the usual victims of a mix-up. */
const localsNear = ({ tokens }: MutationContext, index: number): readonly string[] => {
  const token = tokens[index];
  const here = tokens.flatMap((other, at) =>
    other.line === token?.line &&
    other.kind === "name" &&
    !RESERVED.test(other.text) &&
    tokens[at - 1]?.text !== "." &&
    tokens[at + 1]?.text !== "(" &&
    tokens[at + 1]?.text !== "." &&
    !declares(tokens, at)
      ? [other.text]
      : [],
  );
  return [...new Set(here)].filter((name) => name !== token?.text).slice(0, 4);
};

/** `a?.b` where the error says that `a` is undefined. */
export const optionalAccess: Mutator = ({ tokens, hints }, index) => {
  const token = tokens[index];
  const looked = tokens[index + 1];
  if (token?.text !== "." || looked?.kind !== "name" || !hints.unknownNames.has(looked.text)) return [];
  return [insertAt(token.start, token.line, "?", "optional", 0.5)];
};
