import type { Node } from "./parser.js";

/** A variable: its value, all of an array's, or that it is not known. */
export type Value = string | readonly string[] | undefined;

/** What a shell knows while a text runs in it. */
export interface Scope {
  readonly variables: Map<string, Value>;
  readonly functions: Map<string, Node>;
  readonly aliases: Map<string, string>;
  /** Variables whose values are evaluated as arithmetic whenever they are set. */
  readonly integers: Set<string>;
  /** `$1` and so on; undefined when they are not known. */
  parameters: readonly string[] | undefined;
  /** The working directory, or undefined after a `cd` to who knows where. */
  cwd: string | undefined;
  /** Files that this very text wrote, by absolute path: what runs them runs what nobody has looked at. */
  readonly written: Set<string>;
  /** Functions and texts that are being looked into, to notice when they call themselves. */
  readonly inside: readonly string[];
  /** How deep in texts within texts. */
  readonly depth: number;
}

/** A subshell: what it sets is gone afterwards. */
export const subshell = (scope: Scope): Scope => ({
  ...scope,
  variables: new Map(scope.variables),
  functions: new Map(scope.functions),
  aliases: new Map(scope.aliases),
});
