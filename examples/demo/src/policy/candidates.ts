import { editFor, inverse, sameEdit, type Edit } from "./edits.js";
import { hintsFrom } from "./hints.js";
import { mutationsOf } from "./mutations/index.js";
import { vocabularyOf } from "./mutations/vocabulary.js";
import type { Mutation } from "./mutations/mutation.js";
import { baseOf, keptAttempts, textIn, type Progress } from "./progress.js";
import { isTestFile } from "./project-files.js";
import type { Suspect } from "./survey.js";

/** A change worth trying, and the reasons that put it where it stands in the queue. */
export interface Candidate {
  readonly edit: Edit;
  readonly mutation: Mutation;
  readonly suspect: Suspect;
  readonly rank: number;
}

/** How much a line of the stack counts more than the other lines of the same function. */
const IN_STACK = 1.35;
/** What is left of a rank for each better change of the same line. */
const SAME_LINE = 0.92;

/** The suspect that speaks loudest for a line. */
const suspectFor = (suspects: readonly Suspect[], path: string, line: number): Suspect | undefined =>
  suspects
    .filter((one) => one.path === path && one.firstLine <= line && line <= one.lastLine)
    .reduce<Suspect | undefined>((best, one) => (best && best.score >= one.score ? best : one), undefined);

/** Files in which a change may be proposed. Tests are never among them. */
export const editablePaths = (suspects: readonly Suspect[]): readonly string[] => [
  ...new Set(suspects.map((suspect) => suspect.path).filter((path) => !isTestFile(path))),
];

/** Every change that the suspects and the failures suggest, most promising first. */
export const candidatesFor = (progress: Progress, suspects: readonly Suspect[]): readonly Candidate[] => {
  const hints = hintsFrom(progress.accepted?.failures ?? []);
  const sources = editablePaths(suspects).flatMap((path) => {
    const source = textIn(progress, path);
    return source === undefined ? [] : [{ path, source }];
  });
  // Everything read so far, the failing tests included: a name that only a test knows may be the right one.
  const vocabulary = vocabularyOf([...progress.files.values()].map((file) => file.lines.join("\n")));
  const found = sources.flatMap(({ path, source }) =>
    mutationsOf(source, hints, vocabulary).flatMap((mutation): Candidate[] => {
      const suspect = suspectFor(suspects, path, mutation.line);
      const edit = suspect && editFor(path, source, mutation);
      if (!suspect || !edit) return [];
      const stack = suspect.stackLines.includes(mutation.line) ? IN_STACK : 1;
      // Where a suspect is nothing but a constant, the constant is all that can be wrong with it.
      const constant = suspect.firstLine === suspect.lastLine && mutation.kind === "number" ? 1.25 : 1;
      return [{ edit, mutation, suspect, rank: suspect.score * mutation.weight * stack * constant }];
    }),
  );
  return spread(found.sort(byRank)).sort(byRank);
};

const byRank = (left: Candidate, right: Candidate): number =>
  right.rank - left.rank ||
  left.edit.path.localeCompare(right.edit.path) ||
  left.mutation.start - right.mutation.start ||
  left.mutation.replacement.localeCompare(right.mutation.replacement);

/** Each further change of one line counts a little less, so that no line eats up the attempts. */
const spread = (ranked: readonly Candidate[]): Candidate[] => {
  const seen = new Map<string, number>();
  return ranked.map((candidate) => {
    const line = `${candidate.edit.path}:${candidate.mutation.line}`;
    const before = seen.get(line) ?? 0;
    seen.set(line, before + 1);
    return { ...candidate, rank: candidate.rank * SAME_LINE ** before };
  });
};

/** The best candidate that was not tried on the present base. One tried on another base comes after all new ones. */
export const firstUntried = (progress: Progress, candidates: readonly Candidate[]): Candidate | undefined => {
  const base = baseOf(progress);
  const kept = keptAttempts(progress);
  const open = candidates.filter(
    ({ edit }) =>
      !progress.attempts.some((attempt) => attempt.base === base && sameEdit(attempt.edit, edit)) &&
      !kept.some((attempt) => sameEdit(inverse(attempt.edit), edit)),
  );
  return (
    open.find(({ edit }) => !progress.attempts.some((attempt) => sameEdit(attempt.edit, edit))) ?? open[0]
  );
};
