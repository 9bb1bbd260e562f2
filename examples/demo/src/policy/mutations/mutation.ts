import type { Hints } from "../hints.js";
import type { Token } from "../tokens.js";

export type MutationKind =
  | "boundary"
  | "comparison"
  | "arithmetic"
  | "assignment"
  | "logic"
  | "negation"
  | "number"
  | "offset"
  | "boolean"
  | "text"
  | "swap"
  | "await"
  | "pair"
  | "name"
  | "optional"
  | "regex";

/** One small change of a source: the characters from `start` to `end` become `replacement`. */
export interface Mutation {
  readonly kind: MutationKind;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** 1-based line of the change. */
  readonly line: number;
  /** How often a change of this sort is the answer, before the failure is looked at: 0 to 1. */
  readonly weight: number;
}

/** What is known of all sources and tests read so far. */
export interface Vocabulary {
  /** How often each name or short text occurs. */
  readonly counts: ReadonlyMap<string, number>;
  /** Names of functions that are declared async, so that a call of one gives a promise. */
  readonly asyncNames: ReadonlySet<string>;
}

/** What a mutator may look at. */
export interface MutationContext {
  readonly source: string;
  readonly tokens: readonly Token[];
  readonly hints: Hints;
  readonly vocabulary: Vocabulary;
  /** Indexes of tokens that name a parameter where it is declared. */
  readonly parameters: ReadonlySet<number>;
}

/** Proposes changes at one token. */
export type Mutator = (context: MutationContext, index: number) => readonly Mutation[];

/** A change of one token. */
export const replaceToken = (
  token: Token,
  replacement: string,
  kind: MutationKind,
  weight: number,
): Mutation => ({ kind, start: token.start, end: token.end, replacement, line: token.line, weight });

/** A change that only adds text, before the character at `at`. */
export const insertAt = (
  at: number,
  line: number,
  text: string,
  kind: MutationKind,
  weight: number,
): Mutation => ({ kind, start: at, end: at, replacement: text, line, weight });

export const applyMutation = (source: string, mutation: Mutation): string =>
  source.slice(0, mutation.start) + mutation.replacement + source.slice(mutation.end);

/** The mutation that undoes another one in the source that it made. */
export const inverseOf = (source: string, mutation: Mutation): Mutation => ({
  ...mutation,
  end: mutation.start + mutation.replacement.length,
  replacement: source.slice(mutation.start, mutation.end),
});
