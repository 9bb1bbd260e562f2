import type { Hints } from "../hints.js";
import type { Mutation, MutationKind } from "./mutation.js";

type Boosts = Partial<Record<MutationKind, number>>;

const boost = (when: boolean, boosts: Boosts): Boosts => (when ? boosts : {});

/** Which kinds of slip make which kinds of failure. Factors above 1 are for it, below 1 against it. */
const boostsFor = (hints: Hints): readonly Boosts[] => {
  const byOne = hints.numbers.some(({ expected, actual }) => Math.abs(expected - actual) === 1);
  const opposite = hints.numbers.some(({ expected, actual }) => expected === -actual && expected !== 0);
  const numeric = hints.numbers.length > 0;
  return [
    boost(byOne, { boundary: 1.3, offset: 1.4, number: 1.1 }),
    boost(opposite, { swap: 1.7, arithmetic: 1.2, negation: 1.2 }),
    boost(numeric, { arithmetic: 1.25, number: 1.2, assignment: 1.2, logic: 0.9 }),
    boost(hints.flipped, {
      boundary: 1.3,
      comparison: 1.2,
      logic: 1.25,
      negation: 1.7,
      boolean: 1.3,
      arithmetic: 0.8,
    }),
    boost(hints.promise, { await: 2 }),
    boost(hints.nothing, { offset: 1.3, name: 1.5, await: 1.2, optional: 1.2 }),
    boost(hints.size, { boundary: 1.3, offset: 1.3, logic: 1.15, negation: 1.5, comparison: 1.3 }),
    boost(hints.order, {
      swap: 1.6,
      comparison: 1.1,
      boundary: 0.6,
      arithmetic: 0.5,
      text: 0.5,
      number: 0.6,
    }),
    boost(hints.texts.length > 0, { text: 1.3, regex: 1.4, offset: 1.1 }),
    boost(hints.thrown, {
      negation: 1.6,
      boundary: 1.15,
      comparison: 1.15,
      logic: 1.15,
      optional: 1.2,
      name: 1.1,
    }),
    boost(hints.unknownNames.size > 0, { name: 1.3 }),
  ];
};

/** A weight that counts how well the change explains the failures. */
export const explained = (mutation: Mutation, source: string, hints: Hints): number => {
  const factor = boostsFor(hints).reduce((product, boosts) => product * (boosts[mutation.kind] ?? 1), 1);
  return (
    mutation.weight *
    factor *
    (mutation.kind === "pair" ? pairFactor(source.slice(mutation.start, mutation.end), hints) : 1)
  );
};

const ORDER = /^(?:push|unshift|pop|shift|find|findLast|indexOf|lastIndexOf|reduceRight|first|last)$/;
const TEXT = /^(?:padStart|padEnd|trim|trimStart|trimEnd|startsWith|endsWith|replace|replaceAll)$/;
const CASE = /^to(?:Upper|Lower)Case$/;
const ROUNDING = /^(?:floor|ceil|round)$/;
const EXTREME = /^(?:min|max)$/;

const letters = (text: string): string => text.replace(/[\d\s]+/g, "");

/** A member of a pair explains failures of its own sort only: rounding does not put a list in another order. */
const pairFactor = (member: string, hints: Hints): number => {
  const digitsDiffer = hints.texts.some(({ expected, actual }) => letters(expected) === letters(actual));
  const small = hints.numbers.some(({ expected, actual }) => Math.abs(expected - actual) <= 1);
  if (ORDER.test(member)) return hints.order || hints.nothing ? 1.3 : 0.6;
  if (TEXT.test(member)) return hints.texts.length > 0 && !hints.order ? 1.3 : 0.5;
  if (ROUNDING.test(member)) return small ? 1.3 : digitsDiffer ? 0.7 : 0.4;
  if (EXTREME.test(member)) return hints.numbers.length > 0 || digitsDiffer || hints.size ? 1.3 : 0.7;
  if (!CASE.test(member)) return 1;
  return hints.texts.some(({ expected, actual }) => expected.toLowerCase() === actual.toLowerCase())
    ? 2
    : 0.5;
};
