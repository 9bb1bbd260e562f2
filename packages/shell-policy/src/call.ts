import type { Places } from "./paths.js";
import type { Scope } from "./scope.js";
import type { Judgement } from "./verdict.js";

/** One command as the shell would start it, and what its judges may ask. */
export interface Call {
  /** The program's name, without its directory when that is one of the system's. */
  readonly name: string;
  readonly args: readonly string[];
  readonly scope: Scope;
  readonly places: Places;
  /** What comes on standard input: the text where it is known, `"unknown"` where something comes, undefined where nothing does. */
  readonly stdin: Input;
  /** Judges a command made of these fields, in the same scope. */
  run(fields: readonly string[], stdin?: Input): Judgement;
  /** Judges a text as a shell would run it; UNKNOWN in it makes it one to ask about. */
  runText(
    text: string,
    options?: { parameters?: readonly string[]; own?: boolean; cwd?: string | undefined },
  ): Judgement;
  /** Judges what the shell evaluates as arithmetic, or takes as a variable's name, or expands once more. */
  arithmetic(text: string): Judgement;
  variable(name: string): Judgement;
  expanded(text: string): Judgement;
  /** Judges writing to a path. */
  write(field: string, how?: WriteKind): Judgement;
  /** Judges reading the content of a path. */
  read(field: string): Judgement;
}

export type Input = { readonly text: string } | "unknown" | undefined;

export type WriteKind = "write" | "empty" | "remove" | "move-away" | "metadata";

export type Judge = (call: Call) => Judgement;
