import type { Profile } from "./profiles.js";
import type { ShellRule } from "./rules.js";

/** What a workspace's own file asks for, as far as it narrows. */
export interface WorkspaceConfig {
  readonly profile: Profile | undefined;
  readonly rules: readonly ShellRule[];
  /** What is wrong with the file; then the strictest profile holds. */
  readonly problem: string | undefined;
}

const MAX_RULES = 200;
const KEYS = ["profile", "rules"];
const RULE_KEYS = ["command", "verdict", "why"];

const broken = (problem: string): WorkspaceConfig => ({ profile: "restricted", rules: [], problem });

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const escaped = (word: string): string =>
  word
    .split("*")
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"))
    .join("\\S*");

/**
 * Words that a command begins with; `*` stands for anything in a word. No regular expressions: whoever wrote the repository could
 * write one that never ends.
 */
const ruleOf = (value: unknown, at: number): ShellRule | string => {
  const name = `rules[${at}]`;
  if (!isRecord(value)) return `\`${name}\` is no object`;
  const unknown = Object.keys(value).find((key) => !RULE_KEYS.includes(key));
  if (unknown !== undefined)
    return `\`${name}\` has no key "${unknown}"; the keys are ${RULE_KEYS.join(", ")}`;
  const { command, verdict, why = "the workspace's own rule" } = value;
  if (typeof command !== "string" || command.trim() === "" || command.length > 500)
    return `\`${name}.command\` must be the words that a command begins with`;
  if (verdict !== "ask" && verdict !== "deny") return `\`${name}.verdict\` may only be "ask" or "deny"`;
  if (typeof why !== "string") return `\`${name}.why\` must be text`;
  const words = command.trim().split(/\s+/);
  const pattern = new RegExp(`^${words.map(escaped).join("\\s+")}(?:\\s|$)`);
  const example = words.join(" ");
  return { id: `workspace.${at}`, verdict, pattern, why, match: [example], noMatch: [`: ${example}`] };
};

/** Reads the text of a workspace's own file, which may be anything. */
export const readWorkspaceConfig = (text: string): WorkspaceConfig => {
  let given: unknown;
  try {
    given = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    return broken("it is no JSON");
  }
  if (!isRecord(given)) return broken("it is no object");
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return broken(`there is no key "${unknown}"; the keys are ${KEYS.join(", ")}`);
  const { profile, rules = [] } = given;
  if (profile !== undefined && profile !== "restricted" && profile !== "standard" && profile !== "trusted")
    return broken('`profile` must be "restricted", "standard" or "trusted"');
  if (!Array.isArray(rules) || rules.length > MAX_RULES)
    return broken(`\`rules\` must be a list of ${MAX_RULES} rules at most`);
  const read = rules.map(ruleOf);
  const wrong = read.find((rule) => typeof rule === "string");
  if (wrong !== undefined) return broken(wrong);
  return { profile, rules: read as ShellRule[], problem: undefined };
};
