import type { LockHolder } from "./process-identity.js";

/** The `code` of every error this package throws itself. */
export type SqlJsSaverErrorCode =
  | "DATABASE_LOCKED"
  | "LOCK_LOST"
  | "DATABASE_CORRUPT"
  | "DATABASE_VERSION"
  | "READ_FAILED"
  | "SAVE_FAILED"
  | "DATABASE_FULL"
  | "THREAD_EXISTS"
  | "SAVER_CLOSED"
  | "WASM_LOAD_FAILED"
  | "NO_FILE_SYSTEM"
  | "INVALID_OPTION"
  | "INVALID_CONFIG";

/**
 * Base of every error thrown by this package. Branch on `code`: it stays right when two copies of the package
 * are loaded, where `instanceof` does not.
 *
 * @example
 * ```ts
 * import { SqlJsSaver, SqlJsSaverError } from "@fiveseam/checkpoint-sqljs";
 *
 * const saver = await SqlJsSaver.open({ file: "threads.sqlite" });
 * try {
 *   await saver.deleteThread("42");
 * } catch (error) {
 *   if (error instanceof SqlJsSaverError && error.code === "DATABASE_LOCKED") console.error(error.message);
 *   else throw error;
 * }
 * ```
 */
export abstract class SqlJsSaverError extends Error {
  /** What happened, for programs. */
  abstract readonly code: SqlJsSaverErrorCode;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    // Not `constructor.name`, which a minifier changes.
    this.name = "SqlJsSaverError";
  }
}

/** Another process (or another copy of this package in this process) writes this file. Nothing was written. */
export class DatabaseLockedError extends SqlJsSaverError {
  override readonly code = "DATABASE_LOCKED";
  override readonly name = "DatabaseLockedError";

  constructor(
    /** The database file. */
    readonly file: string,
    /** The lock file beside it. */
    readonly lockFile: string,
    /** Who holds it; undefined when the lock file cannot be read as one. */
    readonly holder: LockHolder | undefined,
  ) {
    const who = holder ? `process ${holder.pid} on host ${holder.host}` : "an unknown process";
    super(
      `${file} is being written by ${who}. Close it there, or use another file. ` +
        `If you are sure that process is gone, delete ${lockFile}.`,
    );
  }
}

/** The lock was taken over or removed while this process held it. The calls that waited do not count. */
export class LockLostError extends SqlJsSaverError {
  override readonly code = "LOCK_LOST";
  override readonly name = "LockLostError";

  constructor(
    readonly file: string,
    readonly lockFile: string,
  ) {
    super(
      `The lock ${lockFile} no longer belongs to this process, so this call does not count. Someone removed the ` +
        `lock of ${file} or took it over. Read the thread again before retrying: another process may have continued it.`,
    );
  }
}

/** Why a file was not accepted as a database of this package. */
export type CorruptReason = "not-sqlite" | "truncated" | "damaged" | "foreign";

const corruptText: Record<CorruptReason, string> = {
  "not-sqlite": "is not a SQLite database",
  truncated: "is shorter than its SQLite header says",
  damaged: "is a damaged SQLite database",
  foreign: "is a SQLite database of another program or of another kind",
};

/** The file is no database, is damaged, or belongs to another program. It is left untouched. */
export class DatabaseCorruptError extends SqlJsSaverError {
  override readonly code = "DATABASE_CORRUPT";
  override readonly name = "DatabaseCorruptError";

  constructor(
    readonly file: string,
    readonly reason: CorruptReason,
    options?: ErrorOptions,
  ) {
    super(
      `${file} ${corruptText[reason]}. It was left untouched. Restore it from a backup, or move it away to start anew.`,
      options,
    );
  }
}

/** The file was written by a newer release. It is left untouched. */
export class DatabaseVersionError extends SqlJsSaverError {
  override readonly code = "DATABASE_VERSION";
  override readonly name = "DatabaseVersionError";

  constructor(
    readonly file: string,
    readonly found: number,
    readonly supported: number,
  ) {
    super(
      `${file} has schema version ${found}; this release of @fiveseam/checkpoint-sqljs reads up to ${supported}. ` +
        `Update the package. The file was left untouched.`,
    );
  }
}

/** The operating system refused to read the file or folder; see `cause`. */
export class ReadFailedError extends SqlJsSaverError {
  override readonly code = "READ_FAILED";
  override readonly name = "ReadFailedError";

