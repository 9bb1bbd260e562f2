import type { Call, Judge } from "../call.js";
import { notReadOnly } from "../combine.js";
import { isKnown, PIPE, unmarkGlobs } from "../field.js";
import { absolute, isBelow, isSecret } from "../paths.js";
import { allow, ask, reads, type Judgement } from "../verdict.js";

/** Runs a file as a script: the workspace's own is the project's, another is foreign. */
const scriptFile = (call: Call, field: string): Judgement => {
  if (field === PIPE) return ask("foreign.pipe", "it runs what another command prints");
  if (!isKnown(field)) return ask("dynamic", "which script it runs is not known before it runs");
  const path = absolute(field, call.scope.cwd);
  if (path === undefined) return ask("dynamic", "which script it runs is not known before it runs");
  if (call.scope.written.has(path)) return ask("foreign.written", "it runs what this same text has written");
  if (isSecret(path, call.places)) return ask("secrets.read", "it takes keys from a file");
  if (!isBelow(path, call.places.workspace))
    return ask("foreign.script", "it runs a script from outside the workspace");
  if (/(?:deploy|publish|release|destroy)/i.test(path.slice(call.places.workspace.length)))
    return ask("remote.script", "by its name it changes something elsewhere");
  return allow("script", "it runs a script of the workspace");
};

/** Options of a shell that change nothing about what a text may do. */
const OPTIONS = /^(?:errexit|nounset|pipefail|noglob|noclobber|xtrace|verbose|noexec|posix)$/;

const shell: Judge = (call) => {
  const { args } = call;
  let at = 0;
  let command = false;
  let fromInput = false;
  let surely = /^(?:ba|da|a)?sh$/.test(call.name);
  const held = (judgement: Judgement): Judgement => (surely ? judgement : notReadOnly(judgement));
  for (; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (arg === "--") {
      at += 1;
      break;
    }
    if (!/^[-+]/.test(arg) || arg === "-") break;
    if (/^--(?:version|help)$/.test(arg)) return reads();
    if (/^-[a-zA-Z]*c/.test(arg)) command = true;
    if (/^-[a-zA-Z]*s/.test(arg)) fromInput = true;
    if (/^[-+][a-zA-Z]*[oO]$|^--(?:rcfile|init-file)$/.test(arg)) {
      const value = args[(at += 1)] ?? "";
      surely &&= /^-[a-zA-Z]*o$/.test(arg) && OPTIONS.test(value);
    }
    surely &&= /^[-+][cefhnuvxBEo]+$|^--(?:norc|noprofile|posix)$/.test(arg);
  }
  const rest = args.slice(at);
  if (command) {
    const [text, , ...parameters] = rest;
    return text === undefined ? reads() : held(call.runText(unmarkGlobs(text), { parameters }));
  }
  const [file] = rest;
  if (file !== undefined && file !== "-" && !fromInput) return scriptFile(call, file);
  if (typeof call.stdin === "object")
    return held(call.runText(call.stdin.text, { parameters: rest.slice(1) }));
  return ask(
    "foreign.pipe",
    call.stdin === "unknown"
      ? "it runs what another command prints"
      : "it starts a shell that reads commands from somewhere",
  );
};

const evaluate: Judge = (call) => {
  const text = call.args.map(unmarkGlobs).join(" ");
  return text === "" ? reads() : call.runText(text, { own: true });
};

const source: Judge = (call) => {
  const [file] = call.args;
  if (file === undefined) return ask("unknown", "it reads commands from nowhere");
  if (file === "/dev/stdin" && typeof call.stdin === "object")
    return call.runText(call.stdin.text, { own: true });
  return scriptFile(call, file);
};

const cd: Judge = (call) => {
  const operands = call.args.filter((arg) => !/^-[LPe@]+$|^--$/.test(arg));
  const [target = call.places.home] = operands;
  call.scope.cwd = target === "-" || !isKnown(target) ? undefined : absolute(target, call.scope.cwd);
  return reads("shell", "it only changes the shell's directory");
};

const popd: Judge = (call) => {
  call.scope.cwd = undefined;
  return reads("shell", "it only changes the shell's directory");
};

const kill: Judge = (call) => {
  const [first = "", ...rest] = call.args;
  if (/^-(?:l|L)$/.test(first) || first === "--list" || first === "-0") return reads();
  if ((first === "-s" || first === "-n") && rest[0] === "0") return reads();
  const targets = [first, ...rest].filter(
    (arg, index) => !(index === 0 && /^-(?!1$)|^-1$/.test(arg) && rest.length > 0) && arg !== "--",
  );
  if (targets.some((target) => target === "1" || target === "-1")) {
    return {
      verdict: "deny",
      readOnly: false,
      rule: "power",
      why: "it ends every process, or the one that all others hang on",
    };
  }
  return ask("processes", "it ends processes");
};

const busybox: Judge = (call) => (call.args.length === 0 ? reads() : call.run(call.args, call.stdin));

const coproc: Judge = (call) => notReadOnly(call.run(call.args, call.stdin));

export const SHELLS: Readonly<Record<string, Judge>> = {
  sh: shell,
  bash: shell,
  dash: shell,
  zsh: shell,
  ksh: shell,
  ash: shell,
  fish: shell,
  rbash: shell,
  eval: evaluate,
  source,
  ".": source,
  cd,
  chdir: cd,
  pushd: cd,
  popd,
  bg: () => reads(),
  fg: () => reads(),
  disown: () => reads(),
  kill,
  busybox,
  toybox: busybox,
  coproc,
};
