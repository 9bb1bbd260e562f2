import type { Call, Judge } from "../call.js";
import { atLeastAsk, notReadOnly, worst } from "../combine.js";
import { judgeAssignment } from "../environment.js";
import { absolute } from "../paths.js";
import { isKnown, SPREAD, unmarkGlobs } from "../field.js";
import { allow, ask, reads, type Judgement } from "../verdict.js";

/** What follows the wrapper's own options. */
const innerOf = (args: readonly string[], withValue: RegExp, operands = 0): readonly string[] => {
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (arg === "--") {
      at += 1;
      break;
    }
    if (!arg.startsWith("-") || arg === "-") break;
    if (withValue.test(arg)) at += 1;
  }
  return args.slice(at + operands);
};

/** A wrapper that changes nothing about what the inner command does. */
const transparent =
  (
    withValue = /^$/,
    operands = 0,
    after: (judgement: Judgement) => Judgement = (judgement) => judgement,
  ): Judge =>
  (call) => {
    const inner = innerOf(call.args, withValue, operands);
    return inner.length === 0 ? after(reads()) : after(call.run(inner, call.stdin));
  };

/** `NAME=value` in front of a command. */
const assigned = (call: Call, arg: string): Judgement => {
  const [, name = "", value = ""] = /^([^=]+)=([^]*)$/.exec(arg) ?? [];
  return judgeAssignment(name, isKnown(value) ? value : undefined, (text) => call.runText(text));
};

const env: Judge = (call) => {
  const { args } = call;
  let at = 0;
  let cwd = call.scope.cwd;
  let surely = true;
  const judged: Judgement[] = [];
  for (; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (arg.includes(SPREAD)) surely = false;
    if (arg === "-S" || arg === "--split-string")
      return notReadOnly(worst(reads(), ...judged, call.runText(unmarkGlobs(args.slice(at + 1).join(" ")))));
    if (arg.startsWith("--split-string=") || /^-S./.test(arg))
      return notReadOnly(
        call.runText(unmarkGlobs([arg.replace(/^-S|^--split-string=/, ""), ...args.slice(at + 1)].join(" "))),
      );
    if (!/^(?:-C|--chdir(?:=.*)?|-v|--debug|--|-0|--null)$/.test(arg) && arg.startsWith("-")) surely = false;
    if (arg === "-u" || arg === "--unset") at += 1;
    else if (arg === "-C" || arg === "--chdir") cwd = absolute(args[(at += 1)] ?? "", call.scope.cwd);
    else if (arg.startsWith("--chdir=")) cwd = absolute(arg.slice(8), call.scope.cwd);
    else if (arg === "--") {
      at += 1;
      break;
    } else if (arg.startsWith("-")) continue;
    else if (/^[A-Za-z_]\w*=/.test(arg)) {
      judged.push(assigned(call, arg));
    } else break;
  }
  // Assignments may stand behind the options.
  for (; at < args.length && /^[A-Za-z_]\w*=/.test(args[at] as string); at += 1)
    judged.push(assigned(call, args[at] as string));
  const inner = args.slice(at);
  if (inner.length === 0)
    return worst(
      ask("secrets.environment", "it prints the whole environment, keys included", true),
      ...judged,
    );
  const before = call.scope.cwd;
  call.scope.cwd = cwd;
  const judgement = call.run(inner, call.stdin);
  call.scope.cwd = before;
  const all = worst(judgement, ...judged);
  return surely ? all : notReadOnly(all);
};

const command: Judge = (call) => {
  if (call.args.some((arg) => /^-[a-zA-Z]*[vV]/.test(arg)))
    return reads("names", "it only says what a name stands for");
  const inner = innerOf(call.args, /^$/);
  return inner.length === 0 ? reads() : call.run(inner, call.stdin);
};

const ELEVATED =
  /^-(?:u|g|h|p|C|r|t|T|D|R|U)$|^--(?:user|group|host|prompt|close-from|role|type|chdir|chroot|other-user)$/;

/** Runs something as somebody else: never without being asked. */
const elevate: Judge = (call) => {
  const inner = innerOf(call.args, ELEVATED).filter(
    (arg, index, all) =>
      !(/^[A-Za-z_]\w*=/.test(arg) && all.slice(0, index).every((each) => /^[A-Za-z_]\w*=/.test(each))),
  );
  if (inner.length === 0)
    return typeof call.stdin === "object"
      ? atLeastAsk(call.runText(call.stdin.text), "elevated", "it runs with another's rights")
      : ask("elevated", "it runs with another's rights");
  return atLeastAsk(call.run(inner, call.stdin), "elevated", "it runs with another's rights");
};

const su: Judge = (call) => {
  const at = call.args.findIndex((arg) => /^-[a-z]*c$|^--command$/.test(arg));
  const text = at >= 0 ? call.args[at + 1] : call.args.find((arg) => arg.startsWith("--command="))?.slice(10);
  return text === undefined
    ? ask("elevated", "it becomes somebody else")
    : atLeastAsk(call.runText(unmarkGlobs(text)), "elevated", "it runs with another's rights");
};

