import type { ProcessPort, ProcessResult } from "@fiveseam/host";
import { z } from "zod";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;

/** The environment in which git keeps its hands off the repository when it is only asked something. */
const GIT_READS = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "core.fsmonitor",
  GIT_CONFIG_VALUE_0: "false",
  // A repository that lies in the tree as files, as anybody may commit one, brings settings that start programs. An empty
  // `diff.external` would not help against the user's own: git takes it for a program without a name, and fails.
  GIT_CONFIG_KEY_1: "safe.bareRepository",
  GIT_CONFIG_VALUE_1: "explicit",
} as const;

/** The argument of both tools that limits a command's time. */
export const timeoutSchema = z
  .number()
  .int()
  .min(1)
  .max(MAX_TIMEOUT_MS)
  .optional()
  .describe(`Time limit in milliseconds; default ${DEFAULT_TIMEOUT_MS}, at most ${MAX_TIMEOUT_MS}.`);

/** Runs one shell line to its end. An abort is thrown, as LangGraph expects it; every other ending is a value. */
export const runShell = async (
  process: ProcessPort,
  line: string,
  options: {
    cwd: string;
    timeoutMs: number | undefined;
    signal: AbortSignal | undefined;
    readOnly?: boolean;
  },
): Promise<ProcessResult> => {
  const { cwd, signal, readOnly = false } = options;
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const result = await process.run(
    { shell: line },
    {
      cwd,
      timeoutMs,
      ...(signal ? { signal } : {}),
      // `git status` writes the index anew, to remember what it has compared; and may start a daemon that watches files.
      ...(readOnly ? { env: GIT_READS } : {}),
    },
  );
  signal?.throwIfAborted();
  return result;
};
