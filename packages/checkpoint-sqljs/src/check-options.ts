import { InvalidOptionError } from "./errors.js";
import type { OnEvent } from "./events.js";
import type { PruneOptions, SqlJsSaverOptions } from "./saver-options.js";
import type { SqlJsStoreOptions } from "./store.js";
import type { WasmSource } from "./wasm.js";

// What comes from outside is checked here, before anything is opened or changed.

const isFunction = (value: unknown): boolean => typeof value === "function";
const isBytes = (value: unknown): boolean =>
  value instanceof ArrayBuffer || ArrayBuffer.isView(value) || value instanceof Uint8Array;
const isAmount = (value: unknown): boolean => typeof value === "number" && value >= 0;
/** A time or a number of milliseconds that a file can hold. */
const isMs = (value: unknown): boolean => isAmount(value) && (value as number) <= 8.64e15;

const check = (
  name: string,
  value: unknown,
  isRight: (value: unknown) => boolean,
  expected: string,
): void => {
  if (value !== undefined && !isRight(value)) throw new InvalidOptionError(name, expected, value);
};

const checkCommon = (options: WasmSource & Pick<SqlJsSaverOptions, "durability" | "onEvent">): void => {
  if (typeof options !== "object" || options === null)
    throw new InvalidOptionError("options", "an object", options);
  const { durability, onEvent, wasmBinary, locateFile } = options;
  const levels = ["grouped", "sync", "relaxed"];
  check(
    "durability",
    durability,
    (value) => levels.includes(value as string),
    '"grouped", "sync" or "relaxed"',
  );
  check("onEvent", onEvent, isFunction, "a function");
  check("wasmBinary", wasmBinary, isBytes, "a Uint8Array or an ArrayBuffer");
  check("locateFile", locateFile, isFunction, "a function");
};

const isPath = (where: unknown, keys: readonly string[]): boolean => {
  if (where === ":memory:") return true;
  if (typeof where !== "object" || where === null) return false;
  const given = keys.filter((key) => (where as Record<string, unknown>)[key] !== undefined);
  const path = (where as Record<string, unknown>)[given[0] ?? ""];
  return given.length === 1 && typeof path === "string" && path !== "" && !path.includes("\0");
};

export const checkSaverOptions = (where: unknown, options: SqlJsSaverOptions): void => {
  if (!isPath(where, ["directory", "file"]))
    throw new InvalidOptionError("where", '{ directory }, { file } or ":memory:"', where);
  checkCommon(options);
  const { lock, maxBytes, serde } = options;
  check("lock", lock, (value) => typeof value === "boolean", "true or false");
  check("maxBytes", maxBytes, isAmount, "a number of bytes");
  check(
    "serde",
    serde,
    (value) => isFunction((value as { dumpsTyped?: unknown } | null)?.dumpsTyped),
    "a serializer",
  );
};

export const checkStoreOptions = (where: unknown, options: SqlJsStoreOptions): void => {
  if (!isPath(where, ["file"])) throw new InvalidOptionError("where", '{ file } or ":memory:"', where);
  checkCommon(options);
  check("ttlMs", options.ttlMs, isMs, "a number of milliseconds; leave it out for items that stay");
  check("lockWaitMs", options.lockWaitMs, isAmount, "a number of milliseconds");
};

export const checkPruneOptions = ({ threadId, keepLast, olderThanMs }: PruneOptions): void => {
  check("threadId", threadId, (value) => typeof value === "string", "a string");
  check(
    "keepLast",
    keepLast,
    (value) => Number.isInteger(value) && (value as number) >= 1,
    "a whole number from 1",
  );
  check("olderThanMs", olderThanMs, isAmount, "a number of milliseconds");
};

/** A listener that throws must not cost the call, or the file, that it was told of. */
export const listening =
  (onEvent: OnEvent | undefined): OnEvent =>
  (event) => {
    try {
      onEvent?.(event);
    } catch {
      // Said in the documentation of `onEvent`.
    }
  };
