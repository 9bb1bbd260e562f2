import { basename, dirname } from "node:path";
import type { SqlJsStatic } from "sql.js";
import { crc32 } from "./crc32.js";
import { DatabaseCorruptError, SqlJsSaverError } from "./errors.js";
import type { StorageEvent } from "./events.js";
import type { FileSystem, Snapshot } from "./file-system.js";
import {
  countRecordsAfter,
  decodeHeader,
  decodeRecord,
  journalPathOf,
  type JournalHeader,
} from "./journal.js";
import { decodeSnapshot, EXPORTED, readGeneration, type SnapshotSchema } from "./snapshot.js";

/** A kind of database: what it keeps in memory, how the journal changes it, how SQLite holds it. */
export interface Model<S> {
  /** What sort of database it is; one file holds one sort. */
  readonly kind: string;
  readonly schema: SnapshotSchema<S>;
  create(): S;
  /** Applies the payload of one journal record. */
  replay(state: S, payload: Uint8Array): void;
  /** Before a snapshot is written: drop what nothing refers to. */
  sweep(state: S): void;
  /** Goes into the header of the snapshot's journal, as JSON. */
  summarize(state: S): unknown;
}

export interface LoadDependencies {
  readonly sql: SqlJsStatic;
  readonly fs: FileSystem;
}

/** The journal as far as it is right. */
export interface OpenJournal {
  readonly header: JournalHeader;
  /** Where the next record begins, and its number. */
  end: number;
  sequence: number;
  /** The size of the file when it was last looked at; behind `end` lies half a record, or nothing. */
  size: number;
}

export interface Loaded<S> {
  readonly state: S;
  readonly identity: string;
  readonly generation: number;
  readonly snapshotBytes: number;
  /** Undefined when the snapshot has none, or it cannot be used: the next write has to begin with a new snapshot. */
  readonly journal: OpenJournal | undefined;
  /** What the reader of the file should know. A writer also repairs it. */
  readonly damage: StorageEvent | undefined;
}

/** Where the snapshot before the present one is kept, with its journal: together they hold all that the present one does. */
export const previousPathOf = (file: string): string => `${file}.prev`;

/** While another process folds, snapshot and journal may be seen half exchanged. */
const RACE_TRIES = 20;

/** The state on disk: snapshot and journal. Undefined when there is no file. Takes no lock and changes nothing. */
export const loadFile = async <S>(
  file: string,
  model: Model<S>,
  deps: LoadDependencies,
): Promise<Loaded<S> | undefined> => {
  for (let attempt = 0; ; attempt += 1) {
    const snapshot = await deps.fs.read(file);
    if (!snapshot) return undefined;
    const loaded = await tryLoad(file, snapshot, model, deps);
    if (!(loaded instanceof SqlJsSaverError)) return loaded;
    if (attempt < RACE_TRIES && (await deps.fs.identity(file)) !== snapshot.identity) continue;
    // The journal is put in place before its snapshot; only removing a whole thread shows this for a moment.
    if (attempt < RACE_TRIES && (await deps.fs.sizeBytes(file)) === undefined) return undefined;
    return recover(file, snapshot, loaded, model, deps);
  }
};

/** An error when the snapshot is damaged, or is the half of an exchange that is under way. */
const tryLoad = async <S>(
  file: string,
  { bytes, identity }: Snapshot,
  model: Model<S>,
  deps: LoadDependencies,
): Promise<Loaded<S> | SqlJsSaverError> => {
  try {
    const generation = readGeneration(bytes, file);
    if (generation === EXPORTED) {
      const state = decodeSnapshot(deps.sql, model.schema, bytes, file, false);
      return {
        state,
        identity,
        generation,
        snapshotBytes: bytes.length,
        journal: undefined,
        damage: undefined,
      };
    }
    const log = await readJournal(file, generation, deps);
    if (!log) return new DatabaseCorruptError(file, "damaged", { cause: new Error("it has no journal") });
    if (!fits(log.header, bytes))
      return new DatabaseCorruptError(file, "damaged", { cause: new Error("its checksum is wrong") });
    const state = decodeSnapshot(deps.sql, model.schema, bytes, file, true);
    const journal: OpenJournal = { header: log.header, end: log.end, sequence: 0, size: log.bytes.length };
    const damage = replayAll(file, state, log.bytes, journal, model);
    return { state, identity, generation, snapshotBytes: bytes.length, journal, damage };
  } catch (error) {
    if (error instanceof SqlJsSaverError) return error;
    throw error;
  }
};

interface ReadJournal {
  readonly bytes: Uint8Array;
  readonly header: JournalHeader;
  readonly end: number;
}

