import { worst } from "./combine.js";
import { isKnown, showField, SPREAD, UNKNOWN, unmarkGlobs } from "./field.js";
import type { Value } from "./scope.js";
import { isPlainVariable } from "./variables.js";
import { allow, ask, NOTHING, reads, type Judgement } from "./verdict.js";

/** What judging needs of the shell that would evaluate the text. */
export interface Evaluation {
  run(text: string): Judgement;
  value(name: string): Value;
}

const MAX_NESTED = 6;
const STATE = reads("shell", "it only changes the shell's own state");
const DOUBT = allow("evaluated", "what it would evaluate is not known before it runs");
const HOLDS_CODE = /\$\(|`|[<>]\(/;
const NUMBER = /^\s*[-+]?\d+\s*$/;

const withoutMarks = (field: string): string =>
  unmarkGlobs(field).replaceAll(SPREAD, "").replaceAll(UNKNOWN, "");

/** The commands of a text that is expanded once more, whatever quotes them now. */
export const commandsIn = (written: string): string[] => {
  const text = written.replaceAll(/\\([$`"\\])/g, "$1");
  const found = [...text.matchAll(/`([^`]*)`?/g)].map((match) => match[1] as string);
  for (const match of text.matchAll(/[$<>]\(/g)) {
    const from = match.index + 2;
    let [at, depth] = [from, 1];
    for (; at < text.length && depth > 0; at += 1) {
      if (text[at] === "(") depth += 1;
      else if (text[at] === ")") depth -= 1;
    }
    found.push(text.slice(from, depth === 0 ? at - 1 : at));
  }
  return found.filter((each) => each.trim() !== "");
};

/** Text that the shell expands although it looks like data. */
export const judgeExpanded = (text: string, { run }: Evaluation): Judgement =>
  HOLDS_CODE.test(text)
    ? {
        ...worst(
          ask("evaluated.code", `the shell runs the commands in ${showField(text).slice(0, 80)}`),
          ...commandsIn(text).map(run),
        ),
        readOnly: false,
      }
    : NOTHING;

/** A subscript that only counts: neither quotes nor expansions of more than a variable. */
const SUBSCRIPT = /\[[\w\s+*/%$-]*\]/g;

const operandsOf = (text: string): string[] => [
  ...[...text.matchAll(/\$\{?#?(\d+|[@*])/g)].map((match) => match[1] as string),
  ...(text.replaceAll(/\b(?:0[xX][0-9a-fA-F]+|\d+#\w+|\d+)\b/g, " ").match(/[A-Za-z_]\w*/g) ?? []),
];

/** Arithmetic evaluates what its variables hold as arithmetic again, and runs what stands in a subscript. */
export const judgeArithmetic = (field: string, evaluation: Evaluation, depth = 0): Judgement => {
  const text = withoutMarks(field);
  if (HOLDS_CODE.test(text)) return judgeExpanded(text, evaluation);
  let plain = text;
  for (let before = ""; before !== plain;) {
    before = plain;
    plain = plain.replaceAll(SUBSCRIPT, (all) => ` ${all.slice(1, -1)} `);
  }
  if (/[[\]]/.test(plain))
    return ask("evaluated.code", "the shell evaluates a subscript that is no number and no name");
  const judged = operandsOf(plain).map((name): Judgement => {
    const value = evaluation.value(name);
    const values = typeof value === "string" ? [value] : value;
    if (!values || depth > MAX_NESTED || (/\D/.test(name) && !isPlainVariable(name))) return DOUBT;
    return worst(
      NOTHING,
      ...values
        .filter((each) => !NUMBER.test(each))
        .map((each) => judgeArithmetic(each, evaluation, depth + 1)),
    );
  });
  return worst(isKnown(field) ? NOTHING : DOUBT, ...judged);
};

/** The name of a variable that a builtin sets or looks at: its subscript is evaluated. */
export const judgeName = (field: string, evaluation: Evaluation): Judgement => {
  const name = withoutMarks(field);
  const [, base = "", , subscript] = /^([A-Za-z_]\w*)(\[([^]*)\])?$/.exec(name) ?? [];
  if (HOLDS_CODE.test(name)) return judgeExpanded(name, evaluation);
  if (!isKnown(field)) return DOUBT;
  if (base === "") return ask("evaluated.name", `${showField(field).slice(0, 80)} is no name of a variable`);
  const inner =
    subscript === undefined || subscript === "@" || subscript === "*"
      ? STATE
      : judgeArithmetic(subscript, evaluation);
  return worst(isPlainVariable(base) ? STATE : DOUBT, inner);
};

/** `${…}`: some forms evaluate what the variable holds, or what stands in them. */
export const judgeExpansion = (text: string, evaluation: Evaluation): Judgement => {
  const [, indirect, name = "", , index, rest = ""] =
    /^\$\{(!)?#?([A-Za-z_]\w*|\d+|[@*])(\[([^\]]*)\])?([^]*)\}$/.exec(text) ?? [];
  if (name === "") return NOTHING;
  const judged: Judgement[] = [];
  const listsNames = rest === "*" || rest === "@" || ((index === "@" || index === "*") && rest === "");
  if (index !== undefined && index !== "@" && index !== "*") judged.push(judgeArithmetic(index, evaluation));
  const held = evaluation.value(name);
  const values = typeof held === "string" ? [held] : held;
  if (indirect === "!" && !listsNames)
    judged.push(...(values?.map((value) => judgeName(value, evaluation)) ?? [DOUBT]));
  if (rest.startsWith("@P"))
    judged.push(
      ...(values?.map((value) => judgeExpanded(value, evaluation)) ?? [
        ask("dynamic", "it expands a text that is not known before it runs"),
      ]),
    );
  if (/^:(?![-=?+])/.test(rest)) judged.push(judgeArithmetic(rest.slice(1), evaluation));
  if (/^:?=/.test(rest) && !isPlainVariable(name)) judged.push(DOUBT);
  return worst(NOTHING, ...judged);
};
