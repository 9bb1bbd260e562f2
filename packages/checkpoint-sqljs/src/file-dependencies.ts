import type { OnEvent } from "./events.js";
import type { LoadDependencies } from "./loading.js";
import type { LockDependencies } from "./lock.js";

/** What an acknowledged call has survived; see `SqlJsSaverOptions.durability`. */
export type Durability = "sync" | "grouped" | "relaxed";

export interface FileDependencies extends LoadDependencies, LockDependencies {
  readonly lock: boolean;
  /** The lock is given back when nothing is left to do, so that other processes get their turn. */
  readonly unlockWhenIdle?: boolean;
  readonly durability: Durability;
  readonly maxBytes: number;
  readonly onEvent: OnEvent;
  /** Smaller journals are not folded. Tests set it low. */
  readonly foldFromBytes: number;
}

/** A change that was made ready: what goes into the journal, and what to do once it is there, or cannot be. */
export interface Change<T> {
  /** Makes the record. Undefined: there is nothing to change. */
  readonly payload: (() => Uint8Array) | undefined;
  apply(): T;
  undo(): void;
}
