import type { Call, Judge } from "../call.js";
import { notReadOnly, worst } from "../combine.js";
import { isKnown, unmarkGlobs } from "../field.js";
import { hasAny, optionsOf } from "../options.js";
import { absolute } from "../paths.js";
import { inspect, type Reading } from "../reading.js";
import { GIT_READING, SHOWS } from "./git-options.js";
import { allow, ask, reads, type Judgement } from "../verdict.js";

/** Settings whose value is a program, or that choose what runs. */
const PROGRAM_SETTING =
  /^(?:alias\..*|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy|alternaterefscommand)|pager\..*|sequence\.editor|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|credential(?:\..*)?\.helper|difftool\..*\.cmd|mergetool\..*\.cmd|gpg(?:\..*)?\.program|uploadpack\.packobjectshook|init\.templatedir|include\.path|includeif\..*\.path|remote\..*\.(?:proxy|vcs|uploadpack|receivepack)|protocol\..*|browser\..*\.cmd|man\..*\.cmd|sendemail\.(?:tocmd|cccmd)|submodule\..*\.update|url\..*\.insteadof|http\.proxy)$/i;
const HARMLESS = /^(?:cat|true|false|:|less|more|vim?|nano|code --wait|)$/;

const setting = (call: Call, assignment: string): Judgement => {
  const equals = assignment.indexOf("=");
  const key = equals < 0 ? assignment : assignment.slice(0, equals);
  const value = equals < 0 ? "true" : assignment.slice(equals + 1);
  if (!isKnown(key)) return ask("git.setting", "which setting it changes is not known");
  if (!PROGRAM_SETTING.test(key)) return reads();
  if (HARMLESS.test(value)) return reads();
  const program = value.replace(/^!/, "");
  const inner =
    /^(?:alias\.)/i.test(key) && !value.startsWith("!")
      ? reads()
      : isKnown(value)
        ? call.runText(unmarkGlobs(program))
        : reads();
  return worst(ask("git.setting", `the setting ${key} starts a program`), inner);
};

const OK = allow("git", "git can bring back what it changes");

type Sub = (call: Call, args: readonly string[]) => Judgement;

const read: Sub = (call, args) => {
  const external = args.some(
    (arg) =>
      arg === "--ext-diff" || arg === "-O" || /^-O./.test(arg) || arg.startsWith("--open-files-in-pager"),
  );
  const noIndex = args.includes("--no-index") ? optionsOf(args).operands.map(call.read) : [];
  return worst(
    reads(),
    ...noIndex,
    ...(external
      ? [
          worst(
            ask("option.program", "an option of it starts a program"),
            ...args
              .filter((arg) => /^-O./.test(arg) || arg.startsWith("--open-files-in-pager="))
              .map((arg) => call.runText(arg.replace(/^-O|^--open-files-in-pager=/, ""))),
          ),
        ]
      : []),
  );
};

