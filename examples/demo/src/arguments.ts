import { parseArgs } from "node:util";

export interface DemoArguments {
  /** Directory to work on in place; undefined for a fresh copy of the demo's own. */
  workspace: string | undefined;
  task: string | undefined;
  /** "provider:model", or undefined for the scripted stand-in. */
  model: string | undefined;
  /** One event a line on standard output instead of the picture. */
  json: boolean;
  /** Thread to go on with. */
  resume: string | undefined;
  stateDir: string | undefined;
  help: boolean;
}

export const HELP = `npm run demo                      fix the failing test of a fresh copy of examples/demo/workspace
npm run demo -- [options]

  --workspace PATH   work on this directory, in place
  --task TEXT        what to do there
  --model P:NAME     a real model, for instance anthropic:claude-sonnet-4-6 (or FIVESEAM_MODEL); needs that provider's key
  --json             print one event a line (npm run --silent demo -- --json keeps npm's own lines out)
  --resume THREAD    go on with a thread; give the --workspace and --state-dir that the first run printed
  --state-dir PATH   where threads are stored
  --help

Exit code 0 only when the job was done.`;

/** @throws {TypeError} for an option that does not exist, in node's own words. */
export const readArguments = (
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): DemoArguments => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      workspace: { type: "string" },
      task: { type: "string" },
      model: { type: "string" },
      json: { type: "boolean", default: false },
      resume: { type: "string" },
      "state-dir": { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  return {
    workspace: values.workspace,
    task: values.task,
    model: values.model ?? (env["FIVESEAM_MODEL"] || undefined),
    json: values.json,
    resume: values.resume,
    stateDir: values["state-dir"],
    help: values.help,
  };
};
