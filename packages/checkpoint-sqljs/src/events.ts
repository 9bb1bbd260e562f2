import type { LockHolder } from "./process-identity.js";

/**
 * What happened to a file apart from the calls made. Given to `onEvent`, so that a host can log it or tell the user. It
 * is called synchronously; what it throws is ignored.
 */
export type StorageEvent =
  /**
   * A crash left half a record at the end of the journal. The call that made it was never acknowledged (in `relaxed`
   * durability it may have been); everything before it is there.
   */
  | { readonly type: "journal-tail-dropped"; readonly file: string; readonly bytes: number }
  /** The journal is damaged before its end. What lies behind the damage was acknowledged and is lost. */
  | {
      readonly type: "journal-damaged";
      readonly file: string;
      /** Undefined when not even its header can be read, so nobody knows. */
      readonly recordsLost: number | undefined;
      /** A copy of the damaged journal; undefined while the file is only read. */
      readonly setAside: string | undefined;
    }
  /** There is no journal to the snapshot: somebody copied or deleted one without the other. What it held is missing. */
  | { readonly type: "journal-missing"; readonly file: string }
  /** The snapshot is damaged and was made again from the one before it and its journal. */
  | {
      readonly type: "snapshot-recovered";
      readonly file: string;
      /** Where the damaged file is now; undefined while the file is only read. */
      readonly setAside: string | undefined;
      /** False: the journal after it could not be used, so what was stored last may be lost. */
      readonly complete: boolean;
      readonly cause: Error;
    }
  /**
   * The lock of a process that cannot be seen from here, on another machine or in another container, was broken because
   * it had been silent for long. Should it live after all, its next write rejects with `LockLostError`.
   */
  | { readonly type: "lock-broken"; readonly file: string; readonly holder: LockHolder }
  /** The journal could not be folded into the snapshot; nothing is lost and it is tried again later. */
  | { readonly type: "fold-failed"; readonly file: string; readonly error: Error }
  /** The journal was folded into a new snapshot. */
  | {
      readonly type: "folded";
      readonly file: string;
      readonly snapshotBytes: number;
      readonly journalBytes: number;
    };

export type OnEvent = (event: StorageEvent) => void;
