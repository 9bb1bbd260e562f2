export { SqlJsSaver } from "./saver.js";
export type {
  PruneOptions,
  PruneResult,
  SaverLocation,
  SaverStats,
  SqlJsSaverOptions,
  ThreadInfo,
} from "./saver-options.js";
export { SqlJsStore, type SqlJsStoreOptions } from "./store.js";
export type { Durability } from "./file-dependencies.js";
export type { OnEvent, StorageEvent } from "./events.js";
export type { IntegrityProblem } from "./integrity.js";
export type { WasmSource } from "./wasm.js";
export type { LockHolder } from "./process-identity.js";
export {
  DatabaseCorruptError,
  DatabaseFullError,
  DatabaseLockedError,
  DatabaseVersionError,
  InvalidConfigError,
  InvalidOptionError,
  LockLostError,
  NoFileSystemError,
  ReadFailedError,
  SaveFailedError,
  SaverClosedError,
  SqlJsSaverError,
  ThreadExistsError,
  WasmLoadError,
  type CorruptReason,
  type SqlJsSaverErrorCode,
} from "./errors.js";
