export type LogLevel = "debug" | "info" | "warn" | "error";

/** Values beside a message. Never a key, a token or the text of a file. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where a host wants to hear what goes on. A logger never throws; nothing waits for it. */
export interface Logger {
  log(level: LogLevel, message: string, fields?: LogFields): void;
}
