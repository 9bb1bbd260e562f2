import { lstatSync, realpathSync, type BigIntStats } from "node:fs";
import path from "node:path";
import type { FileInfo } from "deepagents";
import { recoverCommit } from "../commit/commit-record.js";
import { checkOptions, type OptionTypes } from "../check-options.js";
import { BackendError } from "../errors.js";
import type { FileAccess } from "../rights/file-access.js";
import { reportToCall } from "./call-report.js";
import { openRoot, systemConfinement, type Confinement, type Directory } from "./directory.js";
import { FileError, fileErrorOf } from "./file-error.js";
import { FileLocks } from "./file-locks.js";
import type { FileFailure, WorkspaceBackendOptions } from "./options.js";
import { Protection } from "./protection.js";
import { resolvePlace, type Place, type ResolveOptions } from "./resolve.js";
import { parsePath, showPath, type PathParts } from "./virtual-path.js";
import { walkFiles } from "./walk.js";

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Changes whenever the file does, or another takes its place; "" where there is none. */
export const identityOf = (stats: BigIntStats | undefined): string =>
  stats ? `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` : "";

/** Lets others have their turn in a long piece of work. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How a workspace is held. */
interface Settings {
  readonly directory: string;
  readonly mount: string;
  readonly confinement: Confinement;
  readonly protection: Protection;
  readonly locks: FileLocks;
  readonly fsync: boolean;
  readonly breakLinks: boolean;
  readonly maxFileBytes: number;
}

const realDirectory = (root: string): string => {
  if (typeof root !== "string" || root === "")
    throw new BackendError("invalid_option", "`root` is empty; give the path of a directory.");
  try {
    return realpathSync(path.resolve(root));
  } catch (cause) {
    throw new BackendError("invalid_option", `\`root\` is no directory: "${root}".`, { cause });
  }
};

/** Symbolic links resolved, as far as it is there. */
const realPathOf = (absolute: string): string => {
  try {
    return realpathSync(absolute);
  } catch {
    const parent = path.dirname(absolute);
    return parent === absolute ? absolute : path.join(realPathOf(parent), path.basename(absolute));
  }
};

const OPTIONS: OptionTypes<WorkspaceBackendOptions> = {
  root: ["string"],
  protectedPaths: ["array"],
  hiddenPaths: ["array"],
  hardlinks: ["string"],
  fsync: ["boolean"],
  maxFileBytes: ["number"],
  lockDirectory: ["string"],
  mount: ["string"],
  confinement: ["string"],
};

/** @throws {BackendError} `invalid_option` */
export const openWorkspace = (options: WorkspaceBackendOptions): WorkspaceRoot => {
  checkOptions("WorkspaceBackend", options, OPTIONS);
  const directory = realDirectory(options.root);
  const mount = (options.mount ?? "").replace(/\/+$/, "");
  const { maxFileBytes = MAX_FILE_BYTES } = options;
  if (!(maxFileBytes > 0))
    throw new BackendError("invalid_option", "`maxFileBytes` must be a number of bytes above 0.");
  const rules = (option: "protectedPaths" | "hiddenPaths"): PathParts[] =>
    (options[option] ?? []).map((each) => {
      try {
        if (typeof each === "string" && /[*?]/.test(each))
          throw new Error(`"${each}" is a glob; name paths, with all that is below.`);
        const parts = parsePath(each);
        const mounted = parsePath(mount);
        // As the agent knows it is meant as well.
        return mounted.length > 0 && mounted.every((name, at) => parts[at] === name)
          ? parts.slice(mounted.length)
          : parts;
      } catch (cause) {
        throw new BackendError("invalid_option", `\`${option}\`: ${(cause as Error).message}`, { cause });
      }
    });
  const confinement = options.confinement ?? systemConfinement();
  return new WorkspaceRoot({
    directory,
    mount,
    confinement,
    protection: new Protection({
      protectedPaths: rules("protectedPaths"),
      hiddenPaths: rules("hiddenPaths"),
      show: (parts) => mount + showPath(parts),
    }),
    locks: new FileLocks(directory, options.lockDirectory, (record) =>
      recoverCommit(record, () => openRoot(directory, confinement)),
    ),
    fsync: options.fsync ?? true,
    breakLinks: options.hardlinks === "break",
    maxFileBytes,
  });
};

