import type { Call, Judge } from "../call.js";
import { worst } from "../combine.js";
import { inspect } from "../reading.js";
import { allow, ask, reads, type Judgement } from "../verdict.js";
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
import { BUILTINS } from "./builtins.js";
import { JUDGES_ITSELF, READING } from "./reading-options.js";
import { BUILDERS } from "./builders.js";
import { WRAPPERS } from "./wrappers.js";

const ALL: ReadonlyMap<string, Judge> = new Map(
  [
    BUILDERS,
    BUILTINS,
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

/** What is said to only read does so when each of its arguments is known to. */
const heldToReading = (judged: Judgement, { name, args, write }: Call): Judgement => {
  if (JUDGES_ITSELF.has(name)) return judged;
  const reading = READING.get(name);
  if (!reading) return { ...judged, readOnly: false };
  const { surely, writes } = inspect(reading, /^(?:bsd|g)?tar$/.test(name) ? dashed(args) : args);
  return { ...worst(judged, ...writes.map((file) => write(file))), readOnly: judged.readOnly && surely };
};

/** tar takes its letters without a dash too. */
const dashed = ([first = "", ...rest]: readonly string[]): readonly string[] => [
  first.startsWith("-") ? first : `-${first}`,
  ...rest,
];

/** They take settings, and code, from the project before they look at their options. */
const LOADS_PROJECT: ReadonlySet<string> = new Set("mvn mvnd gradle sbt yarn pnpm npx lein bazel".split(" "));

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
        return LOADS_PROJECT.has(call.name)
          ? allow(
              "help",
              "it says its version or help, and reads the project's settings, which may name code",
            )
          : reads("help", "it only says its version or help");
      return heldToReading(known(call), call);
    };
  }
  if (name === undefined || written.includes("/")) {
    const wrapper = ["gradlew", "mvnw"].includes(base) ? ALL.get(base) : undefined;
    return wrapper ?? script;
  }
  return unknown;
};
