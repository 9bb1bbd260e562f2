export { SqlJsSaver, type SaverLocation, type SqlJsSaverOptions, type ThreadInfo } from "./saver.js";
export type { Durability } from "./journaled-file.js";
export type { OnEvent, StorageEvent } from "./events.js";
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
  WasmLoadError,
  type CorruptReason,
  type SqlJsSaverErrorCode,
} from "./errors.js";
