#!/usr/bin/env node
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { createShellPolicy } from "./policy.js";
import type { Profile } from "./profiles.js";

const HELP = `fiveseam-shell-policy [options] "command"

Says what would be decided about a shell command, without running it.

  --workspace PATH   default: this directory
  --profile NAME     restricted, standard (default) or trusted
  --config FILE      the workspace's own file; default .fiveseam/shell-policy.json in it, if there is one
  --json             the whole judgement as JSON

Exit code 0 for allow, 3 for ask, 4 for deny.
`;

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      workspace: { type: "string" },
      profile: { type: "string" },
      config: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const command = positionals.join(" ");
  if (values.help || command === "") {
    process.stdout.write(HELP);
    return values.help ? 0 : 2;
  }
  const workspace = path.resolve(values.workspace ?? ".");
  const standing = path.join(workspace, ".fiveseam", "shell-policy.json");
  const config = values.config ?? (existsSync(standing) ? standing : undefined);
  const policy = await createShellPolicy({
    workspace,
    ...(config === undefined ? {} : { workspaceConfig: readFileSync(config, "utf8") }),
    home: homedir(),
    ...(values.profile === undefined ? {} : { profile: values.profile as Profile }),
  });
  if (policy.problem !== undefined)
    process.stderr.write(`${config}: ${policy.problem}; only reading is allowed\n`);
  const judged = policy.judge(command);
  if (values.json) process.stdout.write(`${JSON.stringify(judged, undefined, 2)}\n`);
  else {
    process.stdout.write(`${judged.verdict}${judged.readOnly ? ", only reads" : ""}\n`);
    for (const { text, verdict, rule, why } of judged.segments)
      process.stdout.write(
        `  ${verdict.padEnd(5)} ${text.replaceAll("\n", " ")}\n        ${why} (${rule})\n`,
      );
  }
  return { allow: 0, ask: 3, deny: 4 }[judged.verdict];
};

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
