import type { Change } from "./file-dependencies.js";
import { checkState, type IntegrityProblem } from "./integrity.js";
import {
  readIndex,
  readThreads,
  type CheckpointQuery,
  type IndexEntry,
  type ThreadRecord,
} from "./queries.js";
import { changeOf } from "./saver-model.js";
import type { Storage, StorageSizes } from "./storage.js";
import { SaverState } from "./thread-state.js";

/** `":memory:"`: nothing is ever written. */
export class MemoryStorage implements Storage {
  readonly #state = new SaverState();

  async read<T>(_threadId: string, run: (state: SaverState) => T): Promise<T> {
    return run(this.#state);
  }

  async write<T>(_threadId: string, prepare: (state: SaverState) => Change<T>): Promise<T> {
    return prepare(this.#state).apply();
  }

  async deleteThread(threadId: string): Promise<void> {
    changeOf(this.#state, { kind: "delete-thread", threadId }).apply();
    this.#state.sweep();
  }

  async index(query: CheckpointQuery): Promise<IndexEntry[]> {
    return readIndex(this.#state, query);
  }

  async threads(): Promise<ThreadRecord[]> {
    return readThreads(this.#state);
  }

  async sync(): Promise<void> {}

  async compact(): Promise<void> {
    this.#state.sweep();
  }

  async eachState<T>(run: (state: SaverState) => T): Promise<T[]> {
    return [run(this.#state)];
  }

  async copyThread(threadId: string, to: string, nowMs: number): Promise<boolean> {
    if (!this.#state.threads.has(threadId)) return true;
    if (this.#state.threads.has(to)) return false;
    changeOf(this.#state, { kind: "copy-thread", threadId, to, nowMs }).apply();
    return true;
  }

  async sizes(): Promise<StorageSizes> {
    return { snapshot: 0, journal: 0, previous: 0 };
  }

  async check(): Promise<IntegrityProblem[]> {
    return checkState(this.#state, "");
  }

  async close(): Promise<void> {}
}
