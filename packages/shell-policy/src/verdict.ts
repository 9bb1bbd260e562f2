/** What is to happen with a command: never run it, ask a person first, or run it. */
export type Verdict = "deny" | "ask" | "allow";

/** What is said of one command, redirect or substitution of a text. */
export interface Judgement {
  readonly verdict: Verdict;
  /** True when it changes no file, repository, network state or process. */
  readonly readOnly: boolean;
  /** The rule that decided, for instance `rm.root`. */
  readonly rule: string;
  /** In words, for whoever is asked. */
  readonly why: string;
}

const RANK: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

export const worse = (one: Verdict, other: Verdict): Verdict => (RANK[one] >= RANK[other] ? one : other);

export const allow = (rule: string, why: string): Judgement => ({
  verdict: "allow",
  readOnly: false,
  rule,
  why,
});
export const reads = (rule = "read", why = "it only reads"): Judgement => ({
  verdict: "allow",
  readOnly: true,
  rule,
  why,
});
export const ask = (rule: string, why: string, readOnly = false): Judgement => ({
  verdict: "ask",
  readOnly,
  rule,
  why,
});
export const deny = (rule: string, why: string): Judgement => ({
  verdict: "deny",
  readOnly: false,
  rule,
  why,
});

/** The judgement of no command at all. */
export const NOTHING: Judgement = reads("empty", "it does nothing");
