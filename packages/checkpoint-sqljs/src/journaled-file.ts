import { dirname } from "node:path";
import {
  DatabaseFullError,
  ReadFailedError,
  SaveFailedError,
  SaverClosedError,
  SqlJsSaverError,
} from "./errors.js";
import type { Change, FileDependencies } from "./file-dependencies.js";
import { fileSizes, foldFile, removeFiles, setAside } from "./folding.js";
import { JournalWriter } from "./journal-writer.js";
import { encodeRecord, journalPathOf } from "./journal.js";
import { loadFile, replayAll, type Loaded, type Model } from "./loading.js";
import { acquireLock, newNonce, type HeldLock } from "./lock.js";

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}
type Job<S> = Waiting &
  (
    | { kind: "read"; run: (state: S) => unknown }
    | { kind: "write"; run: (state: S) => Change<unknown>; grows: boolean; alone: boolean }
    | { kind: "fold" }
    | { kind: "create"; make: () => S }
    | { kind: "sync" }
    | { kind: "remove" }
  );
/** See {@link JournaledFile.write}. */
export interface WriteOptions {
  readonly grows?: boolean;
  readonly alone?: boolean;
}
type WriteJob<S> = Extract<Job<S>, { kind: "write" }>;

/** A journal is folded when it is as large as the snapshot: then all snapshots together cost twice the last one. */
const FOLD_RATIO = 1;

/**
 * One database: a snapshot, which is an ordinary SQLite file, a journal of what happened since, and all of it in memory.
 *
 * Calls queue up; the changes that wait when an append begins share its fsync (group commit). A read runs between appends,
 * so it sees every call made before it and never anything that is not on disk. Memory changes only when the journal has.
 */
export class JournaledFile<S> {
  readonly #queue: Job<S>[] = [];
  #draining: Promise<void> | undefined;
  #loaded: Loaded<S> | undefined;
  readonly #journal: JournalWriter;
  #lock: HeldLock | undefined;
  /** The state was loaded under the lock, and what a crash left behind is cleared. */
  #writing = false;
  /** A fold failed, perhaps after its rename: the folder is synced before anything is acknowledged on top of it. */
  #syncDirectoryFirst = false;
  /** After a fold that failed: as large as the journal has to be for the next try. */
  #foldAgainAt = 0;
  #closed = false;
  /** The next write begins a new snapshot and journal. */
  #leaveJournal = false;
  #locking: boolean;

  /** `after`: the closing of an earlier instance on this path, whose lock must be gone first. */
  constructor(
    readonly path: string,
    private readonly model: Model<S>,
    private readonly deps: FileDependencies,
    private readonly after: Promise<void> = Promise.resolve(),
  ) {
    this.#locking = deps.lock;
    this.#journal = new JournalWriter(path, deps.fs, deps.durability);
  }

  /** A second user of this file wants the lock that the first one did without. */
  requireLock(): void {
    this.#locking = true;
  }

  /** Runs `read` on the newest stored state; undefined when there is no file. Takes no lock. */
  read<T>(read: (state: S) => T): Promise<T | undefined> {
    return this.#enqueue<T | undefined>({ kind: "read", run: read });
  }

  /**
   * Makes a change ready and resolves when it is durable. `grows: false` is accepted beyond `maxBytes`. `alone`: it
   * depends on what is there, so what was called before it has to be applied first; others share an append, and are made
   * ready from the state before it.
   */
  write<T>(prepare: (state: S) => Change<T>, options: WriteOptions = {}): Promise<T> {
    const { grows = true, alone = false } = options;
    return this.#enqueue<T>({ kind: "write", run: prepare, grows, alone });
  }

  /** Writes a new snapshot. */
  fold(): Promise<void> {
    return this.#enqueue<void>({ kind: "fold" });
  }

  /** Begins the file with this state; false when there is one already. */
  create(make: () => S): Promise<boolean> {
    return this.#enqueue<boolean>({ kind: "create", make });
  }

