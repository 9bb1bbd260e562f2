import type { Hints } from "../hints.js";
import { tokenize } from "../tokens.js";
import { missingAwait, regexFlags, swappedArguments, swappedOperands } from "./calls.js";
import { booleans, numbers, offsets, texts } from "./constants.js";
import { explained } from "./explain.js";
import {
  applyMutation,
  type Mutation,
  type MutationContext,
  type Mutator,
  type Vocabulary,
} from "./mutation.js";
import { names, optionalAccess, pairs } from "./names.js";
import { parametersIn } from "./vocabulary.js";
import { accumulation, negation, operators } from "./operators.js";

const MUTATORS: readonly Mutator[] = [
  operators,
  accumulation,
  negation,
  numbers,
  offsets,
  booleans,
  texts,
  swappedArguments,
  swappedOperands,
  missingAwait,
  regexFlags,
  pairs,
  names,
  optionalAccess,
];

const importLines = (source: string): ReadonlySet<number> =>
  new Set(
    source.split("\n").flatMap((line, index) => (/^\s*import\b|\brequire\(/.test(line) ? [index + 1] : [])),
  );

/**
 * Every small change of a source that a slip of the programmer could explain, each once, with a weight that already
 * counts how well it explains the failures.
 */
export const mutationsOf = (source: string, hints: Hints, vocabulary: Vocabulary): readonly Mutation[] => {
  const tokens = tokenize(source);
  const context: MutationContext = { source, tokens, hints, vocabulary, parameters: parametersIn(tokens) };
  const imports = importLines(source);
  const found = new Map<string, Mutation>();
  for (const [index] of context.tokens.entries()) {
    for (const proposed of MUTATORS.flatMap((mutator) => mutator(context, index))) {
      // What a file imports is only wrong when the error says so.
      if (imports.has(proposed.line) && proposed.kind !== "name") continue;
      if (source.slice(proposed.start, proposed.end) === proposed.replacement) continue;
      const mutation = { ...proposed, weight: explained(proposed, source, hints) };
      const result = applyMutation(source, mutation);
      const before = found.get(result);
      if (!before || before.weight < mutation.weight) found.set(result, mutation);
    }
  }
  return [...found.values()];
};
