import type { Logger, LogLevel } from "./logger.js";

export interface LineLoggerOptions {
  /** Takes one line, without its end. What it throws is ignored: a log never fails the work it tells of. */
  write(line: string): void;
  /** Leaves out what matters less; default "info". */
  readonly minLevel?: LogLevel;
  readonly now?: () => number;
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Hears nothing. */
export const silentLogger: Logger = { log: () => {} };

/**
 * One line of JSON an entry: `{ time, level, message, … }`.
 *
 * @example
 * ```ts
 * import { createLineLogger } from "@fiveseam/host";
 *
 * const logger = createLineLogger({ write: (line) => process.stderr.write(`${line}\n`) });
 * logger.log("warn", "the index is stale", { files: 12 });
 * ```
 */
export const createLineLogger = ({
  write,
  minLevel = "info",
  now = Date.now,
}: LineLoggerOptions): Logger => ({
  log(level, message, fields = {}) {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(minLevel)) return;
    // A field may be a circle or a bigint, and a sink may be closed.
    try {
      write(JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...fields }));
    } catch {}
  },
});
