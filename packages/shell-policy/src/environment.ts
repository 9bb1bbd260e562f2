import { atLeastAsk, worst } from "./combine.js";
import { commandsIn } from "./evaluated.js";
import type { Value } from "./scope.js";
import { isHarmlessVariable, isPlainVariable } from "./variables.js";
import { allow, ask, reads, type Judgement } from "./verdict.js";

/** Variables whose value is started as a program. */
const PROGRAMS = new Set(
  "PAGER GIT_PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS BROWSER LESSOPEN LESSCLOSE GIT_PROXY_COMMAND RIPGREP_CONFIG_PATH".split(
    " ",
  ),
);
/** Variables that load code into whatever is started. */
const PRELOADS =
  /^(?:LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_\w+|BASH_ENV|ENV|PROMPT_COMMAND|PYTHONSTARTUP|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_CONFIG_\w+|GIT_EXEC_PATH|GIT_TEMPLATE_DIR)$/;
const HARMLESS = new Set(["", "cat", "true", ":", "less", "more"]);

/** Prompts, which are expanded as text in double quotes is; the last is run as it is. */
const EXPANDED = /^PS[0-4]$/;

/** Judges setting a variable, which may decide what a later program starts. */
export const judgeAssignment = (
  name: string,
  value: Value,
  run: (text: string) => Judgement,
  exported = true,
): Judgement => {
  const mayChange = exported ? !isHarmlessVariable(name) : !isPlainVariable(name);
  const harmless = mayChange
    ? allow("assignment", "it sets a variable that programs look at")
    : reads("assignment", "it sets a variable");
  const text = typeof value === "object" ? value.join(" ") : value;
  if (PROGRAMS.has(name)) {
    if (text === undefined) return ask("environment.program", `${name} names a program that is not known`);
    if (HARMLESS.has(text)) return harmless;
    return atLeastAsk(run(text), "environment.program", `${name} starts a program of its own`);
  }
  if (EXPANDED.test(name) && (text === undefined || /\$\(|`/.test(text)))
    return worst(
      ask("environment.program", `the shell runs what is in ${name}`),
      ...commandsIn(text ?? "").map(run),
    );
  if (name === "PROMPT_COMMAND" && text !== undefined && text !== "")
    return atLeastAsk(run(text), "environment.program", "the shell runs it before each prompt");
  if (PRELOADS.test(name)) return ask("environment.preload", `${name} loads code into what is started`);
  if (
    name === "NODE_OPTIONS" &&
    (text === undefined || /(?:--require|-r|--import|--loader|--experimental-loader)\b/.test(text))
  )
    return ask("environment.preload", "NODE_OPTIONS loads code into what is started");
  if (
    name === "PATH" &&
    text !== undefined &&
    text.split(":").some((part) => /^\/(?:var\/)?tmp(?:\/|$)/.test(part) || part === "." || part === "")
  )
    return ask("environment.path", "programs would be taken from a folder that anybody can write to");
  return harmless;
};
