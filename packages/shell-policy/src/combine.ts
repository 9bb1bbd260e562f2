import { worse, type Judgement } from "./verdict.js";

/** The worst of several; read-only when all are. */
export const worst = (first: Judgement, ...others: readonly Judgement[]): Judgement => {
  let result = first;
  for (const other of others) {
    const readOnly = result.readOnly && other.readOnly;
    const winner = worse(result.verdict, other.verdict) === result.verdict ? result : other;
    result = { ...winner, readOnly };
  }
  return result;
};

/** At least ask, whatever the inner command is. */
export const atLeastAsk = (inner: Judgement, rule: string, why: string): Judgement =>
  inner.verdict === "allow" ? { verdict: "ask", readOnly: false, rule, why } : { ...inner, readOnly: false };

/** At most ask: what happens elsewhere is not this machine's end. */
export const atMostAsk = (inner: Judgement, rule: string, why: string): Judgement =>
  inner.verdict === "deny" ? { verdict: "ask", readOnly: false, rule, why } : inner;

export const notReadOnly = (inner: Judgement): Judgement => ({ ...inner, readOnly: false });
