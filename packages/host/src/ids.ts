/** Names for new things, so that a test can say them. */
export interface Ids {
  /** A name that was not given before, of letters, digits, `-` and `_` alone, with the prefix in front. */
  next(prefix?: string): string;
}
