import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { replaceDurably, writeDurably } from "../durable-file.js";
import { hashOf } from "../workspace/file-content.js";
import { FileLocks } from "../workspace/file-locks.js";

/** A file as it was: where its content is kept, and its permission bits. */
export interface KeptFile {
  /** SHA-256 in hex; null when the file was too large to be looked at. */
  readonly hash: string | null;
  readonly mode: number;
  /** False when there was no room for the content. */
  readonly kept: boolean;
}

/** One change of one file, written down before it is made. */
export interface JournalEntry {
  readonly id: string;
  readonly run: string;
  /** The conversation that it was made in. */
  readonly thread?: string;
  readonly step: string;
  /** When it was written down, in milliseconds since 1970. */
  readonly atMs?: number;
  /** As the backend names it. */
  readonly path: string;
  /** As the agent knows it. */
  readonly file: string;
  /** Null when there was no file. */
  readonly before: KeptFile | null;
  /** Hash of what the change puts there; null when the file goes. */
  readonly after: string | null;
  /** Links and other entries that went with a directory, which are not kept. */
  readonly lost?: number;
}

type Line = { readonly entry: JournalEntry } | { readonly undone: readonly string[] };

const checksum = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

const encode = (line: Line): string => {
  const text = JSON.stringify(line);
  // A line break in front too: a torn line must not swallow the next one.
  return `\n${checksum(text)} ${text}\n`;
};

const decode = (text: string): Line | undefined => {
  const [sum = "", json = ""] = [text.slice(0, 16), text.slice(17)];
  // Torn by a crash: what it was about was not done yet.
  return sum !== "" && checksum(json) === sum ? (JSON.parse(json) as Line) : undefined;
};

/**
 * What was changed, and how it was before: contents by their hash, and lines with checksums that are only ever added to. All in
 * one directory, which several processes may share.
 */
export class UndoJournal {
  readonly #file: string;
  readonly #contents: string;
  readonly #maxBytes: number;
  readonly #locks: FileLocks;
  /** Contents that no entry names yet. */
  readonly #unnamed = new Set<string>();

  constructor(directory: string, maxBytes: number) {
    this.#contents = path.join(directory, "contents");
    this.#file = path.join(directory, "journal");
    this.#maxBytes = maxBytes;
    mkdirSync(this.#contents, { recursive: true, mode: 0o700 });
    this.#locks = new FileLocks(directory, undefined, () => {});
  }

  /** Does something while no other process writes here. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#locks.hold("journal", "The undo journal", work);
  }

  /** Changes that can be undone, the oldest first. */
  entries(): JournalEntry[] {
    if (!existsSync(this.#file)) return [];
    const found = new Map<string, JournalEntry>();
    for (const text of readFileSync(this.#file, "utf8").split("\n")) {
      const line = text === "" ? undefined : decode(text);
      if (!line) continue;
      if ("entry" in line) found.set(line.entry.id, line.entry);
      else for (const id of line.undone) found.delete(id);
    }
    return [...found.values()];
  }

  add(entries: readonly Omit<JournalEntry, "id">[]): void {
    const lines = entries.map((entry) => encode({ entry: { id: randomUUID(), ...entry } }));
    writeDurably(this.#file, "a", lines.join(""));
    this.#unnamed.clear();
  }

  undone(ids: readonly string[]): void {
    writeDurably(this.#file, "a", encode({ undone: ids }));
  }

  /** Keeps a content; without it when there is no room even after older runs were dropped. */
  keep(content: Buffer | undefined, mode: number, run: string): KeptFile {
    if (!content) return { hash: null, mode, kept: false };
    const hash = hashOf(content);
    const file = path.join(this.#contents, hash);
    this.#unnamed.add(hash);
    if (existsSync(file)) return { hash, mode, kept: true };
    if (!this.#makeRoom(content.length, run)) return { hash, mode, kept: false };
    replaceDurably(file, content);
    return { hash, mode, kept: true };
  }

  /** The bytes of a content; undefined when they are not there, or are not what they were. */
  contentOf({ hash, kept }: KeptFile): Buffer | undefined {
    if (!kept || hash === null) return undefined;
    const file = path.join(this.#contents, hash);
    if (!existsSync(file)) return undefined;
    const content = readFileSync(file);
    return hashOf(content) === hash ? content : undefined;
  }

  #bytes(): number {
    return readdirSync(this.#contents).reduce(
      (sum, name) => sum + (statSync(path.join(this.#contents, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  /** Drops the oldest runs, never the one that is under way. */
  #makeRoom(bytes: number, run: string): boolean {
    while (this.#bytes() + bytes > this.#maxBytes) {
      const entries = this.entries();
      const oldest = entries.find((entry) => entry.run !== run);
      if (!oldest) {
        // What no entry names any more may still be there.
        this.#sweep(entries);
        return this.#bytes() + bytes <= this.#maxBytes;
      }
      const rest = entries.filter((entry) => entry.run !== oldest.run);
      replaceDurably(this.#file, rest.map((entry) => encode({ entry })).join(""));
      this.#sweep(rest);
    }
    return true;
  }

  #sweep(entries: readonly JournalEntry[]): void {
    const named = new Set(entries.map(({ before }) => before?.hash));
    for (const name of readdirSync(this.#contents))
      if (!named.has(name) && !this.#unnamed.has(name))
        rmSync(path.join(this.#contents, name), { force: true });
  }
}
