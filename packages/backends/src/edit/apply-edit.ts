import { FileError } from "../workspace/file-error.js";
import { endingAt, toLf, uniformEnding, withEnding, type LineEnding } from "../workspace/line-endings.js";
import { foldedSpans, occurrences, separateOccurrences, type Span } from "./find-span.js";
import { shiftedSpans } from "./indentation.js";
import { dropLineNumbers, withoutLineNumbers } from "./line-numbers.js";

/** How the text to replace was found. Everything but `exact` is tolerant, and only taken when one place fits. */
export type EditStrategy =
  | "exact"
  /** CRLF for LF, or the other way round. */
  | "line-endings"
  | "trailing-space"
  /** Typographic quotes, dashes and spaces; composed and decomposed letters. */
  | "typography"
  /** Whole lines, all shifted by the same indentation. */
  | "indentation"
  /** The numbers in front of the lines were pasted along. */
  | "line-numbers";

export interface EditOutcome {
  readonly text: string;
  readonly strategy: EditStrategy;
  readonly occurrences: number;
  /** Where the first replacement stands in the old text, in UTF-16 code units, and how long it is in the new one. */
  readonly span: { readonly start: number; readonly end: number; readonly newEnd: number };
}

export interface EditRequest {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
  /** For messages. */
  readonly path: string;
}

const MAX_SHOWN = 10;

const lineOf = (text: string, at: number): number => {
  let line = 1;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line += 1;
  return line;
};

/** Gives a new text the line endings of the place where it goes. */
const fitter = (text: string): ((replacement: string, at: number) => string) => {
  let uniform: LineEnding | undefined | "unknown" = "unknown";
  return (replacement, at) => {
    if (!replacement.includes("\n")) return replacement;
    if (uniform === "unknown") uniform = uniformEnding(text);
    const ending = uniform ?? endingAt(text, at);
    return ending === undefined ? replacement : withEnding(replacement, ending);
  };
};

const splice = (text: string, spans: readonly Span[], replacementAt: (span: Span) => string): string => {
  const pieces: string[] = [];
  let from = 0;
  for (const span of spans) {
    pieces.push(text.slice(from, span.start), replacementAt(span));
    from = span.end;
  }
  pieces.push(text.slice(from));
  return pieces.join("");
};

const ambiguous = (text: string, path: string, starts: readonly number[], strategy: EditStrategy): never => {
  const lines = starts.slice(0, MAX_SHOWN).map((at) => lineOf(text, at));
  const more = starts.length > MAX_SHOWN ? ", …" : "";
  const how = strategy === "exact" ? "" : ` (apart from ${strategy})`;
  throw new FileError(
    "ambiguous",
    `${path} was not changed: old_string stands there ${starts.length} times${how}, at the lines ${lines.join(", ")}${more}. ` +
      "Take more of the lines around the one you mean, or set replace_all.",
  );
};

/** Lines of the file that could be meant: those that are equal to a line of the wanted text but for white space. */
const nearby = (text: string, wanted: string): string => {
  const bare = (line: string): string => line.replaceAll(/\s+/g, " ").trim().toLowerCase();
  const lines = wanted
    .split("\n")
    .map(bare)
    .filter((line) => line.length > 2);
  const all = text.split("\n").map(bare);
  for (const line of lines) {
    const at = all.flatMap((each, index) => (each === line ? [index + 1] : [])).slice(0, 5);
    if (at.length > 0)
      return ` A line of it stands at line ${at.join(", ")}, but not with what comes before and after.`;
  }
  return "";
};

const outcome = (
  text: string,
  strategy: EditStrategy,
  spans: readonly Span[],
  replacementAt: (span: Span) => string,
): EditOutcome => {
  const first = spans[0] as Span;
  return {
    text: splice(text, spans, replacementAt),
    strategy,
    occurrences: spans.length,
    span: { ...first, newEnd: first.start + replacementAt(first).length },
  };
};

/** Finds the text to replace in a tolerant way; undefined when there is none. */
const tolerant = (text: string, request: EditRequest): EditOutcome | undefined => {
  const { oldString, newString, path, replaceAll } = request;
  const fitted = fitter(text);
  const put = (span: Span): string => fitted(newString, span.start);

  const byEnding = foldedSpans(text, oldString, {});
  if (byEnding.length > 0) {
    // Line endings are no difference in what is meant, so all of them may be replaced.
    if (byEnding.length === 1 || replaceAll) {
      const apart = byEnding.filter(({ start }, at) => at === 0 || start >= (byEnding[at - 1] as Span).end);
      return outcome(text, "line-endings", apart, put);
    }
    return ambiguous(
      text,
      path,
      byEnding.map(({ start }) => start),
      "line-endings",
    );
  }
  const foldings = [
    ["trailing-space", { trailingSpace: true }],
    ["typography", { typography: true }],
    ["typography", { trailingSpace: true, typography: true }],
  ] as const;
  for (const [strategy, folding] of foldings) {
    const spans = foldedSpans(text, oldString, folding);
    if (spans.length === 1) return outcome(text, strategy, spans, put);
    if (spans.length > 1)
      return ambiguous(
        text,
        path,
        spans.map(({ start }) => start),
        strategy,
      );
  }
  const shifted = shiftedSpans(text, oldString);
  const [only] = shifted;
  if (only && shifted.length === 1) {
    return outcome(text, "indentation", [only], () => fitted(only.reindent(newString), only.start));
  }
  if (shifted.length > 1)
    return ambiguous(
      text,
      path,
      shifted.map(({ start }) => start),
      "indentation",
    );
  return undefined;
};

/**
 * Replaces a text in a text: exactly where it stands exactly, else where it can only mean one place. What is put in is taken
 * as it is but for line endings, which become those of the file.
 *
 * @throws {FileError} `not_found`, or `ambiguous` with the lines of the candidates.
 */
export const applyEdit = (text: string, request: EditRequest): EditOutcome => {
  const { oldString, newString, replaceAll, path } = request;
  const fitted = fitter(text);
  if (oldString === "") {
    if (text === "") return outcome("", "exact", [{ start: 0, end: 0 }], () => newString);
    throw new FileError(
      "ambiguous",
      `${path} was not changed: old_string is empty and the file is not. Name the text to replace.`,
    );
  }
  const exact = replaceAll ? separateOccurrences(text, oldString) : occurrences(text, oldString);
  if (exact.length === 1 || (replaceAll && exact.length > 0)) {
    const spans = exact.map((start) => ({ start, end: start + oldString.length }));
    return outcome(text, "exact", spans, ({ start }) => fitted(newString, start));
  }
  if (exact.length > 1) return ambiguous(text, path, exact, "exact");
  const found = tolerant(text, request);
  if (found) return found;
  const bare = withoutLineNumbers(oldString);
  if (bare !== undefined && bare.trim() !== "") {
    const again = { ...request, oldString: bare, newString: dropLineNumbers(newString), replaceAll: false };
    const at = occurrences(text, bare);
    if (at.length > 1) return ambiguous(text, path, at, "line-numbers");
    const [start] = at;
    if (start !== undefined) {
      return outcome(text, "line-numbers", [{ start, end: start + bare.length }], () =>
        fitted(again.newString, start),
      );
    }
    const tolerated = tolerant(text, again);
    if (tolerated) return { ...tolerated, strategy: "line-numbers" };
  }
  throw new FileError(
    "not_found",
    `${path} was not changed: old_string does not stand there.${nearby(toLf(text), toLf(oldString))} Read the file again ` +
      "and copy the text as it is.",
  );
};