  constructor(
    readonly file: string,
    cause: unknown,
  ) {
    super(`${file} could not be read (${reasonOf(cause)}). Check the path and its permissions.`, { cause });
  }
}

/**
 * The save failed; see `cause`. The file holds what it held before, without the rejected calls. (If it was the fsync of
 * the folder that failed, after the rename, the calls may be in the file all the same: they are just not promised.)
 */
export class SaveFailedError extends SqlJsSaverError {
  override readonly code = "SAVE_FAILED";
  override readonly name = "SaveFailedError";

  constructor(
    readonly file: string,
    cause: unknown,
  ) {
    super(
      `${file} could not be saved (${reasonOf(cause)}). What was saved before is intact. Free space or fix the ` +
        `permissions, then call again.`,
      { cause },
    );
  }
}

/** The database has grown to `maxBytes`. Nothing was written; reading, deleting and pruning work. */
export class DatabaseFullError extends SqlJsSaverError {
  override readonly code = "DATABASE_FULL";
  override readonly name = "DatabaseFullError";

  constructor(
    readonly file: string,
    readonly maxBytes: number,
  ) {
    super(
      `${file} has reached its limit of ${maxBytes} bytes. Prune or delete threads and call compact(), or open it ` +
        `with a larger maxBytes.`,
    );
  }
}

/** A thread cannot be copied over another one. Nothing was changed. */
export class ThreadExistsError extends SqlJsSaverError {
  override readonly code = "THREAD_EXISTS";
  override readonly name = "ThreadExistsError";

  constructor(readonly threadId: string) {
    super(`There is a thread "${threadId}" already. Delete it first, or copy to another id.`);
  }
}

/** The saver was used after `close()`. */
export class SaverClosedError extends SqlJsSaverError {
  override readonly code = "SAVER_CLOSED";
  override readonly name = "SaverClosedError";

  constructor(name: "SqlJsSaver" | "SqlJsStore" = "SqlJsSaver") {
    super(`This ${name} is closed. Open a new one with ${name}.open().`);
  }
}

/** SQLite's WebAssembly module was not found or could not be started. The next `open()` tries again. */
export class WasmLoadError extends SqlJsSaverError {
  override readonly code = "WASM_LOAD_FAILED";
  override readonly name = "WasmLoadError";

  constructor(detail: string, options?: ErrorOptions) {
    super(
      `sql-wasm.wasm could not be loaded: ${detail}. In a bundle, pass its bytes as \`wasmBinary\` or its path through ` +
        `\`locateFile\`; it is sql.js/dist/sql-wasm.wasm of the sql.js release in the bundle.`,
      options,
    );
  }
}

/** The browser build was asked for files. */
export class NoFileSystemError extends SqlJsSaverError {
  override readonly code = "NO_FILE_SYSTEM";
  override readonly name = "NoFileSystemError";

  constructor() {
    super('There are no files in a browser: open with ":memory:".');
  }
}

/** An argument is of the wrong kind. Nothing was opened or changed. */
export class InvalidOptionError extends SqlJsSaverError {
  override readonly code = "INVALID_OPTION";
  override readonly name = "InvalidOptionError";

  constructor(
    readonly option: string,
    expected: string,
    observed: unknown,
  ) {
    const what =
      typeof observed === "number" ? String(observed) : observed === null ? "null" : typeof observed;
    super(`\`${option}\` has to be ${expected}, not ${what}.`);
  }
}

/** The `RunnableConfig` lacks an identifier or carries one of the wrong type. */
export class InvalidConfigError extends SqlJsSaverError {
  override readonly code = "INVALID_CONFIG";
  override readonly name = "InvalidConfigError";

  constructor(
    /** The key of `configurable`. */
    readonly key: string,
    observed: unknown,
  ) {
    super(
      observed === undefined
        ? `config.configurable.${key} is missing. Pass it, for example graph.invoke(input, { configurable: { ${key}: "…" } }).`
        : `config.configurable.${key} must be a string, but it is ${observed === null ? "null" : `a ${typeof observed}`}.`,
    );
  }
}

const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  const code = (cause as NodeJS.ErrnoException).code;
  return code !== undefined && !cause.message.includes(code) ? `${code}: ${cause.message}` : cause.message;
};
