import { LockLostError } from "./errors.js";
import type { Durability } from "./file-dependencies.js";
import type { FileSystem, LogHandle } from "./file-system.js";
import { journalPathOf } from "./journal.js";
import type { OpenJournal } from "./loading.js";

/** Appends to the journal of one database, whichever it is at the time. */
export class JournalWriter {
  #log: LogHandle | undefined;
  #unsynced = false;
  /** Something may be in the journal that was never acknowledged: it must not be appended to any more. */
  isSpoilt = false;

  constructor(
    private readonly file: string,
    private readonly fs: FileSystem,
    private readonly durability: Durability,
  ) {}

  /**
   * `verify` is asked before the write, and again before it counts: between the two a process may have stood still, and
   * another one may have broken its lock and gone on elsewhere.
   */
  async append(
    journal: OpenJournal,
    records: readonly Uint8Array[],
    verify: () => Promise<void>,
  ): Promise<void> {
    const bytes = records.length === 1 ? records[0]! : Buffer.concat(records);
    const log = await this.#open(journal);
    await verify();
    try {
      await log.write(bytes, journal.end);
      if (this.durability === "relaxed") this.#unsynced = true;
      else await log.sync();
      await verify();
    } catch (error) {
      // The journal is somebody else's by now.
      if (error instanceof LockLostError) throw error;
      // What reached the disk must not come back with the next append, which builds on the state without it.
      await this.cut(journal).catch(() => (this.isSpoilt = true));
      throw error;
    }
    journal.end += bytes.length;
    journal.size = journal.end;
    journal.sequence += records.length;
  }

  /** Removes what lies behind the last good record. */
  async cut(journal: OpenJournal): Promise<void> {
    const log = await this.#open(journal);
    await log.truncate(journal.end);
    await log.sync();
    journal.size = journal.end;
  }

  /** Makes durable what `relaxed` left to the system. */
  async sync(): Promise<void> {
    if (this.#unsynced) await this.#log?.sync();
    this.#unsynced = false;
  }

  /** The next append is to another journal. */
  async close(): Promise<void> {
    const log = this.#log;
    this.#log = undefined;
    this.#unsynced = false;
    this.isSpoilt = false;
    await log?.close().catch(() => {
      // Everything that was promised is synced.
    });
  }

  async #open({ header }: OpenJournal): Promise<LogHandle> {
    this.#log ??= await this.fs.openLog(journalPathOf(this.file, header.generation));
    return this.#log;
  }
}
