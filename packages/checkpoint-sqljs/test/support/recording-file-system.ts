import { basename, dirname, join } from "node:path";
import type { FileSystem } from "../../src/file-system.js";
import { errno } from "./helpers.js";

interface Inode {
  data: Buffer;
  /** What a power cut leaves of it. */
  durable: Buffer;
  number: number;
}

/** Files by path, as a crash left them. */
export type DiskImage = Map<string, Buffer>;

/** What may be on the disk afterwards of what was never synced. */
export type Loss = "everything" | "nothing" | ((choices: number) => number);

export class PowerCut extends Error {
  constructor() {
    super("the power was cut");
  }
}

/**
 * A disk in memory that knows what was synced. Power is cut at the nth step: this and every later call fails, and `image`
 * tells what a restart would find: content that was fsynced, under names whose folder was.
 */
export class RecordingFileSystem {
  readonly #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  #inodes = 0;
  steps = 0;

  constructor(
    image: DiskImage = new Map(),
    private readonly cutAt: number = Number.POSITIVE_INFINITY,
  ) {
    for (const [path, data] of image)
      this.#names.set(path, {
        data: Buffer.from(data),
        durable: Buffer.from(data),
        number: (this.#inodes += 1),
      });
    this.#durableNames = new Map(this.#names);
  }

  image(loss: Loss): DiskImage {
    const image: DiskImage = new Map();
    const keep = (choices: number): number =>
      loss === "everything" ? 0 : loss === "nothing" ? choices - 1 : loss(choices);
    for (const path of new Set([...this.#names.keys(), ...this.#durableNames.keys()])) {
      const [now, then] = [this.#names.get(path), this.#durableNames.get(path)];
      const inode = now !== then && keep(2) === 1 ? now : then;
      if (!inode) continue;
      const { data, durable } = inode;
      const appended = data.length > durable.length && data.subarray(0, durable.length).equals(durable);
      // Of what was appended any part may have reached the disk; what replaced something did or did not.
      const kept = appended
        ? data.subarray(0, durable.length + keep(data.length - durable.length + 1))
        : keep(2) === 1
          ? data
          : durable;
      image.set(path, Buffer.from(kept));
    }
    return image;
  }

  #step(): void {
    this.steps += 1;
    if (this.steps > this.cutAt) throw new PowerCut();
  }

  #write(path: string, data: Buffer, sync: boolean): Inode {
    this.#step();
    const inode: Inode = { data: Buffer.alloc(0), durable: Buffer.alloc(0), number: (this.#inodes += 1) };
    this.#names.set(path, inode);
    this.#step();
    inode.data = Buffer.from(data.subarray(0, data.length / 2));
    this.#step();
    inode.data = Buffer.from(data);
    if (sync) {
      this.#step();
      inode.durable = inode.data;
    }
    return inode;
  }

  #identity(inode: Inode): string {
    return `${inode.number}:${inode.data.length}`;
  }

  readonly fs: FileSystem = {
    canonical: async (path) => path,
    identity: async (path) => {
      const inode = this.#names.get(path);
      return inode && this.#identity(inode);
    },
    read: async (path) => {
      const inode = this.#names.get(path);
      return inode && { bytes: Buffer.from(inode.data), identity: this.#identity(inode) };
    },
    readFrom: async (path, offset, length) => {
      const inode = this.#names.get(path);
      return (
        inode && Buffer.from(inode.data.subarray(offset, length === undefined ? undefined : offset + length))
      );
    },
    readText: async (path) => this.#names.get(path)?.data.toString("utf8"),
    lastWrite: async (path) => (this.#names.has(path) ? { atMs: 0, ageMs: 0 } : undefined),
    removeIf: async (path, isWanted) => {
      const inode = this.#names.get(path);
      if (inode && isWanted(inode.data.toString("utf8"))) await this.fs.remove(path);
    },
    touch: async () => {},
    sizeBytes: async (path) => this.#names.get(path)?.data.length,
    list: async (directory) =>
      Array.from(this.#names.keys())
        .filter((path) => dirname(path) === directory)
        .map((path) => basename(path)),
    writeTemporary: async (temporary, bytes) =>
      this.#identity(this.#write(temporary, Buffer.from(bytes), true)),
    openLog: async (path) => {
      const inode = this.#names.get(path);
      if (!inode) throw errno("ENOENT");
      return {
        write: async (bytes, at) => {
          for (const part of [bytes.subarray(0, bytes.length / 2), bytes]) {
            this.#step();
            inode.data = Buffer.concat([inode.data.subarray(0, at), part]);
          }
        },
        sync: async () => {
          this.#step();
          inode.durable = inode.data;
        },
        truncate: async (length) => {
          this.#step();
          inode.data = inode.data.subarray(0, length);
        },
        close: async () => {},
      };
    },
    link: async (from, to) => {
      this.#step();
      if (this.#names.has(to)) throw errno("EEXIST");
      this.#names.set(to, this.#names.get(from)!);
      return true;
    },
    rename: async (from, to) => {
      this.#step();
      const inode = this.#names.get(from);
      if (!inode) throw errno("ENOENT");
      // Renaming one name of a file over another of its names does nothing, as POSIX has it.
      if (this.#names.get(to) === inode) return;
      this.#names.set(to, inode);
      this.#names.delete(from);
    },
    remove: async (path) => {
      this.#step();
      this.#names.delete(path);
    },
    syncDirectory: async (directory) => {
      this.#step();
      for (const path of new Set([...this.#names.keys(), ...this.#durableNames.keys()])) {
        if (dirname(path) !== directory) continue;
        const inode = this.#names.get(path);
        if (inode) this.#durableNames.set(path, inode);
        else this.#durableNames.delete(path);
      }
    },
    ensureDirectory: async () => {},
    createExclusive: async (path, text) => {
      if (this.#names.has(path)) return false;
      // A link to a draft that is written and synced.
      const draft = this.#write(`${path}.draft`, Buffer.from(text), true);
      this.#names.delete(`${path}.draft`);
      this.#names.set(path, draft);
      return true;
    },
    replaceText: async (path, text, temporary) => {
      const inode = this.#write(temporary, Buffer.from(text), true);
      this.#names.delete(temporary);
      this.#names.set(path, inode);
    },
  };
}

export const FOLDER = "/disk";
export const inFolder = (name: string): string => join(FOLDER, name);
