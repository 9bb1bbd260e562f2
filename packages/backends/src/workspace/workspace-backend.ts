import { lstatSync, readdirSync, realpathSync, renameSync, type BigIntStats } from "node:fs";
import { randomBytes } from "node:crypto";
import path from "node:path";
import type {
  DeleteResult,
  EditResult,
  FileDownloadResponse,
  FileInfo,
  FileUploadResponse,
  GlobResult,
  GrepMatch,
  GrepResult,
  LsResult,
  ReadRawResult,
  ReadResult,
  WriteResult,
} from "deepagents";
import { applyEdit, type EditOutcome } from "../edit/apply-edit.js";
import { BackendError } from "../errors.js";
import type { GuardedBackend } from "../freshness.js";
import { reportToCall } from "./call-report.js";
import { openRoot, systemConfinement, type Confinement, type Directory } from "./directory.js";
import { binaryError, checkRegular, hashOf, readPage, readWhole, withFile } from "./file-content.js";
import { FileError, fileErrorOf, type FileErrorKind } from "./file-error.js";
import { FileLocks, type HeldLock } from "./file-locks.js";
import { nameGlob, pathGlob } from "./glob-pattern.js";
import { fileGrep } from "./grep-file.js";
import { uniformEnding, withEnding } from "./line-endings.js";
import { mediaTypeOf } from "./media.js";
import { Protection } from "./protection.js";
import { removeTree } from "./remove-tree.js";
import { replaceFile } from "./replace-file.js";
import { resolvePlace, type Place, type ResolveOptions } from "./resolve.js";
import { decodeText, detectFormat, encodeText, UTF8, type TextFormat } from "./text-codec.js";
import { checkNewName, parsePath, showPath, type PathParts } from "./virtual-path.js";
import { walkFiles, type WalkedFile } from "./walk.js";

export interface WorkspaceBackendOptions {
  /** Path of a directory that exists. Virtual paths begin at it: `/src/index.ts`. */
  root: string;
  /** Virtual paths that may be read and not changed, with all below. `.git` is, always. */
  protectedPaths?: readonly string[];
  /** Virtual paths that are not there for whoever asks, with all below. */
  hiddenPaths?: readonly string[];
  /**
   * What to do about writing a file that has other names, which may lie outside: "refuse" (default), or "break" the link, so
   * that this name gets the new content and the others keep the old.
   */
  hardlinks?: "refuse" | "break";
  /** Force each change to the disk before it is reported; default true. */
  fsync?: boolean;
  /** Largest file that is edited, searched, or read raw; default 64 MiB. Reading pages has no limit. */
  maxFileBytes?: number;
  /** Directory for the locks between processes; default below the system's directory for temporary files. */
  lockDirectory?: string;
  /** Where the agent sees the root, for messages and receipts: `/workspace`; default "". */
  mount?: string;
  /** How directories are held; default "descriptors" on Linux, else "paths". */
  confinement?: Confinement;
}

/** What a failed operation returns beside `error`. */
export interface FileFailure {
  error: string;
  errorKind: FileErrorKind;
}

/** A change that was made, as `metadata` of the result tells it. */
export interface FileReceipt {
  /** The canonical virtual path, symbolic links resolved. */
  readonly file: string;
  /** SHA-256 in hex; null where there was, or is, no file. */
  readonly hashBefore: string | null;
  readonly hashAfter: string | null;
  /** Of an edit. */
  readonly strategy?: EditOutcome["strategy"];
  readonly span?: EditOutcome["span"];
}

/** Looks at a change while the file is locked; what it throws refuses the change. */
export interface ChangeGuard {
  /** Before anything is written. The hash is null when there is no file. */
  before?(file: string, hash: () => Promise<string | null>): void | Promise<void>;
  /** After it was written. */
  after?(receipt: FileReceipt): void;
}

