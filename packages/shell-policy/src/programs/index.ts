import type { Judge } from "../call.js";
import { allow, ask, reads } from "../verdict.js";
import { absolute, isBelow } from "../paths.js";
import { CONTAINERS } from "./containers.js";
import { FILES } from "./files.js";
import { FINDERS } from "./finders.js";
import { GIT } from "./git.js";
import { INTERPRETERS } from "./interpreters.js";
import { NETWORK } from "./network.js";
import { PACKAGES } from "./packages.js";
import { READERS } from "./readers.js";
import { SHELLS } from "./shells.js";
import { SYSTEM } from "./system.js";
import { BUILDERS } from "./builders.js";
import { WRAPPERS } from "./wrappers.js";

const ALL: ReadonlyMap<string, Judge> = new Map(
  [
    BUILDERS,
    CONTAINERS,
    FILES,
    FINDERS,
    GIT,
    INTERPRETERS,
    NETWORK,
    PACKAGES,
    READERS,
    SHELLS,
    SYSTEM,
    WRAPPERS,
  ].flatMap((group) => Object.entries(group)),
);

/** Asked for its version or its help a program does nothing else. */
const onlyAsksForHelp = (args: readonly string[]): boolean =>
  args.length === 1 && /^(?:--version|--help|-V|-version)$/.test(args[0] ?? "");

const unknown: Judge = ({ name }) => ask("unknown", `what \`${name}\` does is not known`);

/** A program given by a path: the workspace's own are its scripts, others are foreign. */
const script: Judge = ({ name, scope, places }) => {
  const path = absolute(name, scope.cwd);
  if (path !== undefined && scope.written.has(path))
    return ask("foreign.written", "it runs what this same text has written");
  if (path !== undefined && isBelow(path, places.workspace)) {
    if (/(?:deploy|publish|release|destroy)/i.test(path.slice(places.workspace.length)))
      return ask("remote.script", "by its name it changes something elsewhere");
    return allow("script", "it runs a script of the workspace");
  }
  return ask("foreign.program", "it runs a program from outside the workspace");
};

/**
 * @param name the program's name when it is one of the system's or taken from the path.
 * @param written as it was written.
 */
export const findJudge = (name: string | undefined, written: string): Judge => {
  // bin/rails and ./gradlew are programs of the workspace, known by their names too.
  const base = written.slice(written.lastIndexOf("/") + 1);
  const known = name === undefined ? undefined : ALL.get(name);
  if (known) {
    return (call) => {
      if (onlyAsksForHelp(call.args) && !SHELLS[call.name] && !WRAPPERS[call.name])
        return reads("help", "it only says its version or help");
      return known(call);
    };
  }
  if (name === undefined || written.includes("/")) {
    const wrapper = ["gradlew", "mvnw"].includes(base) ? ALL.get(base) : undefined;
    return wrapper ?? script;
  }
  return unknown;
};
