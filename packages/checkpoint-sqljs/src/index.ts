export { SqlJsSaver, type SaverLocation, type SqlJsSaverOptions, type ThreadInfo } from "./saver.js";
export type { WasmSource } from "./wasm.js";
export type { LockHolder } from "./process-identity.js";
export {
  DatabaseCorruptError,
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