const DEFAULT_LIMIT = 500;
const MAX_GLOB_FILES = 10_000;
const MAX_MATCHES = 2_000;
const MAX_FILE_BYTES = 64 * 1024 * 1024;

const identityOf = (stats: BigIntStats | undefined): string =>
  stats ? `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` : "";

const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Real files below one directory, by deepagents' backend protocol. Nothing outside the directory is read or changed, whatever
 * links and races there are; every change is whole or not there at all; and a file keeps its encoding, byte-order mark, line
 * endings and mode. A failed operation returns `{ error, errorKind }` and throws nothing.
 *
 * @example
 * ```ts
 * import { WorkspaceBackend } from "@fiveseam/backends";
 *
 * const files = new WorkspaceBackend({ root: process.cwd() });
 * const { content, totalLines } = await files.read("/package.json");
 * console.log(totalLines, content);
 * ```
 */
export class WorkspaceBackend implements GuardedBackend {
  readonly guarded = true;
  readonly #root: string;
  readonly #confinement: Confinement;
  readonly #protection: Protection;
  readonly #locks: FileLocks;
  readonly #fsync: boolean;
  readonly #breakLinks: boolean;
  readonly #mount: string;
  readonly #maxFileBytes: number;

  /** @throws {BackendError} `invalid_option` when the root is no directory, or an option is none. */
  constructor(options: WorkspaceBackendOptions) {
    if (typeof options.root !== "string" || options.root === "")
      throw new BackendError("invalid_option", "`root` is empty; give the path of a directory.");
    try {
      this.#root = realpathSync(path.resolve(options.root));
    } catch (cause) {
      throw new BackendError("invalid_option", `\`root\` is no directory: "${options.root}".`, { cause });
    }
    this.#mount = (options.mount ?? "").replace(/\/+$/, "");
    this.#confinement = options.confinement ?? systemConfinement();
    this.#maxFileBytes = options.maxFileBytes ?? MAX_FILE_BYTES;
    if (!(this.#maxFileBytes > 0))
      throw new BackendError("invalid_option", "`maxFileBytes` must be a number of bytes above 0.");
    const rules = (option: "protectedPaths" | "hiddenPaths"): PathParts[] =>
      (options[option] ?? []).map((each) => {
        try {
          return parsePath(each);
        } catch (cause) {
          throw new BackendError("invalid_option", `\`${option}\`: ${(cause as Error).message}`, { cause });
        }
      });
    this.#protection = new Protection({
      protectedPaths: rules("protectedPaths"),
      hiddenPaths: rules("hiddenPaths"),
      show: this.#show,
    });
    this.#locks = new FileLocks(this.#root, options.lockDirectory);
    this.#fsync = options.fsync ?? true;
    this.#breakLinks = options.hardlinks === "break";
  }

  /** A path as the agent knows it. */
  #show = (parts: PathParts): string => this.#mount + showPath(parts);

  #openRoot = (): Directory => openRoot(this.#root, this.#confinement);

  #place(parts: PathParts, options: Omit<ResolveOptions, "show"> = {}): Place {
    this.#protection.checkRead(parts);
    const place = resolvePlace(this.#openRoot, parts, { ...options, show: this.#show });
    try {
      this.#protection.checkRead(place.parts);
    } catch (error) {
      place.close();
      throw error;
    }
    return place;
  }