const readJournal = async (
  file: string,
  generation: number,
  deps: LoadDependencies,
): Promise<ReadJournal | undefined> => {
  const bytes = await deps.fs.readFrom(journalPathOf(file, generation), 0);
  const decoded = bytes && decodeHeader(bytes);
  return bytes && decoded?.header.generation === generation ? { bytes, ...decoded } : undefined;
};

const fits = (header: JournalHeader, bytes: Uint8Array): boolean =>
  header.snapshotBytes === bytes.length && header.snapshotCrc === crc32(bytes);

/** Applies what follows `journal.end` in these bytes and moves it on. Says so when good records lie behind a bad one. */
export const replayAll = <S>(
  file: string,
  state: S,
  bytes: Uint8Array,
  journal: OpenJournal,
  model: Pick<Model<S>, "replay">,
  offset = 0,
): StorageEvent | undefined => {
  const { tag } = journal.header;
  for (;;) {
    const record = decodeRecord(bytes, journal.end - offset, tag, journal.sequence);
    if (!record) break;
    model.replay(state, record.payload);
    journal.end = record.end + offset;
    journal.sequence += 1;
  }
  const recordsLost = countRecordsAfter(bytes, journal.end - offset, tag);
  return recordsLost > 0 ? { type: "journal-damaged", file, recordsLost, setAside: undefined } : undefined;
};

/**
 * The content of a snapshot that is damaged or has lost its journal: from the snapshot before it and the journals since.
 * The first snapshot was empty, so before anything was folded its journal alone is everything.
 */
const recover = async <S>(
  file: string,
  snapshot: Snapshot,
  cause: SqlJsSaverError,
  model: Model<S>,
  deps: LoadDependencies,
): Promise<Loaded<S>> => {
  const { bytes, identity } = snapshot;
  const generations = await journalGenerations(file, deps.fs);
  const journals = new Map<number, ReadJournal>();
  for (const generation of generations) {
    const journal = await readJournal(file, generation, deps);
    if (journal) journals.set(generation, journal);
  }
  // The file is as it was written, whatever is wrong with it: a newer release, say.
  for (const { header } of journals.values()) if (fits(header, bytes)) throw cause;

  const base = await loadBase(file, journals, model, deps);
  const known = generationOf(bytes);
  const latest = Math.max(0, known ?? 0, ...generations);
  if (base && journals.has(base.generation)) {
    let { generation } = base;
    let whole = true;
    for (; whole && journals.has(generation); generation += 1) {
      const { header, end, bytes: log } = journals.get(generation)!;
      whole =
        replayAll(file, base.state, log, { header, end, sequence: 0, size: log.length }, model) === undefined;
    }
    const complete = whole && generation > latest;
    return {
      state: base.state,
      identity,
      generation: latest,
      snapshotBytes: 0,
      journal: undefined,
      damage: { type: "snapshot-recovered", file, setAside: undefined, complete, cause },
    };
  }
  if (known === undefined) throw cause;
  // A snapshot alone, such as a copy: SQLite can say whether it is whole, and nobody what its journal held.
  const state = decodeSnapshot(deps.sql, model.schema, bytes, file, false);
  const damage: StorageEvent = generations.includes(known)
    ? { type: "journal-damaged", file, recordsLost: undefined, setAside: undefined }
    : { type: "journal-missing", file };
  return { state, identity, generation: latest, snapshotBytes: bytes.length, journal: undefined, damage };
};

const loadBase = async <S>(
  file: string,
  journals: ReadonlyMap<number, ReadJournal>,
  model: Model<S>,
  deps: LoadDependencies,
): Promise<{ state: S; generation: number } | undefined> => {
  const previous = await deps.fs.read(previousPathOf(file));
  const generation = previous ? generationOf(previous.bytes) : 1;
  const journal = generation === undefined ? undefined : journals.get(generation);
  if (generation === undefined || !journal) return undefined;
  if (!previous) return { state: model.create(), generation };
  if (!fits(journal.header, previous.bytes)) return undefined;
  return { state: decodeSnapshot(deps.sql, model.schema, previous.bytes, file, true), generation };
};

const generationOf = (bytes: Uint8Array): number | undefined => {
  try {
    return readGeneration(bytes, "");
  } catch {
    return undefined;
  }
};

/** The journals that lie beside this file, in order. */
export const journalGenerations = async (file: string, fs: FileSystem): Promise<number[]> =>
  generationsAmong(file, await fs.list(dirname(file)));

export const generationsAmong = (file: string, names: readonly string[]): number[] => {
  const start = `${basename(file)}.`;
  return names
    .map((name) => (name.startsWith(start) ? /^(\d+)\.log$/.exec(name.slice(start.length)) : null))
    .flatMap((match) => (match ? [Number(match[1])] : []))
    .sort((a, b) => a - b);
};
