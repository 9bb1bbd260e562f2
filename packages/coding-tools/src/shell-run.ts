import type { ProcessPort, ProcessResult } from "@fiveseam/host";
import { z } from "zod";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;

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
  options: { cwd: string; timeoutMs: number | undefined; signal: AbortSignal | undefined },
): Promise<ProcessResult> => {
  const { cwd, signal } = options;
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const result = await process.run({ shell: line }, { cwd, timeoutMs, ...(signal ? { signal } : {}) });
  signal?.throwIfAborted();
  return result;
};
