import { lstatSync, realpathSync, type BigIntStats } from "node:fs";
import path from "node:path";
import type { FileInfo } from "deepagents";
import { BackendError } from "../errors.js";
import { reportToCall } from "./call-report.js";
import { openRoot, systemConfinement, type Confinement, type Directory } from "./directory.js";
import { FileError, fileErrorOf } from "./file-error.js";
import { FileLocks } from "./file-locks.js";
import type { FileFailure, WorkspaceBackendOptions } from "./options.js";
import { Protection } from "./protection.js";
import { resolvePlace, type Place, type ResolveOptions } from "./resolve.js";
import { parsePath, showPath, type PathParts } from "./virtual-path.js";

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Changes whenever the file does, or another takes its place; "" where there is none. */
export const identityOf = (stats: BigIntStats | undefined): string =>
  stats ? `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` : "";

/** Lets others have their turn in a long piece of work. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The directory that a workspace is: where a path leads in it, what is fenced off, and who holds which file. */
export class WorkspaceRoot {
  readonly protection: Protection;
  readonly locks: FileLocks;
  readonly fsync: boolean;
  readonly breakLinks: boolean;
  readonly maxFileBytes: number;
  readonly #root: string;
  readonly #confinement: Confinement;
  readonly #mount: string;

  /** @throws {BackendError} `invalid_option` */
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
    this.maxFileBytes = options.maxFileBytes ?? MAX_FILE_BYTES;
    if (!(this.maxFileBytes > 0))
      throw new BackendError("invalid_option", "`maxFileBytes` must be a number of bytes above 0.");
    const rules = (option: "protectedPaths" | "hiddenPaths"): PathParts[] =>
      (options[option] ?? []).map((each) => {
        try {
          return parsePath(each);
        } catch (cause) {
          throw new BackendError("invalid_option", `\`${option}\`: ${(cause as Error).message}`, { cause });
        }
      });
    this.protection = new Protection({
      protectedPaths: rules("protectedPaths"),
      hiddenPaths: rules("hiddenPaths"),
      show: this.show,
    });
    this.locks = new FileLocks(this.#root, options.lockDirectory);
    this.fsync = options.fsync ?? true;
    this.breakLinks = options.hardlinks === "break";
  }

  /** A path as the agent knows it. */
  show = (parts: PathParts): string => this.#mount + showPath(parts);

  open = (): Directory => openRoot(this.#root, this.#confinement);

  /** Where a path leads, which may be nowhere yet. To be closed. */
  place(parts: PathParts, options: Omit<ResolveOptions, "show"> = {}): Place {
    this.protection.checkRead(parts);
    const place = resolvePlace(this.open, parts, { ...options, show: this.show });
    try {
      this.protection.checkRead(place.parts);
    } catch (error) {
      place.close();
      throw error;
    }
    return place;
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

  /** How an entry is listed; undefined when it is hidden or gone. */
  info(directory: Directory, given: PathParts, real: PathParts, name: string): FileInfo | undefined {
    if (this.protection.isHidden(real)) return undefined;
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
      const place = this.place(given);
      place.close();
      return place.stats;
    } catch {
      return undefined;
    }
  }

  /** Runs an operation and turns what it throws into a result. */
  async result<T extends object>(given: unknown, work: () => Promise<T>): Promise<T | FileFailure> {
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
}
