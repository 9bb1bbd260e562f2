/** The tree of a pattern. What is in here means the same to both engines. */
export type PatternNode =
  | { kind: "char"; code: number }
  | { kind: "any" }
  | { kind: "class"; negated: boolean; items: readonly ClassItem[] }
  | { kind: "assert"; assertion: "start" | "end" | "word" | "notWord" }
  | { kind: "group"; capture: boolean; name?: string; body: PatternNode }
  | { kind: "look"; ahead: boolean; negated: boolean; body: PatternNode }
  | { kind: "reference"; to: number | string }
  | { kind: "repeat"; body: PatternNode; min: number; max: number; lazy: boolean }
  | { kind: "sequence"; parts: readonly PatternNode[] }
  | { kind: "alternatives"; parts: readonly PatternNode[] };

export type ClassItem =
  | { kind: "range"; from: number; to: number }
  | { kind: "set"; set: "d" | "D" | "w" | "W" | "s" | "S" }
  | { kind: "property"; negated: boolean; name: string };

export interface ParsedPattern {
  root: PatternNode;
  /** `(?i)` at the start. */
  ignoreCase: boolean;
}
