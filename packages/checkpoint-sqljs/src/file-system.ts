import { constants, readFileSync, rmSync } from "node:fs";
import {
  link,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** A file's bytes and the identity they were read under. */
export interface Snapshot {
  readonly bytes: Uint8Array;
  readonly identity: string;
}

/** A journal that is being written. */
export interface LogHandle {
  /** All of it, at this place. */
  write(bytes: Uint8Array, at: number): Promise<void>;
  /** Makes the content, and the size as far as reading needs it, survive a power cut. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * All that this package does to a disk. Injected, because as root neither a read-only folder nor a full disk can be
 * had in a test.
 */
export interface FileSystem {
  /** Absolute path with links resolved as far as it exists. */
  canonical(path: string): Promise<string>;
  /** Changes whenever another file takes the path. Undefined when there is none. */
  identity(path: string): Promise<string | undefined>;
  read(path: string): Promise<Snapshot | undefined>;
  /** From this place to the end, or this many bytes. Undefined when there is no file. */
  readFrom(path: string, offset: number, length?: number): Promise<Uint8Array | undefined>;
  /** Opens a file that exists, for writing at any place. */
  openLog(path: string): Promise<LogHandle>;
  /** A second name for a file. False when this disk has no hard links. */
  link(from: string, to: string): Promise<boolean>;
  readText(path: string): Promise<string | undefined>;
  /** When it was written and how long ago, by the clock of the disk: another machine's may differ. */
  lastWrite(path: string): Promise<{ readonly atMs: number; readonly ageMs: number } | undefined>;
  /** Makes it new again if its text is still this one. */
  touch(path: string, text: string): Promise<void>;
  sizeBytes(path: string): Promise<number | undefined>;
  list(directory: string): Promise<string[]>;
  /** Creates `temporary`, writes, fsyncs. Its identity survives the rename to `like`, whose mode it takes. */
  writeTemporary(temporary: string, bytes: Uint8Array, like: string): Promise<string>;
  rename(from: string, to: string): Promise<void>;
  /** No error when there is no such file. */
  remove(path: string): Promise<void>;
  /** Removes it if its text is as wanted. Looking and removing are one step of this process: nothing waits in between. */
  removeIf(path: string, isWanted: (text: string) => boolean): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  ensureDirectory(path: string): Promise<void>;
  /** Creates the file with its whole content at once, or returns false when it exists. */
  createExclusive(path: string, text: string): Promise<boolean>;
  /** Replaces the file by one with this content in one step. */
  replaceText(path: string, text: string, temporary: string): Promise<void>;
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const absentAs = async <T>(promise: Promise<T>): Promise<T | undefined> => {
  try {
    return await promise;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
};

/** Inode numbers are reused, so size and times belong to it. ctime is left out: the rename itself changes it. */
const identityOf = (stats: { dev: bigint; ino: bigint; size: bigint; mtimeNs: bigint }): string =>
  `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}`;

/** Conversations are private: a new database is readable by its owner only. */
const PRIVATE = 0o600;

/** Codes with which a file system says that it has no hard links. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EINVAL"]);

/** Of a FIFO that lies there instead, opening would wait for ever for somebody to write. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

const ordinary = (stats: { isFile(): boolean; isDirectory(): boolean }, path: string): void => {
  if (stats.isFile()) return;
  const code = stats.isDirectory() ? "EISDIR" : "EINVAL";
  throw Object.assign(new Error(`${code}: ${path} is not an ordinary file`), { code });
};

const writeAndSync = async (
  path: string,
  content: Uint8Array | string,
  flags: string,
  mode: number,
): Promise<string> => {
  const handle = await open(path, flags, mode);
  try {
    await handle.writeFile(content);
    await handle.sync();
    return identityOf(await handle.stat({ bigint: true }));
  } finally {
    await handle.close();
  }
};

/** The disk of this machine. */
export const nodeFileSystem: FileSystem = {
  async canonical(path) {
    const absolute = resolve(path);
    const real = await absentAs(realpath(absolute));
    if (real !== undefined) return real;
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(await nodeFileSystem.canonical(parent), basename(absolute));
  },
  async identity(path) {
    const stats = await absentAs(stat(path, { bigint: true }));
    return stats && identityOf(stats);
  },
  async read(path) {
    const handle = await absentAs(open(path, READ));
    if (!handle) return undefined;
    try {
      // The handle keeps the file that was there when it was opened, whatever is renamed over the path meanwhile.
      const stats = await handle.stat({ bigint: true });
      ordinary(stats, path);
      const identity = identityOf(stats);
      return { bytes: await handle.readFile(), identity };
    } finally {
      await handle.close();
    }
  },
  async readFrom(path, offset, limit = Number.POSITIVE_INFINITY) {
    const handle = await absentAs(open(path, READ));
    if (!handle) return undefined;
    try {
      const stats = await handle.stat();
      ordinary(stats, path);
      const { size } = stats;
      const bytes = Buffer.alloc(Math.min(limit, Math.max(0, size - offset)));
      let length = 0;
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length, offset + length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return bytes.subarray(0, length);
    } finally {
      await handle.close();
    }
  },
  async openLog(path) {
    const handle = await open(path, "r+");
    return {
      async write(bytes, at) {
        // A full disk may take part of it before it says so.
        for (let done = 0; done < bytes.length;) {
          const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at + done);
          done += bytesWritten;
        }
      },
      sync: () => handle.datasync(),
      truncate: (length) => handle.truncate(length),
      close: () => handle.close(),
    };
  },
  async link(from, to) {
    try {
      await link(from, to);
      return true;
    } catch (error) {
      if (NO_LINKS.has(codeOf(error) ?? "")) return false;
      throw error;
    }
  },
  readText: (path) => absentAs(readFile(path, "utf8")),
  async lastWrite(path) {
    const probe = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.clock`;
    await writeFile(probe, "", { mode: PRIVATE });
    try {
      const now = (await stat(probe)).mtimeMs;
      const stats = await absentAs(stat(path));
      return stats && { atMs: stats.mtimeMs, ageMs: now - stats.mtimeMs };
    } finally {
      await rm(probe, { force: true });
    }
  },
  async touch(path, text) {
    const handle = await absentAs(open(path, "r+"));
    if (!handle) return;
    try {
      // Through one handle: what is renamed over the path meanwhile is not touched. Not utimes, which would set this
      // machine's clock.
      if ((await handle.readFile("utf8")) === text) await handle.write(text.slice(0, 1), 0);
    } finally {
      await handle.close();
    }
  },
  sizeBytes: async (path) => (await absentAs(stat(path)))?.size,
  list: async (directory) => (await absentAs(readdir(directory))) ?? [],
  async writeTemporary(temporary, bytes, like) {
    const previous = await absentAs(stat(like));
    return writeAndSync(temporary, bytes, "w", previous ? previous.mode & 0o777 : PRIVATE);
  },
  rename,
  remove: (path) => rm(path, { force: true }),
  async removeIf(path, isWanted) {
    try {
      if (isWanted(readFileSync(path, "utf8"))) rmSync(path, { force: true });
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
  },
  async syncDirectory(path) {
    // Windows cannot open a directory for this; NTFS journals the rename itself.
    if (process.platform === "win32") return;
    const handle = await open(path, "r");
    try {
      await handle.sync();
    } catch (error) {
      // Some network and FUSE file systems have no fsync for directories.
      if (!["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(codeOf(error) ?? "")) throw error;
    } finally {
      await handle.close();
    }
  },
  async ensureDirectory(path) {
    const first = await mkdir(path, { recursive: true });
    if (first !== undefined) await nodeFileSystem.syncDirectory(dirname(first));
  },
  async createExclusive(path, text) {
    // link() of a finished file, so that nobody ever reads a lock that is still empty.
    const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.draft`;
    await writeAndSync(draft, text, "wx", PRIVATE);
    try {
      await link(draft, path);
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      if (!NO_LINKS.has(codeOf(error) ?? "")) throw error;
    } finally {
      await rm(draft, { force: true });
    }
    try {
      await writeAndSync(path, text, "wx", PRIVATE);
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
  },
  async replaceText(path, text, temporary) {
    await writeAndSync(temporary, text, "w", PRIVATE);
    await rename(temporary, path);
  },
};
