import type { Call, Judge } from "../call.js";
import { atLeastAsk, notReadOnly, worst } from "../combine.js";
import { judgeAssignment } from "../environment.js";
import { isKnown, SPREAD, unmarkGlobs } from "../field.js";
import { optionsOf, valuesOf } from "../options.js";
import { allow, ask, reads, type Judgement } from "../verdict.js";
import { isHarmlessVariable } from "../variables.js";

const STATE = reads("shell", "it only changes the shell's own state");

/** Options that are not among these letters may be anything. */
const onlyLetters = (flags: ReadonlySet<string>, letters: string): boolean =>
  [...flags].every((flag) => flag.length === 1 && letters.includes(flag));

const held = (judgement: Judgement, surely: boolean): Judgement =>
  surely ? judgement : notReadOnly(judgement);

/** A builtin whose operands, and the values of some options, are names of variables. */
const naming =
  (letters: string, withValue: readonly string[], names: readonly string[]): Judge =>
  (call) => {
    const options = optionsOf(call.args, withValue);
    const given = [...options.operands, ...valuesOf(options, ...names)];
    return held(worst(STATE, ...given.map(call.variable)), onlyLetters(options.flags, letters));
  };

const read = naming("aedinNprstu", ["a", "d", "i", "n", "N", "p", "t", "u"], ["a"]);

const mapfile: Judge = (call) => {
  const options = optionsOf(call.args, ["C", "c", "d", "n", "O", "s", "u"]);
  const callbacks = valuesOf(options, "C").map((text) => notReadOnly(call.runText(unmarkGlobs(text))));
  return held(
    worst(STATE, ...callbacks, ...options.operands.map(call.variable)),
    onlyLetters(options.flags, "tdnOsuc"),
  );
};

const wait: Judge = (call) => {
  const options = optionsOf(call.args, ["p"]);
  return held(worst(STATE, ...valuesOf(options, "p").map(call.variable)), onlyLetters(options.flags, "fnp"));
};

const getopts: Judge = (call) =>
  worst(STATE, ...(call.args[1] === undefined ? [] : [call.variable(call.args[1])]));

const unset: Judge = (call) => {
  const { flags, operands } = optionsOf(call.args);
  if (flags.has("f"))
    return notReadOnly(worst(STATE, ...operands.map((name) => call.expanded(unmarkGlobs(name)))));
  const harmless = operands.every(isHarmlessVariable);
  return held(worst(STATE, ...operands.map(call.variable)), harmless);
};

const letBuiltin: Judge = (call) => worst(STATE, ...call.args.map(call.arithmetic));

const printf: Judge = (call) => {
  const [first = "", second] = call.args;
  const name = first === "-v" ? second : first.startsWith("-v") ? first.slice(2) : undefined;
  return worst(
    reads("print", `${call.name} prints text`),
    ...(name === undefined ? [] : [call.variable(name)]),
  );
};

const NUMERIC = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** `test` takes a name after `-v`; what it compares as numbers only some shells evaluate. */
const test: Judge = (call) => {
  const args = call.args.map(unmarkGlobs);
  const judged = args.map((arg, at): Judgement => {
    const next = args[at + 1];
    if ((arg === "-v" || arg === "-R") && next !== undefined && next !== "]") return call.variable(next);
    return NUMERIC.test(arg)
      ? worst(STATE, ...[args[at - 1], next].map((each) => call.expanded(each ?? "")))
      : STATE;
  });
  return held(worst(reads(), ...judged), !call.args.some((arg) => arg.includes(SPREAD)));
};

/** declare and its like: names, and values which some of their options evaluate. */
const declare: Judge = (call) => {
  const { flags, operands } = optionsOf(call.args.map((arg) => arg.replace(/^\+/, "-")));
  const prints = call.args.length === 0 || call.args.every((arg) => /^-[px]+$/.test(arg));
  if (prints && call.name !== "local")
    return ask("secrets.environment", "it prints the whole environment, keys included", true);
  if (flags.has("f") || flags.has("F")) return held(STATE, call.name !== "export");
  const exported = call.name === "export" || flags.has("x");
  const judged = operands.map((operand): Judgement => {
    const text = unmarkGlobs(operand);
    const [, name = text, value] = /^([^=]*?)\+?=([^]*)$/.exec(text) ?? [];
    const known = value !== undefined && isKnown(value) ? value : undefined;
    if (flags.has("i") && /^[A-Za-z_]\w*$/.test(name)) call.scope.integers.add(name);
    return worst(
      call.variable(name),
      ...(value === undefined ? [] : [judgeAssignment(name, known, (each) => call.runText(each), exported)]),
      ...(exported && !isHarmlessVariable(name) ? [notReadOnly(STATE)] : []),
      ...(value !== undefined && flags.has("i") ? [call.arithmetic(value)] : []),
      ...(value !== undefined && flags.has("n") ? [call.variable(value)] : []),
      ...(value?.trimStart().startsWith("(") ? [call.expanded(value)] : []),
    );
  });
  return held(worst(STATE, ...judged), onlyLetters(flags, "aAgilnprtux"));
};