/** The directory that a workspace is: where a path leads in it, what is fenced off, and who holds which file. */
export class WorkspaceRoot {
  readonly protection: Protection;
  readonly locks: FileLocks;
  readonly fsync: boolean;
  readonly breakLinks: boolean;
  readonly maxFileBytes: number;
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.protection = settings.protection;
    this.locks = settings.locks;
    this.fsync = settings.fsync;
    this.breakLinks = settings.breakLinks;
    this.maxFileBytes = settings.maxFileBytes;
  }

  /** The same directory and the same locks, for somebody who may do no more than this. */
  restricted(access: FileAccess): WorkspaceRoot {
    return new WorkspaceRoot({ ...this.#settings, protection: this.protection.restricted(access) });
  }

  /** A path as the agent knows it. */
  show = (parts: PathParts): string => this.#settings.mount + showPath(parts);

  open = (): Directory => openRoot(this.#settings.directory, this.#settings.confinement);

  /** Where a path leads, which may be nowhere yet. To be closed. */
  place(parts: PathParts, options: Omit<ResolveOptions, "show"> = {}): Place {
    this.protection.checkRead(parts);
    const place = resolvePlace(this.open, parts, { ...options, show: this.show });
    try {
      this.protection.checkRead(place.parts);
      // A directory's name alone tells nothing; what is listed of it is asked for one by one.
      if (!place.stats?.isDirectory()) this.protection.checkReadFile(place.parts);
    } catch (error) {
      place.close();
      throw error;
    }
    return place;
  }

  /** Whether a path of the real file system, that may not be there yet, leads to where the agent could come. */
  contains(real: string): boolean {
    const relative = path.relative(this.#settings.directory, realPathOf(path.resolve(real)));
    const names = relative.split(path.sep).filter((name) => name !== "");
    return names[0] !== ".." && !path.isAbsolute(relative) && !this.protection.isHidden(names);
  }

  /** The place of something that is there, and is not the root. */
  existing(parts: PathParts): Place {
    const place = this.place(parts);
    if (place.stats) {
      if (place.name !== "") return place;
      place.close();
      throw new FileError("is_directory", "/ is a directory.");
    }
    place.close();
    throw new FileError("not_found", `${this.show(parts)}: it does not exist.`);
  }

  /** Opens the directory that a place is. */
  enter(place: Place, shown: string): Directory {
    if (!place.stats) throw new FileError("not_found", `${shown}: it does not exist.`);
    if (!place.stats.isDirectory()) throw new FileError("not_found", `${shown}: it is no directory.`);
    if (place.name === "") return this.open();
    return place.directory.enter(place.name);
  }

  /** What is there at this moment, "" when nothing is. */
  identity(parts: PathParts): string {
    try {
      const place = this.place(parts);
      place.close();
      return identityOf(place.stats);
    } catch (error) {
      if (error instanceof FileError && error.kind === "not_found") return "";
      throw error;
    }
  }

  /** The real path, as far as it exists: what a lock goes by. */
  keyOf(parts: PathParts): string {
    for (let known = parts.length; known >= 0; known -= 1) {
      try {
        const place = this.place(parts.slice(0, known));
        place.close();
        return showPath([...place.parts, ...parts.slice(known)]);
      } catch (error) {
        if (!(error instanceof FileError) || error.kind !== "not_found" || known === 0) throw error;
      }
    }
    return showPath(parts);
  }

  /** The same for an entry itself, which may be a link. */
  entryKeyOf(parts: PathParts): string {
    const parent = this.keyOf(parts.slice(0, -1));
    return `${parent === "/" ? "" : parent}/${this.#entryName(parts)}`;
  }

  /** The name of an entry itself, as the disk spells it when it is there. */
  #entryName(parts: PathParts): string {
    try {
      const place = this.place(parts, { followLast: false });
      place.close();
      return place.name;
    } catch (error) {
      if (error instanceof FileError && error.kind === "not_found") return parts.at(-1) ?? "";
      throw error;
    }
  }

  /** How an entry is listed; undefined when it is hidden, not to be read, or gone. */
  info(directory: Directory, given: PathParts, real: PathParts, name: string): FileInfo | undefined {
    if (this.protection.isHidden(real)) return undefined;
    let stats: BigIntStats;
    try {
      stats = lstatSync(directory.at(name), { bigint: true });
    } catch {
      return undefined; // Gone meanwhile.
    }
    let leadsTo = real;
    if (stats.isSymbolicLink()) {
      const target = this.#target(given);
      // Whoever may not read all is not told of links that lead where they may not read.
      if (!target && this.protection.isRestricted) return undefined;
      if (target?.stats) ({ stats, parts: leadsTo } = target as { stats: BigIntStats; parts: PathParts });
    }
    const isDirectory = stats.isDirectory();
    if (!this.protection.mayRead(leadsTo) && !(isDirectory && this.#hasReadable(directory, name, real)))
      return undefined;
    return {
      path: showPath(given) + (isDirectory ? "/" : ""),
      is_dir: isDirectory,
      size: isDirectory || stats.isSymbolicLink() ? 0 : Number(stats.size),
      modified_at: new Date(Number(stats.mtimeMs)).toISOString(),
    };
  }

  /** What a link leads to, when that is inside and may be known. */
  #target(given: PathParts): Pick<Place, "stats" | "parts"> | undefined {
    try {
      const place = this.place(given);
      place.close();
      return place;
    } catch {
      return undefined;
    }
  }

  /** Whether a directory that may not be read itself is on the way to files that may. Of a link nothing is asked. */
  #hasReadable(parent: Directory, name: string, parts: PathParts): boolean {
    let directory: Directory;
    try {
      directory = parent.enter(name);
    } catch {
      return false;
    }
    try {
      const walk = walkFiles({ protection: this.protection, from: [{ directory, parts }] });
      return walk.next().done !== true;
    } finally {
      directory.close();
    }
  }

  /** Runs an operation and turns what it throws into a result. */
  async result<T extends object>(given: unknown, work: () => Promise<T>): Promise<T | FileFailure> {
    try {
      this.locks.settle();
      const result = await work();
      const { error, errorKind } = result as Partial<FileFailure>;
      if (error !== undefined) {
        reportToCall({ ok: false, kind: errorKind ?? "failed", message: error });
        return result;
      }
      const cut = (result as { truncated?: boolean }).truncated === true;
      reportToCall({ ok: true, ...(cut ? { truncated: true } : {}) });
      return result;
    } catch (error) {
      const { message, kind } = fileErrorOf(
        error,
        typeof given === "string" ? this.#settings.mount + given : "The path",
      );
      reportToCall({ ok: false, kind, message });
      return { error: message, errorKind: kind };
    }
  }
}
