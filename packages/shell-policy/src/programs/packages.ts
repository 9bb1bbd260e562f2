import type { Call, Judge } from "../call.js";
import { notReadOnly, worst } from "../combine.js";
import { isKnown, unmarkGlobs } from "../field.js";
import { hasAny, optionsOf } from "../options.js";
import { allow, ask, reads, type Judgement } from "../verdict.js";
import { BUILD_TOOLS, projectTask } from "./builders.js";

const OK = allow("packages", "it installs what the project asks for");

const FOREIGN =
  /^(?:https?:|git\+|git:|ssh:|git@|file:|github:|gitlab:|bitbucket:|gist:)|^[\w.-]+\/[\w.-]+(?:#.*)?$|\.(?:tgz|tar\.gz|zip|whl)$/;

/** A package that does not come from the registry. */
const isForeign = (name: string): boolean =>
  FOREIGN.test(name) && !name.startsWith("@") && !/^\.{0,2}\//.test(name);

const execute = (call: Call, args: readonly string[], downloads: boolean): Judgement => {
  let at = 0;
  let packages = false;
  for (; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (arg === "--") {
      at += 1;
      break;
    }
    if (!arg.startsWith("-")) break;
    if (/^(?:-y|--yes)$/.test(arg)) downloads = true;
    if (/^(?:-c|--call)$/.test(arg)) return notReadOnly(call.runText(unmarkGlobs(args[at + 1] ?? "")));
    if (arg.startsWith("--call=")) return notReadOnly(call.runText(unmarkGlobs(arg.slice(7))));
    if (/^(?:-p|--package|-w|--workspace)$/.test(arg)) {
      packages ||= /^(?:-p|--package)$/.test(arg);
      at += 1;
    } else if (arg.startsWith("--package=")) packages = true;
  }
  const inner = args.slice(at);
  const [program = ""] = inner;
  if (program === "") return ask("foreign.package", "which package it runs is not known");
  const name = program.replace(/(.)@[^/]*$/, "$1");
  if (downloads || packages || /.@/.test(program)) {
    return ask("foreign.package", `it downloads \`${program}\` and runs it`);
  }
  if (!isKnown(name)) return ask("dynamic", "which package it runs is not known before it runs");
  if (name === "changeset" || name === "prisma" || name === "cap" || name === "@changesets/cli")
    return tool(name, inner.slice(1));
  if (
    BUILD_TOOLS.has(name) ||
    /^@(?:biomejs\/biome|angular\/cli|playwright\/test|tailwindcss\/cli|arethetypeswrong\/cli|stylistic|vitest)/.test(
      name,
    )
  )
    return allow("build", "it runs a tool of the project");
  if (
    name === "rimraf" ||
    name === "del-cli" ||
    name === "cross-env" ||
    name === "dotenv" ||
    name === "tsx" ||
    name === "ts-node" ||
    name === "shx"
  )
    return notReadOnly(call.run([name, ...inner.slice(1)], call.stdin));
  return ask("foreign.package", `whether \`${name}\` is one of the project's tools is not known`);
};

/** Tools with a command that reaches the outside. */
const tool = (name: string, args: readonly string[]): Judgement => {
  const action = args.find((arg) => !arg.startsWith("-")) ?? "";
  if (action === "publish") return ask("publish", "it publishes packages");
  if (name === "prisma" && action === "migrate" && args.includes("reset"))
    return ask("database", "it empties a database");
  if (
    name === "prisma" &&
    action === "db" &&
    args.some((arg) => arg === "--force-reset" || arg === "--accept-data-loss")
  )
    return ask("database", "it empties a database");
  return allow("build", "it runs a tool of the project");
};

const npm: Judge = (call) => {
  const { args, name: manager } = call;
  const valued = [
    "prefix",
    "w",
    "workspace",
    "filter",
    "F",
    "C",
    "dir",
    "cwd",
    "tag",
    "registry",
    "otp",
    "loglevel",
    "omit",
    "include",
  ];
  const options = optionsOf(args, valued);
  const [action = manager === "yarn" || manager === "bun" ? "install" : "", ...rest] = options.operands;
  const machine =
    hasAny(options, "g", "global") ||
    options.values.get("location")?.[0] === "global" ||
    (manager === "yarn" && action === "global");
  const dryRun = hasAny(options, "dry-run");
  const where = options.values.get("prefix") ?? [];
  const outside = where.map((each) => call.write(each));
  switch (action) {
    case "":
      return reads();
    case "install":
    case "i":
    case "add":
    case "ci":
    case "clean-install":
    case "install-test":
    case "it":
    case "uninstall":
    case "remove":
    case "rm":
    case "un":
    case "update":
    case "up":
    case "upgrade":
    case "dedupe":
    case "rebuild":
    case "prune":
    case "link":
    case "ln":
    case "unlink":
    case "import":
    case "fetch":
    case "patch":
    case "patch-commit":
    case "install-ci-test":
    case "cit":
      if (machine) return ask("install.machine", "it installs for the whole machine");
      if (action === "link" || action === "ln" || action === "unlink")
        return ask("install.machine", "it links packages for the whole machine");
      if (rest.some(isForeign))
        return ask("foreign.package", "it installs from an address, not from the registry");
      return worst(OK, ...outside);
    case "run":
    case "run-script":
    case "rum":
    case "urn":
    case "x-run":
      return rest[0] === undefined
        ? reads()
        : !isKnown(rest[0])
          ? ask("dynamic", "which script it runs is not known before it runs")
          : projectTask(rest[0]);
    case "test":
    case "t":
    case "tst":
    case "start":
    case "stop":
    case "restart":
    case "build":
    case "lint":
    case "dev":
      return manager === "bun" && action === "build" ? allow("build", "it builds") : projectTask(action);
    case "exec":
    case "x": {
      const at = args.indexOf(action);
      return execute(call, args.slice(at + 1), manager === "bun");
    }
    case "dlx":
    case "create":
    case "init":
    case "innit":
      if ((action === "init" || action === "create") && rest.length === 0) return OK;
      return ask("foreign.package", "it downloads a package and runs it");
    case "publish":
    case "unpublish":
    case "deprecate":
    case "dist-tag":
    case "owner":
    case "access":
    case "team":
    case "token":
    case "profile":
    case "hook":
    case "adduser":
    case "login":
    case "logout":
    case "star":
    case "unstar":
    case "org":
    case "npm":
      if (dryRun) return allow("dry-run", "it only says what it would do");
      return action === "dist-tag" && rest[0] === "ls"
        ? allow("packages", "it asks the registry")
        : ask("publish", "it changes the registry or who one is there");
    case "config":
    case "c":
    case "set":
      if (/^(?:get|list|ls)$/.test(rest[0] ?? "") || (action === "config" && rest.length === 0))
        return allow("packages", "it shows settings");
      return ask("settings", "it changes settings of the package manager");
    case "cache":
      return /^(?:clean|clear|rm)$/.test(rest[0] ?? "")
        ? ask("remove", "it deletes the package manager's cache")
        : allow("packages", "it looks at the cache");
    case "ls":
    case "list":
    case "ll":
    case "la":
    case "outdated":
    case "view":
    case "info":
    case "show":
    case "v":
    case "why":
    case "explain":
    case "audit":
    case "fund":
    case "root":
    case "prefix":
    case "bin":
    case "pack":
    case "pkg":
    case "query":
    case "search":
    case "ping":
    case "whoami":
    case "doctor":
    case "help":
    case "version":
    case "docs":
    case "repo":
    case "bugs":
    case "licenses":
    case "workspaces":
    case "workspace":
    case "shrinkwrap":
    case "sbom":
    case "diff":
    case "find-dupes":
    case "completion":
    case "store":
    case "env":
    case "m":
    case "recursive":
    case "w":
    case "node":
    case "dedup":
    case "set-script":
    case "approve-builds":
    case "self-update":
      if (action === "workspace" && rest.length > 1) return npm({ ...call, args: rest.slice(1) });
      if (action === "node") return call.run(["node", ...rest], call.stdin);
      if (action === "recursive" || action === "m")
        return npm({ ...call, args: args.filter((arg) => arg !== action) });
      if (action === "env") return ask("install.machine", "it changes which node the machine has");
      if (action === "store" && rest[0] === "prune")
        return ask("remove", "it deletes the package manager's cache");
      return allow("packages", "it asks about packages");
    case "deploy":
      return ask("remote.script", "by its name it changes something elsewhere");
    default:
      if (manager === "npm") return ask("unknown", `what \`npm ${action}\` does is not known`);
      if (manager === "bun" && /\.[cm]?[jt]sx?$/.test(action))
        return allow("script", "it runs a script of the workspace");
      // pnpm, yarn and bun run a script, or a tool of the project, by its name.
      return projectTask(action);
  }
};

const npx: Judge = (call) => execute(call, call.args, false);

const pip: Judge = (call) => {
  const options = optionsOf(call.args, [
    "r",
    "c",
    "e",
    "i",
    "t",
    "requirement",
    "index-url",
    "extra-index-url",
    "target",
    "prefix",
    "editable",
  ]);
  const [action = "", ...rest] = options.operands;
  if (/^(?:list|show|freeze|check|help|index|hash|debug|inspect|cache|search|config)$/.test(action)) {
    if (action === "cache" && /^(?:purge|remove)$/.test(rest[0] ?? ""))
      return ask("remove", "it deletes the cache");
    return allow("packages", "it asks about packages");
  }
  if (hasAny(options, "user", "break-system-packages", "root", "prefix"))
    return ask("install.machine", "it installs for the user or the machine");
  const editable = [...(options.values.get("e") ?? []), ...(options.values.get("editable") ?? [])];
  if (
    [...rest, ...editable].some(
      (each) => /^(?:https?:|git\+|hg\+|svn\+|bzr\+|ssh:)/.test(each) || / @ /.test(each),
    )
  )
    return ask("foreign.package", "it installs from an address, not from the registry");
  if (hasAny(options, "index-url", "i", "extra-index-url"))
    return ask("foreign.package", "it installs from another registry");
  return OK;
};

/** Package managers of languages that install into the project. */
const local =
  (machine: RegExp, publish: RegExp): Judge =>
  (call) => {
    const { args } = call;
    const action = args.find((arg) => !/^[-+]/.test(arg)) ?? "";
    const at = args.indexOf(action);
    const rest = args.slice(at + 1);
    const dryRun = args.some((arg) => arg === "--dry-run" || arg === "-n" || arg === "--dry-run=true");
    if (publish.test(action))
      return dryRun ? allow("dry-run", "it only says what it would do") : ask("publish", "it publishes");
    if (machine.test(action) || (action === "global" && /^(?:require|add|install)/.test(rest[0] ?? "")))
      return ask("install.machine", "it installs for the user or the machine");
    if (args.some((arg) => arg === "--git" || arg.startsWith("--git=") || /^(?:git\+|https?:)/.test(arg)))
      return ask("foreign.package", "it takes code from an address");
    if (action === "exec")
      return call.run(
        rest.filter((arg) => arg !== "--"),
        call.stdin,
      );
    if (/^(?:deploy|release)$/.test(action))
      return ask("remote.script", "by its name it changes something elsewhere");
    return OK;
  };

const runner =
  (machine: RegExp, publish: RegExp): Judge =>
  (call) => {
    const action = call.args.find((arg) => !arg.startsWith("-")) ?? "";
    if (action !== "run") return local(machine, publish)(call);
    const rest = call.args
      .slice(call.args.indexOf("run") + 1)
      .filter(
        (arg, index, all) =>
          !(arg.startsWith("-") && all.slice(0, index).every((each) => each.startsWith("-"))),
      );
    const [program] = rest;
    if (program === undefined) return OK;
    if (program.endsWith(".py")) return call.run(["python", ...rest], call.stdin);
    const inner = call.run(rest, call.stdin);
    // A script of the project by its name.
    return inner.rule === "unknown" ? projectTask(program) : notReadOnly(inner);
  };

const go: Judge = (call) => {
  const [action = "", ...rest] = call.args;
  if (action === "install") return ask("install.machine", "it installs for the user");
  if (action === "run" && rest.some((arg) => /@[\w.]+$/.test(arg)))
    return ask("foreign.package", "it downloads a program and runs it");
  if (action === "clean" && rest.some((arg) => /^-(?:modcache|cache|fuzzcache)$/.test(arg)))
    return ask("remove", "it deletes the cache of modules");
  if (action === "env" && rest.some((arg) => arg === "-w" || arg === "-u"))
    return ask("settings", "it changes go's settings");
  if (action === "generate") return allow("build", "it generates code");
  if (action === "version") return rest.length === 0 ? reads() : allow("build", "it reads a program");
  return allow("build", "it builds, tests or checks the project");
};

/** Installs software on the machine. */
const machineWide: Judge = ({ args }) => {
  const action = args.find((arg) => !arg.startsWith("-")) ?? "";
  return /^(?:list|info|search|show|policy|depends|rdepends|outdated|deps|doctor|config|--version|leaves|cat|query|madison)$/.test(
    action,
  )
    ? allow("packages", "it asks about packages")
    : ask("install.machine", "it installs on or removes from the machine");
};

const uv: Judge = (call) => {
  const [action = "", ...rest] = call.args.filter((arg) => !/^--(?:quiet|verbose|offline)$/.test(arg));
  if (action === "pip") return pip({ ...call, args: rest });
  if (action === "run") return runner(/^$/, /^$/)(call);
  if (action === "tool" || action === "python" || action === "self")
    return ask("install.machine", "it installs for the user");
  if (action === "publish") return ask("publish", "it publishes");
  return OK;
};

const changeset: Judge = (call) => tool("changeset", call.args);
const prisma: Judge = (call) => tool("prisma", call.args);

const bundle: Judge = (call) => {
  const [action = "install", ...rest] = call.args;
  if (action === "exec") return notReadOnly(call.run(rest, call.stdin));
  return OK;
};

export const PACKAGES: Readonly<Record<string, Judge>> = {
  npm,
  pnpm: npm,
  yarn: npm,
  bun: npm,
  cnpm: npm,
  npx,
  bunx: npx,
  pnpx: () => ask("foreign.package", "it downloads a package and runs it"),
  pip,
  pip3: pip,
  pipenv: runner(/^$/, /^$/),
  poetry: runner(/^self$/, /^publish$/),
  pdm: runner(/^$/, /^publish$/),
  hatch: runner(/^$/, /^publish$/),
  uv,
  uvx: () => ask("foreign.package", "it downloads a package and runs it"),
  pipx: () => ask("install.machine", "it installs for the user"),
  cargo: local(/^(?:install|uninstall)$/, /^(?:publish|yank|login|owner)$/),
  go,
  composer: local(/^self-update$/, /^$/),
  bundle,
  bundler: bundle,
  gem: ({ args }) =>
    /^(?:list|search|info|env|which|query|specification)$/.test(args[0] ?? "")
      ? allow("packages", "it asks about packages")
      : args[0] === "push"
        ? ask("publish", "it publishes")
        : ask("install.machine", "it installs for the user"),
  mix: local(/^(?:archive\.install|escript\.install|local\.\w+)$/, /^hex\.publish$/),
  cabal: local(/^install$/, /^upload$/),
  stack: local(/^(?:install|upgrade)$/, /^upload$/),
  opam: machineWide,
  conda: machineWide,
  mamba: machineWide,
  deno: ({ args }) =>
    /^(?:install|uninstall|upgrade|publish|deploy)$/.test(args[0] ?? "")
      ? ask("install.machine", "it installs or publishes")
      : args.some((arg) => /^(?:https?:|npm:|jsr:)/.test(arg))
        ? ask("foreign.package", "it runs code from an address")
        : allow("build", "it runs code of the workspace"),
  ...Object.fromEntries(
    "brew apt apt-get aptitude dpkg yum dnf rpm pacman zypper apk snap flatpak port nix-env nix-channel choco scoop winget pkg emerge asdf mise nvm fnm volta rustup rbenv pyenv sdk gvm n corepack"
      .split(" ")
      .map((name) => [name, machineWide]),
  ),
  changeset,
  prisma,
  twine: ({ args }) => (args[0] === "check" ? allow("build", "it checks") : ask("publish", "it publishes")),
  "semantic-release": () => ask("publish", "it publishes"),
  np: () => ask("publish", "it publishes"),
  vsce: ({ args }) => (args[0] === "publish" ? ask("publish", "it publishes") : allow("build", "it packs")),
  lerna: ({ args }) =>
    args[0] === "publish" || args[0] === "version"
      ? ask("publish", "it publishes")
      : allow("build", "it builds"),
  nx: ({ args }) =>
    args[0] === "release" || args.some((arg) => /:?(?:deploy|publish)$/.test(arg))
      ? ask("publish", "it publishes")
      : allow("build", "it builds"),
  "release-it": () => ask("publish", "it publishes"),
  goreleaser: ({ args }) =>
    args.includes("--snapshot") || args[0] === "check" || args[0] === "build"
      ? allow("build", "it builds")
      : ask("publish", "it publishes"),
  mvn: ({ args }) =>
    args.some((arg) => /^(?:deploy|release:\w+|site-deploy)$/.test(arg))
      ? ask("publish", "it publishes")
      : allow("build", "it builds"),
  gradle: ({ args }) =>
    args.some(
      (arg) =>
        /publish|deploy|release/i.test(arg) && !arg.startsWith("-") && !/publishToMavenLocal/.test(arg),
    )
      ? ask("publish", "it publishes")
      : allow("build", "it builds"),
  dotnet: ({ args }) =>
    args[0] === "nuget" && args[1] === "push"
      ? ask("publish", "it publishes")
      : args[0] === "tool" && args.some((arg) => arg === "-g" || arg === "--global")
        ? ask("install.machine", "it installs for the user")
        : allow("build", "it builds"),
};