  /** Runs an operation and turns what it throws into a result. */
  async #result<T extends object>(given: unknown, work: () => Promise<T>): Promise<T | FileFailure> {
    try {
      const result = await work();
      const cut = (result as { truncated?: boolean }).truncated === true;
      reportToCall({ ok: true, ...(cut ? { truncated: true } : {}) });
      return result;
    } catch (error) {
      const { message, kind } = fileErrorOf(
        error,
        typeof given === "string" ? this.#mount + given : "The path",
      );
      reportToCall({ ok: false, kind, message });
      return { error: message, errorKind: kind };
    }
  }

  ls(directory: string): Promise<LsResult> {
    return this.#result(directory, async (): Promise<LsResult> => {
      const parts = parsePath(directory);
      const place = this.#place(parts);
      try {
        const opened = this.#enter(place, this.#show(parts));
        try {
          const files: FileInfo[] = [];
          for (const name of readdirSync(opened.self).sort()) {
            if (files.length % 1_000 === 999) await breathe();
            const info = this.#info(opened, [...parts, name], [...place.parts, name], name);
            if (info) files.push(info);
          }
          return { files };
        } finally {
          opened.close();
        }
      } finally {
        place.close();
      }
    });
  }

  /** Opens the directory that a place is. */
  #enter(place: Place, shown: string): Directory {
    if (!place.stats) throw new FileError("not_found", `${shown}: it does not exist.`);
    if (!place.stats.isDirectory()) throw new FileError("not_found", `${shown}: it is no directory.`);
    if (place.name === "") return this.#openRoot();
    return place.directory.enter(place.name);
  }

  #info(directory: Directory, given: PathParts, real: PathParts, name: string): FileInfo | undefined {
    if (this.#protection.isHidden(real)) return undefined;
    let stats: BigIntStats;
    try {
      stats = lstatSync(directory.at(name), { bigint: true });
    } catch {
      return undefined; // Gone meanwhile.
    }
    if (stats.isSymbolicLink()) stats = this.#target(given) ?? stats;
    const isDirectory = stats.isDirectory();
    return {
      path: showPath(given) + (isDirectory ? "/" : ""),
      is_dir: isDirectory,
      size: isDirectory || stats.isSymbolicLink() ? 0 : Number(stats.size),
      modified_at: new Date(Number(stats.mtimeMs)).toISOString(),
    };
  }

  /** What a link leads to, when that is inside. */
  #target(given: PathParts): BigIntStats | undefined {
    try {
      const place = this.#place(given);
      place.close();
      return place.stats;
    } catch {
      return undefined;
    }
  }

  read(filePath: string, offset = 0, limit = DEFAULT_LIMIT): Promise<ReadResult> {
    return this.#result(filePath, async (): Promise<ReadResult> => {
      const from = Math.floor(offset);
      const many = Math.floor(limit);
      if (!(from >= 0) || !(many >= 0))
        throw new FileError("invalid_path", "offset and limit are numbers of lines, 0 or more.");
      const place = this.#existing(parsePath(filePath));
      try {
        const file = place.shown;
        const page = await withFile(place, (opened) => readPage(opened, from, many));
        const metadata = { file, hash: page.hash };
        if (page.kind === "media")
          return { content: page.bytes, mimeType: page.mimeType, metadata } as ReadResult;
        const { lines, totalLines, cut } = page;
        if (from > 0 && from >= totalLines)
          throw new FileError(
            "not_found",
            `Offset ${from} exceeds file length: ${file} has ${totalLines} lines.`,
          );
        const next = from + lines.length;
        return {
          content: lines.join("\n"),
          mimeType: "text/plain",
          totalLines,
          ...(lines.length > 0 ? { startLine: from + 1, endLine: next } : {}),
          ...(next < totalLines ? { nextOffset: next } : {}),
          ...(cut ? { truncated: true } : {}),
          metadata,
        } as ReadResult;
      } finally {
        place.close();
      }
    });
  }

  readRaw(filePath: string): Promise<ReadRawResult> {
    return this.#result(filePath, async (): Promise<ReadRawResult> => {
      const place = this.#existing(parsePath(filePath));
      try {
        const { bytes, stats } = await withFile(place, async (opened) => ({
          bytes: await readWhole(opened, this.#maxFileBytes),
          stats: opened.stats,
        }));
        const format = detectFormat(bytes);
        const times = {
          created_at: new Date(Number(stats.birthtimeMs)).toISOString(),
          modified_at: new Date(Number(stats.mtimeMs)).toISOString(),
        };
        return format
          ? { data: { content: decodeText(bytes, format), mimeType: "text/plain", ...times } }
          : {
              data: {
                content: bytes,
                mimeType: mediaTypeOf(place.name, bytes) ?? "application/octet-stream",
                ...times,
              },
            };
      } finally {
        place.close();
      }
    });
  }

  #existing(parts: PathParts): Place {
    const place = this.#place(parts);
    if (place.stats) {
      if (place.name !== "") return place;
      place.close();
      throw new FileError("is_directory", "/ is a directory.");
    }
    place.close();
    throw new FileError("not_found", `${this.#show(parts)}: it does not exist.`);
  }

  /** @param guard for decorators; deepagents' tools give none. */
  write(filePath: string, content: string, guard?: ChangeGuard): Promise<WriteResult> {
    return this.#result(filePath, async () => {
      if (typeof content !== "string") throw new FileError("invalid_text", "The content must be a string.");
      return this.#put(filePath, guard, (existing, shown) => {
        const format = existing ? (formatOf(existing) ?? UTF8) : UTF8;
        const plain = content.replace(/^\ufeff/, "");
        const bom = content.length > plain.length || format.bom;
        const text =
          existing && format && uniformEnding(safeDecode(existing, format)) === "\r\n"
            ? withEnding(plain, "\r\n")
            : plain;
        return encodeText(text, { ...format, bom }, shown);
      });
    });
  }

  /** Writes bytes as they are. */
  async #put(
    filePath: string,
    guard: ChangeGuard | undefined,
    contentOf: (existing: Buffer | undefined, shown: string) => Uint8Array,
  ): Promise<WriteResult> {
    const parts = parsePath(filePath);
    const shown = this.#show(parts);
    // Seen before anything waits: whoever comes in between has changed what the caller means to replace.
    const seen = this.#identity(parts);
    return this.#change(parts, { makeParents: true, guard }, async (place, lock) => {
      if (identityOf(place.stats) !== seen)
        throw new FileError(
          "conflict",
          `${shown} was changed by somebody else at this moment; read it again.`,
        );
      if (!place.stats) checkNewName(place.name);
      const existing = place.stats
        ? await withFile(place, async (opened) =>
            Number(opened.stats.size) > this.#maxFileBytes
              ? undefined
              : readWhole(opened, this.#maxFileBytes),
          )
        : undefined;
      const bytes = contentOf(existing, shown);
      await this.#replace(place, bytes, lock);
      const receipt: FileReceipt = {
        file: place.shown,
        hashBefore: existing ? hashOf(existing) : null,
        hashAfter: hashOf(bytes),
      };
      return { receipt, result: { path: showPath(parts), filesUpdate: null } };
    });
  }

  #identity(parts: PathParts): string {
    try {
      const place = this.#place(parts);
      place.close();
      return identityOf(place.stats);
    } catch (error) {
      if (error instanceof FileError && error.kind === "not_found") return "";
      throw error;
    }
  }

  async #replace(place: Place, bytes: Uint8Array, lock: HeldLock): Promise<void> {
    await replaceFile(place, bytes, lock, {
      fsync: this.#fsync,
      confirm: () => {
        let now: BigIntStats | undefined;
        try {
          now = lstatSync(place.directory.at(place.name), { bigint: true });
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        }
        if (identityOf(now) !== identityOf(place.stats))
          throw new FileError("conflict", `${place.shown} was changed by somebody else at this moment.`);
      },
    });
  }

  /** Does something to one file under its lock, which goes by the real file and not by the name that was given. */
  async #change<R extends { path?: string }>(
    parts: PathParts,
    options: { makeParents: boolean; guard: ChangeGuard | undefined },
    work: (place: Place, lock: HeldLock) => Promise<{ receipt: FileReceipt; result: R }>,
  ): Promise<R & { metadata: Record<string, unknown> }> {
    const shown = this.#show(parts);
    const resolve = {
      makeParents: options.makeParents,
      check: (real: PathParts) => this.#protection.checkWrite(real),
    };
    this.#protection.checkWrite(parts);
    // The key first: the place itself is found again under the lock.
    const key = this.#keyOf(parts);
    return this.#locks.hold(key, shown, async (lock) => {
      const place = this.#place(parts, resolve);
      let done = false;
      try {
        if (place.name === "") throw new FileError("is_directory", `${shown} is a directory.`);
        if (place.stats) checkRegular(place.stats, shown);
        if (place.stats && place.stats.nlink > 1n && !this.#breakLinks)
          throw new FileError(
            "denied",
            `${shown} has other names (hard links), which the change would reach or leave behind.`,
          );
        const file = place.shown;
        await options.guard?.before?.(file, async () =>
          place.stats
            ? withFile(place, async (opened) => hashOf(await readWhole(opened, this.#maxFileBytes)))
            : null,
        );
        const { receipt, result } = await work(place, lock);
        done = true;
        options.guard?.after?.(receipt);
        return { ...result, metadata: { ...receipt } };
      } finally {
        if (!done) place.undoParents();
        place.close();
      }
    });
  }

  /** The real path, as far as it exists. */
  #keyOf(parts: PathParts): string {
    for (let known = parts.length; known >= 0; known -= 1) {
      try {
        const place = this.#place(parts.slice(0, known));
        place.close();
        return showPath([...place.parts, ...parts.slice(known)]);
      } catch (error) {
        if (!(error instanceof FileError) || error.kind !== "not_found" || known === 0) throw error;
      }
    }
    return showPath(parts);
  }

  /** @param guard for decorators; deepagents' tools give none. */
  edit(
    filePath: string,
    oldString: string,
    newString: string,
    replaceAll = false,
    guard?: ChangeGuard,
  ): Promise<EditResult> {
    return this.#result(filePath, async (): Promise<EditResult> => {
      if (typeof oldString !== "string" || typeof newString !== "string")
        throw new FileError("invalid_text", "old_string and new_string must be strings.");
      const parts = parsePath(filePath);
      const shown = this.#show(parts);
      return this.#change(parts, { makeParents: false, guard }, async (place, lock) => {
        if (!place.stats) throw new FileError("not_found", `${shown}: it does not exist.`);
        const bytes = await withFile(place, (opened) => readWhole(opened, this.#maxFileBytes));
        const format = detectFormat(bytes);
        if (!format) throw binaryError(shown, bytes, bytes.length);
        const edited = applyEdit(decodeText(bytes, format), {
          oldString,
          newString,
          replaceAll,
          path: shown,
        });
        const after = encodeText(edited.text, format, shown);
        if (!after.equals(bytes)) await this.#replace(place, after, lock);
        const { strategy, span, occurrences } = edited;
        const receipt: FileReceipt = {
          file: place.shown,
          hashBefore: hashOf(bytes),
          hashAfter: hashOf(after),
          strategy,
          span,
        };
        return { receipt, result: { path: showPath(parts), filesUpdate: null, occurrences } };
      });
    });
  }

  /** @param guard for decorators; deepagents' tools give none. */
  delete(filePath: string, guard?: ChangeGuard): Promise<DeleteResult> {
    return this.#result(filePath, async (): Promise<DeleteResult> => {
      const parts = parsePath(filePath);
      const shown = this.#show(parts);
      if (parts.length === 0) throw new FileError("denied", "The root of the workspace is not deleted.");
      this.#protection.checkWrite(parts);
      return this.#locks.hold(`${this.#keyOf(parts.slice(0, -1))}/${parts.at(-1)}`, shown, async () => {
        const place = this.#place(parts, {
          followLast: false,
          check: (real) => this.#protection.checkWrite(real),
        });
        try {
          if (!place.stats || place.name === "")
            throw new FileError("not_found", `${shown}: it does not exist.`);
          const file = place.shown;
          const isFile = place.stats.isFile();
          const hash = async (): Promise<string | null> =>
            isFile
              ? withFile(place, async (opened) => hashOf(await readWhole(opened, this.#maxFileBytes)))
              : null;
          await guard?.before?.(file, hash);
          if (place.stats.isDirectory()) await this.#removeDirectory(place, shown);
          else await removeTree(place.directory, place.name);
          const receipt: FileReceipt = { file, hashBefore: null, hashAfter: null };
          guard?.after?.(receipt);
          return { path: showPath(parts), filesUpdate: null, metadata: { ...receipt } };
        } finally {
          place.close();
        }
      });
    });
  }

  /** Takes the whole directory away at once, and then apart. */
  async #removeDirectory(place: Place, shown: string): Promise<void> {
    this.#checkNothingProtected(place, shown);
    const aside = `.fiveseam-${randomBytes(8).toString("hex")}.deleted`;
    renameSync(place.directory.at(place.name), place.directory.at(aside));
    try {
      await removeTree(place.directory, aside);
    } catch (error) {
      renameSync(place.directory.at(aside), place.directory.at(place.name));
      throw error;
    }
  }

  #checkNothingProtected(place: Place, shown: string): void {
    const look = (parent: Directory, name: string, parts: PathParts): void => {
      if (this.#protection.isProtected(parts))
        throw new FileError("denied", `${shown} was not deleted: ${this.#show(parts)} in it is protected.`);
      if (!lstatSync(parent.at(name)).isDirectory()) return;
      const directory = parent.enter(name);
      try {
        for (const entry of readdirSync(directory.self)) {
          if (!entry.includes("\ufffd")) look(directory, entry, [...parts, entry]);
        }
      } finally {
        directory.close();
      }
    };
    look(place.directory, place.name, place.parts);
  }

  glob(pattern: string, directory = "/"): Promise<GlobResult> {
    return this.#result(pattern, async (): Promise<GlobResult> => {
      if (typeof pattern !== "string") throw new FileError("invalid_path", "The glob must be a string.");
      const at = parsePath(directory);
      // A path that is no directory, or none of ours, is an error; a pattern that leads there finds nothing.
      const place = this.#place(at);
      try {
        this.#enter(place, this.#show(at)).close();
      } finally {
        place.close();
      }
      const { base, matches } = pathGlob(pattern);
      const files: FileInfo[] = [];
      let truncated = false;
      await this.#walk([...at, ...base], async (found, given) => {
        if (!matches(given.slice(at.length).join("/"))) return true;
        if (files.length >= MAX_GLOB_FILES) {
          truncated = true;
          return false;
        }
        const info = this.#info(found.directory, given, found.parts, found.name);
        if (info) files.push(info);
        return true;
      });
      files.sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
      return { files, ...(truncated ? { truncated } : {}) };
    });
  }

  /**
   * Visits the files below a directory under the names that the caller knows them by, until `visit` returns false. A directory
   * that is not there, or not inside, has no files.
   */
  async #walk(
    start: PathParts,
    visit: (found: WalkedFile, given: PathParts) => Promise<boolean>,
  ): Promise<void> {
    const opened: { directory: Directory; parts: PathParts }[] = [];
    try {
      let real: PathParts;
      try {
        const place = this.#place(start);
        place.close();
        if (!place.stats?.isDirectory()) return;
        real = place.parts;
      } catch (error) {
        if (error instanceof FileError) return;
        throw error;
      }
      opened.push({ directory: this.#openRoot(), parts: [] });
      for (const [depth, name] of real.entries()) {
        const { directory } = opened.at(-1) as { directory: Directory };
        opened.push({ directory: directory.enter(name), parts: real.slice(0, depth + 1) });
      }
      let visited = 0;
      for (const found of walkFiles({ protection: this.#protection, from: opened })) {
        visited += 1;
        if (visited % 500 === 0) await breathe();
        if (!(await visit(found, [...start, ...found.parts.slice(real.length)]))) return;
      }
    } finally {
      for (const { directory } of opened) directory.close();
    }
  }

  /**
   * Lines that hold the pattern, which is literal text.
   *
   * @param glob names of files: without a slash matched with the name alone.
   * @param maxCount most matches in the answer; default 2,000.
   */
  grep(
    pattern: string,
    directory: string | null = "/",
    glob: string | null = null,
    maxCount: number | null = null,
  ): Promise<GrepResult> {
    return this.#result(directory ?? "/", async (): Promise<GrepResult> => {
      if (typeof pattern !== "string" || pattern === "")
        throw new FileError("invalid_path", "The pattern is empty.");
      const at = parsePath(directory ?? "/");
      const keep = glob === null || glob === "" ? () => true : nameGlob(glob);
      const limit = Math.min(maxCount ?? MAX_MATCHES, MAX_MATCHES);
      const search = fileGrep(pattern);
      const matches: GrepMatch[] = [];
      let truncated = false;
      const look = async (place: Place, given: PathParts): Promise<boolean> => {
        const bytes = await withFile(place, (file) =>
          Number(file.stats.size) > this.#maxFileBytes
            ? Promise.resolve(undefined)
            : readWhole(file, this.#maxFileBytes),
        ).catch((error: unknown) => {
          // Not readable, or gone meanwhile: the others are searched all the same.
          if (error instanceof FileError || (error as NodeJS.ErrnoException).code !== undefined)
            return undefined;
          throw error;
        });
        if (!bytes) return true;
        const room = limit - matches.length;
        const found = search(bytes, room + 1);
        matches.push(...found.slice(0, room).map((match) => ({ path: showPath(given), ...match })));
        truncated = found.length > room;
        return !truncated;
      };
      const place = this.#place(at);
      try {
        if (!place.stats) throw new FileError("not_found", `${this.#show(at)}: it does not exist.`);
        if (!place.stats.isDirectory()) await look(place, at);
        else {
          await this.#walk(at, async ({ directory: within, name, parts }, given) => {
            if (!keep(given.slice(at.length).join("/"))) return true;
            const stats = undefined;
            const shown = this.#show(given);
            return look(
              { directory: within, name, parts, stats, shown, undoParents() {}, close() {} },
              given,
            );
          });
        }
      } finally {
        place.close();
      }
      return { matches, ...(truncated ? { truncated } : {}) };
    });
  }

  async uploadFiles(files: [string, Uint8Array][]): Promise<FileUploadResponse[]> {
    const responses: FileUploadResponse[] = [];
    for (const [filePath, content] of files) {
      const result = await this.#result(filePath, () => this.#put(filePath, undefined, () => content));
      responses.push({ path: filePath, error: codeOf(result) });
    }
    return responses;
  }

  async downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    const responses: FileDownloadResponse[] = [];
    for (const filePath of paths) {
      const result = await this.#result(filePath, async () => {
        const place = this.#existing(parsePath(filePath));
        try {
          return { content: await withFile(place, (opened) => readWhole(opened, this.#maxFileBytes)) };
        } finally {
          place.close();
        }
      });
      responses.push({
        path: filePath,
        content: "content" in result ? result.content : null,
        error: codeOf(result),
      });
    }
    return responses;
  }
}

const codeOf = (result: object): FileUploadResponse["error"] => {
  switch ((result as Partial<FileFailure>).errorKind) {
    case undefined:
      return null;
    case "not_found":
      return "file_not_found";
    case "is_directory":
      return "is_directory";
    case "invalid_path":
    case "outside_workspace":
      return "invalid_path";
    default:
      return "permission_denied";
  }
};

/** The format of a file that is replaced; a binary one has none to keep. */
const formatOf = (bytes: Buffer): TextFormat | undefined => detectFormat(bytes);

const safeDecode = (bytes: Buffer, format: TextFormat): string => {
  try {
    return decodeText(bytes, format);
  } catch {
    return ""; // Binary: it has no line endings to keep.
  }
};
