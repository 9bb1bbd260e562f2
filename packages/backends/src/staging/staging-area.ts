import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { replaceDurably } from "../durable-file.js";
import { BackendError } from "../errors.js";
import { hashOf } from "../workspace/file-content.js";
import { FileLocks } from "../workspace/file-locks.js";

/** What a staged change was made of. */
export interface StagedEntry {
  /** SHA-256 in hex of the file it was made of, null when there was none. */
  readonly base: string | null;
  /** Permission bits of that file. */
  readonly mode?: number;
  /** True when the file is to go. */
  readonly deleted?: true;
}

type Index = Readonly<Record<string, StagedEntry>>;

/**
 * The directory of what is staged: a tree of the new contents, the contents they were made of by their hash, and an index that
 * says which is which. Several processes may share it.
 */
export class StagingArea {
  /** Path of the tree. */
  readonly tree: string;
  readonly #bases: string;
  readonly #index: string;
  readonly #locks: FileLocks;

  constructor(directory: string) {
    this.tree = path.join(directory, "tree");
    this.#bases = path.join(directory, "bases");
    this.#index = path.join(directory, "index.json");
    for (const each of [this.tree, this.#bases]) mkdirSync(each, { recursive: true, mode: 0o700 });
    this.#locks = new FileLocks(directory, undefined, () => {});
  }

  /** Does something while nobody else stages, accepts or rejects. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#locks.hold("index", "The staging area", work);
  }

  /** By path as the backend names it. */
  entries(): ReadonlyMap<string, StagedEntry> {
    if (!existsSync(this.#index)) return new Map();
    try {
      const entries = Object.entries(JSON.parse(readFileSync(this.#index, "utf8")) as Index);
      if (!entries.every(([, { base }]) => base === null || /^[\da-f]{64}$/.test(base)))
        throw new TypeError("An entry names no content.");
      return new Map(entries);
    } catch (cause) {
      throw new BackendError(
        "damaged",
        "The index of staged changes cannot be read: nothing is staged or accepted until it is mended or removed.",
        { cause },
      );
    }
  }

  set(file: string, entry: StagedEntry | undefined): void {
    const entries = new Map(this.entries());
    if (entry) entries.set(file, entry);
    else entries.delete(file);
    replaceDurably(this.#index, JSON.stringify(Object.fromEntries(entries)));
    if (entry) return;
    const named = new Set([...entries.values()].map(({ base }) => base));
    for (const name of readdirSync(this.#bases))
      if (!named.has(name)) rmSync(path.join(this.#bases, name), { force: true });
  }

  /** Keeps a content for merging. */
  keepBase(content: Uint8Array): string {
    const hash = hashOf(content);
    const file = path.join(this.#bases, hash);
    if (!existsSync(file)) replaceDurably(file, content);
    return hash;
  }

  baseOf({ base }: StagedEntry): Uint8Array {
    return base === null ? new Uint8Array() : readFileSync(path.join(this.#bases, base));
  }
}
