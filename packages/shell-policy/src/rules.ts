import { ShellPolicyError } from "./errors.js";
import type { Judgement } from "./verdict.js";

/**
 * A rule of a product's own: a regular expression over each command as it would be started (`npm publish --tag x`), quotes
 * and variables resolved and wrappers seen through. It may only narrow.
 */
export interface ShellRule {
  /** For whoever reads a verdict; shown as `own.<id>`. */
  readonly id: string;
  readonly verdict: "deny" | "ask";
  readonly pattern: RegExp;
  readonly why: string;
  /** Texts that it must match, and texts that it must not; checked when the policy is made. */
  readonly match: readonly string[];
  readonly noMatch: readonly string[];
}

const tests = ({ pattern }: ShellRule, text: string): boolean =>
  new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, "")).test(text);

/** @throws {ShellPolicyError} `invalid_option` when a rule does not do what its examples say. */
export const checkRules = (rules: readonly ShellRule[]): void => {
  for (const rule of rules) {
    const fail = (why: string): never => {
      throw new ShellPolicyError("invalid_option", `The rule "${rule.id}" ${why}.`);
    };
    if (!(rule.pattern instanceof RegExp)) fail("needs a `pattern` that is a RegExp");
    if (rule.verdict !== "deny" && rule.verdict !== "ask") fail('may only "deny" or "ask"');
    if (
      !Array.isArray(rule.match) ||
      !Array.isArray(rule.noMatch) ||
      rule.match.length === 0 ||
      rule.noMatch.length === 0
    )
      fail("needs an example that it matches and one that it does not");
    for (const text of rule.match)
      if (!tests(rule, text)) fail(`does not match its example ${JSON.stringify(text)}`);
    for (const text of rule.noMatch)
      if (tests(rule, text)) fail(`matches ${JSON.stringify(text)}, which it should not`);
  }
};

export const judgeByRules = (
  commands: readonly string[],
  rules: readonly ShellRule[],
): Judgement | undefined => {
  const found = rules.filter((rule) => commands.some((command) => tests(rule, command)));
  const rule = found.find(({ verdict }) => verdict === "deny") ?? found[0];
  return rule && { verdict: rule.verdict, readOnly: false, rule: `own.${rule.id}`, why: rule.why };
};