const SUBS: Readonly<Record<string, Sub>> = {
  ...Object.fromEntries(
    "status log shortlog diff show blame annotate ls-files ls-tree ls-remote rev-parse rev-list describe cat-file for-each-ref show-ref show-branch merge-base name-rev grep count-objects check-ignore check-attr check-mailmap cherry diff-tree diff-index diff-files range-diff whatchanged verify-commit verify-tag var version fsck get-tar-commit-id stripspace column"
      .split(" ")
      .map((name) => [name, read]),
  ),
  ...Object.fromEntries(
    "add commit merge revert cherry-pick pull fetch init mv am apply format-patch notes bisect rerere archive bundle pack-refs sparse-checkout maintenance update-index write-tree commit-tree read-tree mktag citool gui help merge-tree interpret-trailers"
      .split(" ")
      .map((name) => [name, () => OK]),
  ),
  "ls-remote": (_call, args) =>
    args.some((arg) => arg.startsWith("ext::") || arg.startsWith("--upload-pack"))
      ? ask("git.ext", "the address starts a program")
      : allow("network.read", "it asks the remote"),
  push: (_call, args) =>
    hasAny(optionsOf(args), "n", "dry-run")
      ? allow("dry-run", "it only says what it would push")
      : ask("git.push", "it changes the remote repository"),
  "send-email": () => ask("network", "it sends mail"),
  svn: () => ask("git.push", "it talks to another repository"),
  p4: () => ask("git.push", "it talks to another repository"),
  reset: (_call, args) =>
    hasAny(optionsOf(args), "hard", "merge", "keep")
      ? ask("git.discard", "it throws away changes that were not committed")
      : OK,
  clean: (_call, args) => {
    const options = optionsOf(args, ["e"]);
    if (hasAny(options, "n", "dry-run")) return reads();
    return hasAny(options, "f", "force", "i", "interactive") || args.length === 0
      ? ask("git.discard", "it deletes files that git does not know")
      : OK;
  },
  checkout: (_call, args) => {
    const options = optionsOf(args, ["b", "B", "conflict"]);
    if (
      args.includes("--") ||
      hasAny(options, "f", "force", "p", "patch", "ours", "theirs", "pathspec-from-file") ||
      options.operands.includes(".")
    )
      return ask("git.discard", "it overwrites files with what git has");
    if (hasAny(options, "B")) return ask("git.discard", "it moves a branch away from its commits");
    return options.operands.length > 1 && !hasAny(options, "b", "orphan", "t", "track")
      ? ask("git.discard", "it overwrites files with what git has")
      : OK;
  },
  restore: (_call, args) => {
    const options = optionsOf(args, ["s", "source"]);
    return hasAny(options, "staged", "S") && !hasAny(options, "worktree", "W")
      ? OK
      : ask("git.discard", "it overwrites files with what git has");
  },
  switch: (_call, args) =>
    hasAny(optionsOf(args, ["c", "C"]), "discard-changes", "f", "force", "C", "force-create")
      ? ask("git.discard", "it throws away changes that were not committed")
      : OK,
  stash: (_call, args) => {
    const [action = "push"] = args;
    if (action === "drop" || action === "clear") return ask("git.discard", "it throws away stashed changes");
    return action === "list" || action === "show" ? reads() : OK;
  },
  branch: (_call, args) => {
    const options = optionsOf(args, [
      "u",
      "set-upstream-to",
      "contains",
      "no-contains",
      "merged",
      "no-merged",
      "sort",
      "format",
      "points-at",
    ]);
    if (hasAny(options, "D") || (hasAny(options, "d", "delete") && hasAny(options, "f", "force")))
      return ask("git.discard", "it deletes a branch whatever is on it");
    if (hasAny(options, "f", "force", "M", "C"))
      return ask("git.discard", "it moves a branch away from its commits");
    // Beside a name, -v and the like make a branch all the same.
    const listing = hasAny(
      options,
      "list",
      "l",
      "show-current",
      "contains",
      "merged",
      "no-merged",
      "no-contains",
      "points-at",
    );
    return (options.operands.length === 0 &&
      !hasAny(options, "d", "m", "c", "u", "set-upstream-to", "unset-upstream", "edit-description")) ||
      (listing && !hasAny(options, "d", "m"))
      ? reads()
      : OK;
  },
  tag: (_call, args) => {
    const options = optionsOf(args, ["m", "F", "n", "sort", "contains", "u", "format"]);
    if (hasAny(options, "d", "delete")) return ask("git.discard", "it deletes a tag");
    if (hasAny(options, "f", "force")) return ask("git.discard", "it moves a tag");
    return options.operands.length === 0 || hasAny(options, "l", "list") ? reads() : OK;
  },
  rm: (_call, args) => {
    const options = optionsOf(args);
    if (hasAny(options, "n", "dry-run")) return reads();
    return hasAny(options, "f", "force") && !hasAny(options, "cached")
      ? ask("git.discard", "it deletes files with changes that were not committed")
      : OK;
  },
  reflog: (_call, args) =>
    /^(?:expire|delete)$/.test(args[0] ?? "")
      ? ask("git.discard", "it forgets what could be brought back")
      : reads(),
  gc: (_call, args) =>
    args.some((arg) => arg === "--prune=now" || arg === "--prune=all")
      ? ask("git.discard", "it deletes what could be brought back")
      : OK,
  prune: () => ask("git.discard", "it deletes what could be brought back"),
  repack: (_call, args) => (args.some((arg) => /^-[a-zA-Z]*d/.test(arg)) ? OK : OK),
  "filter-branch": () => ask("git.rewrite", "it rewrites history"),
  "filter-repo": () => ask("git.rewrite", "it rewrites history"),
  replace: () => ask("git.rewrite", "it rewrites history"),
  "update-ref": (_call, args) =>
    hasAny(optionsOf(args), "d")
      ? ask("git.discard", "it deletes a reference")
      : ask("git.rewrite", "it moves a reference"),
  "symbolic-ref": (_call, args) =>
    optionsOf(args).operands.length > 1 ? ask("git.rewrite", "it moves HEAD") : reads(),
  worktree: (_call, args) =>
    args[0] === "list"
      ? reads()
      : args[0] === "remove" && args.some((arg) => arg === "-f" || arg === "--force")
        ? ask("git.discard", "it deletes a work tree")
        : OK,
  remote: (_call, args) => {
    const [action, ...rest] = args.filter((arg) => !arg.startsWith("-"));
    if (action === undefined || action === "show" || action === "get-url")
      return action === "show" ? allow("network.read", "it asks the remote") : reads();
    if (action === "set-url") return ask("git.remote", "it changes where is pushed to");
    return rest.some((arg) => arg.startsWith("ext::")) ? ask("git.ext", "the address starts a program") : OK;
  },
  clone: (call, args) => {
    const options = optionsOf(args, [
      "b",
      "branch",
      "c",
      "config",
      "depth",
      "o",
      "origin",
      "u",
      "upload-pack",
      "template",
      "reference",
      "filter",
      "j",
      "jobs",
    ]);
    if (
      options.operands.some((arg) => arg.startsWith("ext::")) ||
      hasAny(options, "u", "upload-pack", "template")
    )
      return ask("git.ext", "the address or an option starts a program");
    const settings = [...(options.values.get("c") ?? []), ...(options.values.get("config") ?? [])].map(
      (each) => setting(call, each),
    );
    const target = options.operands[1];
    return worst(OK, ...settings, ...(target === undefined ? [] : [call.write(target)]));
  },
  config: (call, args) => {
    const options = optionsOf(args, ["f", "file", "blob", "type", "default", "comment", "value"]);
    const reading =
      hasAny(
        options,
        "get",
        "get-all",
        "get-regexp",
        "get-urlmatch",
        "l",
        "list",
        "show-origin",
        "show-scope",
        "name-only",
      ) ||
      options.operands[0] === "get" ||
      options.operands[0] === "list";
    const operands = /^(?:set|unset|get|list|edit|rename-section|remove-section)$/.test(
      options.operands[0] ?? "",
    )
      ? options.operands.slice(1)
      : options.operands;
    if (
      reading ||
      (operands.length === 1 &&
        !hasAny(options, "unset", "unset-all", "e", "edit", "add", "remove-section") &&
        options.operands[0] !== "unset" &&
        options.operands[0] !== "edit")
    )
      return reads();
    if (hasAny(options, "global", "system"))
      return ask("git.global", "it changes git's settings for everything");
    if (hasAny(options, "e", "edit")) return ask("git.setting", "it opens an editor on git's settings");
    if (hasAny(options, "f", "file"))
      return worst(
        OK,
        ...(options.values.get("f") ?? options.values.get("file") ?? []).map((file) => call.write(file)),
      );
    const [key = "", value = ""] = operands;
    return worst(OK, setting(call, `${key}=${value}`));
  },
  rebase: (call, args) => {
    const options = optionsOf(args, ["x", "exec", "onto", "s", "X", "strategy"]);
    const texts = [...(options.values.get("x") ?? []), ...(options.values.get("exec") ?? [])];
    return worst(OK, ...texts.map((text) => call.runText(unmarkGlobs(text))));
  },
  submodule: (call, args) => {
    const [action, ...rest] = args.filter((arg) => arg !== "--quiet" && arg !== "-q");
    if (action === "foreach")
      return notReadOnly(
        call.runText(
          rest
            .filter((arg) => arg !== "--recursive")
            .map(unmarkGlobs)
            .join(" "),
        ),
      );
    if (action === undefined || action === "status" || action === "summary") return reads();
    if (action === "deinit")
      return rest.some((arg) => arg === "-f" || arg === "--force")
        ? ask("git.discard", "it deletes a submodule's work tree")
        : OK;
    return OK;
  },
  lfs: (_call, args) =>
    args[0] === "push"
      ? ask("git.push", "it changes the remote")
      : args[0] === "ls-files" || args[0] === "status" || args[0] === "env"
        ? reads()
        : OK,
  difftool: () => ask("option.program", "it starts a program of the settings"),
  mergetool: () => ask("option.program", "it starts a program of the settings"),
  credential: () => ask("secrets.read", "it shows or changes keys"),
  daemon: () => ask("network", "it serves the repository to others"),
  instaweb: () => ask("network", "it serves the repository to others"),
  bisect: (call, args) =>
    args[0] === "run" ? worst(OK, call.run(args.slice(1))) : args[0] === "log" ? reads() : OK,
  apply: (_call, args) =>
    // With both, it says what it would change, and changes it.
    args.some((arg) => /^--(?:check|stat|numstat|summary)$/.test(arg)) && !args.includes("--apply")
      ? reads()
      : OK,
  archive: (call, args) => {
    const options = optionsOf(args, ["o", "output", "prefix", "format", "remote"]);
    const output = options.values.get("o")?.[0] ?? options.values.get("output")?.[0];
    return output === undefined ? OK : worst(OK, call.write(output));
  },
  notes: (_call, args) =>
    args[0] === undefined || args[0] === "list" || args[0] === "show"
      ? reads()
      : args[0] === "remove" || args[0] === "prune"
        ? ask("git.discard", "it deletes notes")
        : OK,
  "hash-object": (_call, args) => (hasAny(optionsOf(args, ["t"]), "w") ? OK : reads()),
  init: (call, args) => {
    const options = optionsOf(args, ["b", "initial-branch", "template", "separate-git-dir"]);
    return worst(
      hasAny(options, "template") ? ask("git.setting", "the template brings hooks") : OK,
      ...options.operands.map((target) => call.write(target)),
    );
  },
  // git takes the first one for the message: `commit -m --dry-run`.
  commit: () => OK,
  fetch: (_call, args) =>
    args.some((arg) => arg.startsWith("--upload-pack") || arg.startsWith("ext::"))
      ? ask("git.ext", "an option of it starts a program")
      : OK,
  pull: (_call, args) =>
    args.some((arg) => arg.startsWith("--upload-pack") || arg.startsWith("ext::"))
      ? ask("git.ext", "an option of it starts a program")
      : OK,
};

