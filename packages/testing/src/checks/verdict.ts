/** What a matcher found, in vitest's form. */
export interface Verdict {
  pass: boolean;
  message: () => string;
}

/** Equality as the test framework means it; `expected` may be a part of `actual`. */
export type Equals = (actual: unknown, expected: unknown) => boolean;