const later: Judge = (call) =>
  typeof call.stdin === "object"
    ? atLeastAsk(call.runText(call.stdin.text), "later", "it runs later, when nobody looks")
    : ask("later", "it runs later, when nobody looks");

const scriptProgram: Judge = (call) => {
  const at = call.args.findIndex((arg) => /^-[a-z]*c$|^--command$/.test(arg));
  const joined = call.args.find((arg) => arg.startsWith("--command="))?.slice(10);
  const text = joined ?? (at >= 0 ? call.args[at + 1] : undefined);
  return text === undefined
    ? ask("unknown", "it starts a shell that reads commands from somewhere")
    : notReadOnly(worst(allow("write", "it writes a transcript"), call.runText(unmarkGlobs(text))));
};

const watch: Judge = (call) => {
  const inner = innerOf(call.args, /^-(?:n|q)$|^--interval$/);
  return inner.length === 0 ? reads() : call.runText(inner.map(unmarkGlobs).join(" "));
};

const crossEnv: Judge = (call) => {
  const at = call.args.findIndex((arg) => !/^[A-Za-z_]\w*=/.test(arg));
  const judged = call.args.slice(0, at < 0 ? undefined : at).map((arg) => assigned(call, arg));
  if (at < 0) return reads();
  const inner = call.args.slice(at);
  return worst(
    call.name === "cross-env-shell" ? call.runText(inner.join(" ")) : call.run(inner, call.stdin),
    ...judged,
  );
};

const flock: Judge = (call) => {
  const inner = innerOf(call.args, /^-(?:w|E)$|^--(?:timeout|conflict-exit-code)$/, 1);
  if (inner[0] === "-c" || inner[0] === "--command") return call.runText(unmarkGlobs(inner[1] ?? ""));
  return inner.length === 0 ? reads() : notReadOnly(call.run(inner, call.stdin));
};

const foreign: Judge = () => ask("foreign.shell", "another shell reads the text, by other rules");

const remote: Judge = () => ask("remote", "it runs on another machine");

const TIMEOUT = /^-(?:k|s)$|^--(?:kill-after|signal)$/;

export const WRAPPERS: Readonly<Record<string, Judge>> = {
  env,
  command,
  builtin: transparent(),
  exec: transparent(/^-a$/),
  time: transparent(/^-(?:f|o)$|^--(?:format|output)$/),
  gtime: transparent(/^-(?:f|o)$|^--(?:format|output)$/),
  timeout: transparent(TIMEOUT, 1),
  gtimeout: transparent(TIMEOUT, 1),
  nice: transparent(/^-n$|^--adjustment$/),
  ionice: transparent(/^-(?:c|n)$|^--(?:class|classdata)$/),
  chrt: transparent(/^$/, 1),
  nohup: transparent(/^$/, 0, notReadOnly),
  setsid: transparent(),
  stdbuf: transparent(/^-(?:i|o|e)$/),
  unbuffer: transparent(),
  taskset: transparent(/^$/, 1),
  strace: (call) => {
    const at = call.args.findIndex((arg) => arg === "-o");
    const piped = /^[|!]([^]*)$/.exec(call.args[at + 1] ?? "")?.[1];
    const judged = transparent(/^-(?:e|o|s|p|u|E|a|S|b|P|I|O|X)$/)(call);
    return at < 0 || piped === undefined
      ? judged
      : worst(
          judged,
          atLeastAsk(call.runText(unmarkGlobs(piped)), "option.program", "an option starts a program"),
        );
  },
  ltrace: transparent(/^-(?:e|o|s|p|u|a|n|l|A|D|F)$/),
  caffeinate: transparent(/^-(?:t|w)$/),
  chronic: transparent(),
  ts: () => reads(),
  "xvfb-run": transparent(
    /^-(?:n|s|f|e|p|w)$|^--(?:server-num|server-args|auth-file|error-file|xauth-protocol|wait)$/,
    0,
    notReadOnly,
  ),
  faketime: transparent(/^$/, 1),
  sudo: elevate,
  doas: elevate,
  pkexec: elevate,
  runuser: elevate,
  sg: elevate,
  gosu: elevate,
  su,
  at: later,
  batch: later,
  script: scriptProgram,
  watch,
  "cross-env": crossEnv,
  "cross-env-shell": crossEnv,
  flock,
  ssh: remote,
  mosh: remote,
  pwsh: foreign,
  powershell: foreign,
  "powershell.exe": foreign,
  "pwsh.exe": foreign,
  "cmd.exe": foreign,
  cmd: foreign,
  wsl: foreign,
  dotenv: transparent(/^-(?:e|f)$/),
  "with-env": transparent(),
  "dbus-run-session": transparent(),
  "start-stop-daemon": () => ask("processes", "it starts or stops a service"),
};