/** Subcommands of subcommands that have options of their own. */
const readingFor = (name: string, args: readonly string[]): Reading | undefined =>
  GIT_READING.get(name === "stash" ? `stash ${args[0]}` : name);

/** What is said to only read does so with options that are known to, in a repository that is the user's. */
const heldToReading = (call: Call, name: string, args: readonly string[], judged: Judgement): Judgement => {
  const reading = readingFor(name, args);
  if (!reading) return notReadOnly(judged);
  const { surely, writes } = inspect(reading, args);
  // Elsewhere something may lie that looks like a repository and brings settings that start programs.
  const own = call.scope.cwd === call.places.workspace;
  return {
    ...worst(judged, ...writes.map((file) => call.write(file))),
    readOnly: judged.readOnly && surely && own,
  };
};

const git: Judge = (call) => {
  const { args } = call;
  const judged: Judgement[] = [];
  const before = call.scope.cwd;
  let surely = true;
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (!arg.startsWith("-")) break;
    if (arg === "-C") call.scope.cwd = absolute(args[(at += 1)] ?? "", call.scope.cwd);
    else if (arg === "-c") {
      const assignment = args[(at += 1)] ?? "";
      surely &&= SHOWS.test(assignment.replace(/=[^]*$/, ""));
      judged.push(setting(call, assignment));
    } else if (arg.startsWith("--config-env"))
      judged.push(ask("git.setting", "a setting comes from the environment"));
    else if (/^--(?:git-dir|work-tree|namespace|super-prefix)$/.test(arg)) {
      at += 1;
      surely = false;
    } else if (arg.startsWith("--exec-path="))
      judged.push(ask("option.program", "git's own programs come from elsewhere"));
    else if (/^(?:--version|--help|-v|-h)$/.test(arg)) return reads();
    else
      surely &&=
        /^(?:-P|--(?:no-pager|no-optional-locks|literal-pathspecs|glob-pathspecs|icase-pathspecs|no-replace-objects))$/.test(
          arg,
        );
  }
  const name = args[at];
  const rest = args.slice(at + 1);
  const sub = name === undefined || !Object.hasOwn(SUBS, name) ? undefined : SUBS[name];
  const judge = (): Judgement => {
    if (name === undefined) return reads();
    if (!isKnown(name)) return ask("dynamic", "what git does is not known before it runs");
    if (rest[0] === "--help") return allow("help", "it opens the manual");
    return sub
      ? heldToReading(call, name, rest, sub(call, rest))
      : ask("unknown", `what \`git ${name}\` does is not known`);
  };
  const judgement = worst(judge(), ...judged);
  call.scope.cwd = before;
  return surely ? judgement : notReadOnly(judgement);
};

export const GIT: Readonly<Record<string, Judge>> = {
  git,
  hub: git,
  tig: () => allow("process", "it shows the repository, and changes it when keys are pressed"),
  gitk: () => allow("process", "it shows the repository"),
};