  /** Makes durable what `relaxed` left to the system. */
  sync(): Promise<void> {
    return this.#enqueue<void>({ kind: "sync" });
  }

  /** Deletes the file and everything beside it. */
  remove(): Promise<void> {
    return this.#enqueue<void>({ kind: "remove" });
  }

  /** Snapshot and journal; 0 when there is no file. */
  get bytesOnDisk(): number {
    return this.#loaded ? this.#loaded.snapshotBytes + (this.#loaded.journal?.end ?? 0) : 0;
  }

  get generation(): number {
    return this.#loaded?.generation ?? 0;
  }

  /** Waits for the queue, then gives back the lock and the memory. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#draining) await this.#draining;
    await this.#journal.sync().catch(() => {});
    await this.#forget();
    await this.#unlock();
  }

  #enqueue<T>(
    job:
      | { kind: "read"; run: (state: S) => T }
      | { kind: "write"; run: (state: S) => Change<T>; grows: boolean; alone: boolean }
      | { kind: "create"; make: () => S }
      | { kind: "fold" | "sync" | "remove" },
  ): Promise<T> {
    if (this.#closed) return Promise.reject(new SaverClosedError());
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ ...job, resolve: resolve as (value: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  async #drain(): Promise<void> {
    await this.after;
    while (this.#queue.length > 0) {
      // Writes up to the next job that is not a read share an append; reads among them come after it.
      const barrier = this.#queue.findIndex(({ kind }) => kind !== "read" && kind !== "write");
      const jobs = this.#queue.splice(0, barrier < 0 ? this.#queue.length : barrier);
      for (const group of this.#groups(jobs)) await this.#commit(group);
      for (const job of jobs)
        if (job.kind === "read") await this.#settle(job, async () => this.#read(job.run));
      if (barrier >= 0) await this.#special(this.#queue.shift()!);
      if (this.#queue.length === 0 && this.deps.unlockWhenIdle) await this.#unlock();
    }
    this.#draining = undefined;
  }

  #groups(jobs: readonly Job<S>[]): WriteJob<S>[][] {
    const groups: WriteJob<S>[][] = [];
    let open: WriteJob<S>[] | undefined;
    for (const job of jobs) {
      if (job.kind !== "write") continue;
      const single = job.alone || this.deps.durability === "sync";
      if (open && !single) open.push(job);
      else groups.push((open = [job]));
      if (single) open = undefined;
    }
    return groups;
  }

  async #settle(job: Waiting, run: () => Promise<unknown>): Promise<void> {
    try {
      job.resolve(await run());
    } catch (error) {
      job.reject(error);
    }
  }

  async #special(job: Job<S>): Promise<void> {
    try {
      if (job.kind === "create") return job.resolve(await this.#createNow(job.make));
      if (job.kind === "fold") await this.#foldNow();
      else if (job.kind === "sync") await this.#journal.sync();
      else if (job.kind === "remove") await this.#removeNow();
      job.resolve(undefined);
    } catch (error) {
      await this.#failed(error, [job]);
    }
  }

  async #read(run: (state: S) => unknown): Promise<unknown> {
    const loaded = await this.#load();
    return loaded && run(loaded.state);
  }

  async #commit(jobs: WriteJob<S>[]): Promise<void> {
    const changes: { job: WriteJob<S>; change: Change<unknown> }[] = [];
    try {
      const loaded = await this.#loadForWriting();
      const records: Uint8Array[] = [];
      let bytes = this.bytesOnDisk;
      const { header, sequence } = loaded.journal!;
      for (const job of jobs) {
        let change: Change<unknown> | undefined;
        try {
          if (job.grows && bytes > this.deps.maxBytes)
            throw new DatabaseFullError(this.path, this.deps.maxBytes);
          change = job.run(loaded.state);
          if (change.payload) {
            const record = encodeRecord(change.payload(), header.tag, sequence + records.length);
            records.push(record);
            bytes += record.length;
          }
          changes.push({ job, change });
        } catch (error) {
          change?.undo();
          job.reject(error);
        }
      }
      if (records.length > 0)
        await this.#journal.append(loaded.journal!, records, async () => this.#lock?.verify());
    } catch (error) {
      for (const { change } of changes.reverse()) change.undo();
      return this.#failed(error, jobs);
    }
    for (const { job, change } of changes) {
      try {
        job.resolve(change.apply());
      } catch (error) {
        // It is on the disk, so memory has to be read anew.
        job.reject(new SaveFailedError(this.path, error));
        await this.#forget();
      }
    }
    if (this.#loaded) await this.#foldIfLarge();
  }

  async #foldIfLarge(): Promise<void> {
    const { snapshotBytes, journal } = this.#loaded!;
    const limit = Math.max(this.deps.foldFromBytes, snapshotBytes * FOLD_RATIO, this.#foldAgainAt);
    if (!journal || journal.end < limit) return;
    try {
      await this.#fold();
      this.#foldAgainAt = 0;
    } catch (error) {
      if (error instanceof SqlJsSaverError && error.code === "LOCK_LOST") await this.#forget();
      this.#foldAgainAt = journal.end * 2;
      this.deps.onEvent({ type: "fold-failed", file: this.path, error: asError(error) });
    }
  }

  async #foldNow(): Promise<void> {
    if (!(await this.#load())) return;
    await this.#loadForWriting();
    await this.#fold();
  }

  async #createNow(make: () => S): Promise<boolean> {
    await this.#acquire();
    if (await this.#load()) return false;
    await this.deps.fs.ensureDirectory(dirname(this.path));
    await removeFiles(this.path, this.deps.fs);
    await this.#fold(false, make());
    return true;
  }

  async #fold(setDamagedAside = false, initial?: S): Promise<void> {
    const loaded = this.#loaded;
    const state = loaded?.state ?? initial ?? this.model.create();
    const journalBytes = loaded?.journal?.end ?? 0;
    this.model.sweep(state);
    this.#syncDirectoryFirst = true;
    const next = await foldFile(this.path, this.model, state, this.deps, {
      // Number 1 is empty, which recovery relies on; what begins with something begins with 2.
      generation: loaded || initial ? Math.max(2, (loaded?.generation ?? 0) + 1) : 1,
      nonce: this.#lock?.nonce ?? newNonce(),
      // A damaged snapshot must not take the place of the good one before it.
      keepPrevious: loaded !== undefined && !setDamagedAside,
      verify: async () => this.#lock?.verify(),
    });
    await this.#journal.close();
    this.#loaded = next;
    this.#syncDirectoryFirst = false;
    if (loaded)
      this.deps.onEvent({
        type: "folded",
        file: this.path,
        snapshotBytes: next.snapshotBytes,
        journalBytes,
      });
  }

  async #removeNow(): Promise<void> {
    const { fs } = this.deps;
    // Also what a crash in the middle of removing left, though there is no snapshot any more.
    const { all } = await fileSizes(this.path, fs);
    if (all > 0 || (await fs.identity(this.path)) !== undefined) {
      await this.#acquire();
      await this.#lock?.verify();
      await this.#forget();
      await removeFiles(this.path, fs);
    }
    await this.#unlock();
  }

  async #failed(cause: unknown, waiting: readonly Waiting[]): Promise<void> {
    const error = cause instanceof SqlJsSaverError ? cause : new SaveFailedError(this.path, cause);
    if (error.code === "LOCK_LOST") {
      this.#lock = undefined;
      await this.#forget();
    }
    for (const job of waiting) job.reject(error);
  }

  async #acquire(): Promise<void> {
    if (!this.#locking || this.#lock) return;
    await this.deps.fs.ensureDirectory(dirname(this.path));
    this.#lock = await acquireLock(this.path, this.deps);
    // Whoever had it before may have written.
    this.#writing = false;
    // … and, when nobody can tell whether it lives, may still write: to the journal of the snapshot that there is now.
    this.#leaveJournal ||= this.#lock.brokeUnseen;
  }

  async #unlock(): Promise<void> {
    const lock = this.#lock;
    this.#lock = undefined;
    this.#writing = false;
    await lock?.release().catch(() => {
      // A lock that cannot be removed is found stale once this process has ended.
    });
  }

  /** The current state; read again, or on, when others have written since. Undefined when there is no file. */
  async #load(): Promise<Loaded<S> | undefined> {
    const { fs } = this.deps;
    try {
      const known = this.#loaded;
      const identity = await fs.identity(this.path);
      if (known && identity !== undefined && identity === known.identity) {
        // Under the lock nobody else appends.
        if (this.#writing && this.#lock) return known;
        // Nobody appends to what is damaged; whoever repairs it writes a new snapshot.
        if (!known.journal || known.damage) return known;
        if (await this.#catchUp(known)) return known;
      }
      await this.#forget();
      if (identity === undefined) return undefined;
      this.#loaded = await loadFile(this.path, this.model, this.deps);
      const damage = this.#loaded?.damage;
      // A writer repairs it and says so then.
      if (damage && !this.#lock) this.deps.onEvent(damage);
      return this.#loaded;
    } catch (error) {
      throw error instanceof SqlJsSaverError ? error : new ReadFailedError(this.path, error);
    }
  }

  /** Reads on in the journal. False: it is not the one that was read, or says so too little to be sure. */
  async #catchUp({ state, generation, journal }: Loaded<S>): Promise<boolean> {
    const { fs } = this.deps;
    const path = journalPathOf(this.path, generation);
    const size = await fs.sizeBytes(path);
    if (size === journal!.size) return true;
    if (size === undefined || size < journal!.size) return false;
    const { end } = journal!;
    const tail = await fs.readFrom(path, end);
    if (!tail || replayAll(this.path, state, tail, journal!, this.model, end)) return false;
    journal!.size = end + tail.length;
    // Longer without a new record: perhaps what was read last has been taken back and something else written there.
    return journal!.end > end;
  }

  async #loadForWriting(): Promise<Loaded<S>> {
    await this.#acquire();
    let loaded = await this.#load();
    if (!loaded) {
      await this.deps.fs.ensureDirectory(dirname(this.path));
      await removeFiles(this.path, this.deps.fs);
      await this.#fold();
      loaded = this.#loaded!;
    } else if (!this.#writing) await this.#repair(loaded);
    if (this.#journal.isSpoilt || this.#leaveJournal) await this.#fold();
    this.#leaveJournal = false;
    if (this.#syncDirectoryFirst) {
      await this.deps.fs.syncDirectory(dirname(this.path));
      this.#syncDirectoryFirst = false;
    }
    this.#writing = true;
    return this.#loaded!;
  }

  /** Brings the files to the state in memory: cuts a torn tail off, keeps a copy of what is damaged and replaces it. */
  async #repair({ damage, journal, generation }: Loaded<S>): Promise<void> {
    const { fs, onEvent } = this.deps;
    const log = journalPathOf(this.path, generation);
    if (damage || !journal) {
      if (damage?.type === "snapshot-recovered")
        onEvent({ ...damage, setAside: await setAside(this.path, fs) });
      else if (damage?.type === "journal-damaged") onEvent({ ...damage, setAside: await setAside(log, fs) });
      else if (damage) onEvent(damage);
      return this.#fold(damage?.type === "snapshot-recovered");
    }
    const size = (await fs.sizeBytes(log)) ?? 0;
    if (size <= journal.end) return;
    await this.#journal.cut(journal);
    onEvent({ type: "journal-tail-dropped", file: this.path, bytes: size - journal.end });
  }

  async #forget(): Promise<void> {
    this.#loaded = undefined;
    this.#writing = false;
    await this.#journal.close();
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
