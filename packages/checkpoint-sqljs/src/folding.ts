import { dirname } from "node:path";
import { crc32 } from "./crc32.js";
import { SaveFailedError } from "./errors.js";
import type { FileSystem } from "./file-system.js";
import { encodeHeader, journalPathOf, newTag, type JournalHeader } from "./journal.js";
import {
  generationsAmong,
  journalGenerations,
  previousPathOf,
  type LoadDependencies,
  type Loaded,
  type Model,
} from "./loading.js";
import { newNonce, temporaryPathOf } from "./lock.js";
import { encodeSnapshot } from "./snapshot.js";

export interface FoldOptions {
  readonly generation: number;
  readonly nonce: string;
  readonly keepPrevious: boolean;
  /** Rejects when the lock is lost. */
  verify(): Promise<void>;
}

/**
 * Replaces snapshot and journal by a new pair. Whatever moment a crash picks, one pair is whole: the old one until the
 * rename of the snapshot, the new one from then on. The old pair is kept until the next fold.
 */
export const foldFile = async <S>(
  file: string,
  model: Model<S>,
  state: S,
  { fs, sql }: LoadDependencies,
  options: FoldOptions,
): Promise<Loaded<S>> => {
  const { generation, nonce } = options;
  const directory = dirname(file);
  const bytes = encodeSnapshot(sql, model.schema, state, generation);
  const header: JournalHeader = {
    generation,
    snapshotBytes: bytes.length,
    snapshotCrc: crc32(bytes),
    tag: newTag(),
    summary: model.summarize(state),
  };
  const head = encodeHeader(header);
  const temporary = temporaryPathOf(file, nonce);
  let identity: string;
  try {
    await fs.writeTemporary(temporary, head, file);
    await options.verify();
    await fs.rename(temporary, journalPathOf(file, generation));
    identity = await fs.writeTemporary(temporary, bytes, file);
    // The snapshot must not be found without its journal, which says what the snapshot has to be.
    await fs.syncDirectory(directory);
    await options.verify();
    if (options.keepPrevious) await keepPrevious(file, fs, nonce);
    await fs.rename(temporary, file);
    await fs.syncDirectory(directory);
  } catch (error) {
    await fs.remove(temporary).catch(() => {
      // The fold's own error is the one to report; the next breaker of our lock removes the file.
    });
    throw error;
  }
  if (options.keepPrevious) await removeJournals(file, fs, generation - 1).catch(() => {});
  return {
    state,
    identity,
    generation,
    snapshotBytes: bytes.length,
    journal: { header, end: head.length, sequence: 0, size: head.length },
    damage: undefined,
  };
};

const keepPrevious = async (file: string, fs: FileSystem, nonce: string): Promise<void> => {
  const temporary = `${temporaryPathOf(file, nonce)}.prev`;
  await fs.remove(temporary);
  // Without hard links there is no copy; only a damaged snapshot would ever need it.
  if (await fs.link(file, temporary)) await fs.rename(temporary, previousPathOf(file));
  else await fs.remove(previousPathOf(file));
};

/** Those before this one. Left over they do no harm. */
const removeJournals = async (file: string, fs: FileSystem, before: number): Promise<void> => {
  for (const generation of await journalGenerations(file, fs))
    if (generation < before) await fs.remove(journalPathOf(file, generation));
};

/** Deletes a database. Once the snapshot is gone the rest means nothing, so the order holds whenever a crash comes. */
export const removeFiles = async (file: string, fs: FileSystem): Promise<void> => {
  const directory = dirname(file);
  await fs.remove(file);
  await fs.syncDirectory(directory);
  await removeSiblings(file, fs);
  await fs.syncDirectory(directory);
};

/** The snapshot before and the journals. */
export const removeSiblings = async (file: string, fs: FileSystem): Promise<void> => {
  await fs.remove(previousPathOf(file));
  for (const generation of await journalGenerations(file, fs))
    await fs.remove(journalPathOf(file, generation));
};

/** Gives a damaged file a second name, under which nothing of ours will ever touch it. */
export const setAside = async (path: string, fs: FileSystem): Promise<string | undefined> => {
  for (let number = 1; number < 1000; number += 1) {
    const target = `${path}.damaged-${number}`;
    if ((await fs.sizeBytes(target)) !== undefined) continue;
    if (await fs.link(path, target)) return target;
    const snapshot = await fs.read(path);
    if (!snapshot) return undefined;
    await fs.writeTemporary(target, snapshot.bytes, path);
    return target;
  }
  return undefined;
};

/** What a database takes on disk, with everything beside it that belongs to it. `names`: the folder, if it is read already. */
export const fileSizes = async (
  file: string,
  fs: FileSystem,
  names?: readonly string[],
): Promise<{ snapshot: number; journal: number; previous: number; all: number }> => {
  const generations = names ? generationsAmong(file, names) : await journalGenerations(file, fs);
  const size = async (path: string): Promise<number> => (await fs.sizeBytes(path)) ?? 0;
  const journals = await Promise.all(generations.map((generation) => size(journalPathOf(file, generation))));
  const snapshot = await size(file);
  const journal = journals.at(-1) ?? 0;
  const previous =
    (await size(previousPathOf(file))) + journals.slice(0, -1).reduce((sum, one) => sum + one, 0);
  return { snapshot, journal, previous, all: snapshot + journal + previous };
};

/** Puts a finished file at this path. */
export const replaceFile = async (path: string, bytes: Uint8Array, fs: FileSystem): Promise<void> => {
  const file = await fs.canonical(path);
  await fs.ensureDirectory(dirname(file));
  const temporary = temporaryPathOf(file, newNonce());
  try {
    await fs.writeTemporary(temporary, bytes, file);
    await fs.rename(temporary, file);
  } catch (cause) {
    await fs.remove(temporary).catch(() => {});
    throw new SaveFailedError(file, cause);
  }
  await fs.syncDirectory(dirname(file));
};
