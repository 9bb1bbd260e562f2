export {
  SqlJsSaver,
  type PruneOptions,
  type PruneResult,
  type SaverLocation,
  type SaverStats,
  type SqlJsSaverOptions,
  type ThreadInfo,
} from "./saver.js";
export { SqlJsStore, type SqlJsStoreOptions } from "./store.js";
export type { Durability } from "./journaled-file.js";
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
  LockLostError,
  ReadFailedError,
  SaveFailedError,
  SaverClosedError,
  SqlJsSaverError,
  ThreadExistsError,
  WasmLoadError,
  type CorruptReason,
  type SqlJsSaverErrorCode,
} from "./errors.js";