const set: Judge = (call) => {
  const { args } = call;
  const dashes = args.indexOf("--");
  if (dashes >= 0) call.scope.parameters = args.slice(dashes + 1);
  else if (args.length > 0 && !/^[-+]/.test(args[0] ?? "")) call.scope.parameters = args;
  if (args.length === 0) return ask("secrets.environment", "it prints every variable, keys included", true);
  const own = dashes < 0 ? args : args.slice(0, dashes);
  const exports = own.some((arg) => /^-\w*a/.test(arg) || arg === "allexport" || !isKnown(arg));
  return held(STATE, !exports);
};

const alias: Judge = (call) => {
  const judged = call.args.map((arg): Judgement => {
    const match = /^([^=]+)=([^]*)$/.exec(arg);
    if (!match) return STATE;
    const body = unmarkGlobs(match[2] as string);
    // Judged before it is known by its name: `ls` in `alias ls='ls -l'` is the program.
    const inner = body.trim() === "" ? STATE : call.runText(body);
    call.scope.aliases.set(match[1] as string, body);
    return inner;
  });
  return worst(STATE, ...judged);
};

const unalias: Judge = (call) => {
  for (const arg of call.args) call.scope.aliases.delete(arg);
  return STATE;
};

const trap: Judge = (call) => {
  const [text, ...signals] = call.args[0] === "--" ? call.args.slice(1) : call.args;
  if (text === undefined || signals.length === 0 || text === "-" || text === "") return STATE;
  return /^-[lp]+$/.test(text) ? STATE : call.runText(unmarkGlobs(text));
};

const enable: Judge = ({ args }) =>
  args.some((arg) => /^-\w*f/.test(arg))
    ? ask("foreign.program", "it loads a builtin from a file")
    : held(
        STATE,
        args.every((arg) => /^-[aps]+$/.test(arg)),
      );

const hash: Judge = (call) =>
  call.args.some((arg) => /^-\w*p/.test(arg))
    ? ask("foreign.program", "it says which program a name stands for")
    : held(
        STATE,
        call.args.every((arg) => !arg.startsWith("-") || /^-[rltd]+$/.test(arg)),
      );

/** Texts that the shell runs later, when keys are pressed. */
const later = (call: Call, texts: readonly string[]): Judgement =>
  worst(
    allow("shell", "it changes what keys do"),
    ...texts.map((text) =>
      atLeastAsk(
        call.runText(unmarkGlobs(text)),
        "evaluated.later",
        "the shell runs it when keys are pressed",
      ),
    ),
  );

const complete: Judge = (call) => {
  const options = optionsOf(call.args, ["C", "F", "W", "A", "G", "P", "S", "X", "o"]);
  const words = valuesOf(options, "W").map((text) => call.expanded(unmarkGlobs(text)));
  if (call.args.length === 0 || call.args.every((arg) => arg === "-p")) return STATE;
  return worst(later(call, valuesOf(options, "C", "F")), ...words);
};

const bind: Judge = (call) => {
  const options = optionsOf(call.args, ["x", "f", "m", "q", "r", "u"]);
  const bound = valuesOf(options, "x").map((text) =>
    text.replace(/^[^:]*:\s*/, "").replaceAll(/^["']|["']$/g, ""),
  );
  return call.args.every((arg) => /^-[lpPsSvVX]+$/.test(arg)) ? STATE : later(call, bound);
};

const echo: Judge = (call) => reads("print", `${call.name} prints text`);

export const BUILTINS: Readonly<Record<string, Judge>> = {
  read,
  readarray: mapfile,
  mapfile,
  wait,
  getopts,
  unset,
  let: letBuiltin,
  printf,
  test,
  "[": test,
  echo,
  ":": () => STATE,
  declare,
  typeset: declare,
  export: declare,
  readonly: declare,
  local: declare,
  set,
  shopt: () => STATE,
  alias,
  unalias,
  trap,
  enable,
  hash,
  complete,
  bind,
};
