import { HostError } from "../errors.js";

const MAX_PATTERN_LENGTH = 10_000;

/** What no pattern may be, literal or not. */
export const checkPatternText = (pattern: string): void => {
  if (pattern === "") throw new HostError("invalid_argument", "the pattern is empty; give the text to find");
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new HostError("invalid_argument", `the pattern is longer than ${MAX_PATTERN_LENGTH} characters`);
  if (/\p{Surrogate}/u.test(pattern) || pattern.includes("\0"))
    throw new HostError("invalid_argument", "the pattern holds half a character (a lone surrogate) or NUL");
  if (pattern.includes("\n"))
    throw new HostError(
      "invalid_argument",
      "a match lies within one line; search for one line of the text, and read on in the file",
    );
};

/** Why JavaScript refuses an expression; undefined when it does not. */
export const regexFault = (source: string, flags: string): SyntaxError | undefined => {
  try {
    RegExp(source, flags);
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
};
