import { lstatSync, readdirSync, readlinkSync, rmdirSync, type BigIntStats } from "node:fs";
import path from "node:path";
import type { Directory } from "./directory.js";
import { FileError, fileErrorOf } from "./file-error.js";
import { checkNewName, type PathParts } from "./virtual-path.js";

const MAX_LINKS = 40;
const MAX_SIBLINGS = 20_000;

/** Where a path leads: an entry of a directory that is held open. */
export interface Place {
  readonly directory: Directory;
  /** The entry's name; `""` for the root itself. */
  readonly name: string;
  /** The canonical parts, symbolic links resolved; what a lock, a ledger and rights go by. */
  readonly parts: PathParts;
  /** What is there, not following a link; undefined when nothing is. */
  readonly stats: BigIntStats | undefined;
  /** How the file is called in messages. */
  readonly shown: string;
  /** Undoes the directories that `makeParents` made, as far as they are empty. */
  undoParents(): void;
  close(): void;
}

/** An entry of a directory that somebody else holds open. */
export const placeIn = (
  directory: Directory,
  entry: Pick<Place, "name" | "parts" | "stats" | "shown">,
): Place => ({ directory, ...entry, undoParents() {}, close() {} });

export interface ResolveOptions {
  /** Follow a symbolic link at the end; default true. */
  readonly followLast?: boolean;
  /** Make directories that are missing on the way; default false. */
  readonly makeParents?: boolean;
  /** How paths are written in messages. */
  show(parts: PathParts): string;
  /** Refuses parts of the real path; called before anything is made. */
  check?(parts: PathParts): void;
}

const lstat = (file: string): BigIntStats | undefined => {
  try {
    return lstatSync(file, { bigint: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
};

/** A name as people type it: one normal form, plain spaces and apostrophes. */
const typed = (name: string): string =>
  name
    .normalize("NFC")
    .replace(/[\u00a0\u202f\u2007\u2009]/g, " ")
    .replace(/[\u2018\u2019]/g, "'");

/**
 * The one entry that a name can only mean when nothing has exactly that name: the same letters in another normal form, or with
 * the narrow space that macOS puts into the names of screenshots.
 */
const alias = (directory: Directory, name: string): string | undefined => {
  const wanted = typed(name);
  // Plain ASCII without a space can only be matched by itself, or by what is spelled the same.
  if (/^[\x21-\x26\x28-\x7e]+$/.test(name)) return undefined;
  const entries = readdirSync(directory.self);
  if (entries.length > MAX_SIBLINGS) return undefined;
  const found = entries.filter((entry) => typed(entry) === wanted);
  return found.length === 1 ? found[0] : undefined;
};

const swapped = (name: string): string => {
  const upper = name.toUpperCase();
  const other = upper === name ? name.toLowerCase() : upper;
  return other === name ? name.normalize(name.normalize("NFC") === name ? "NFD" : "NFC") : other;
};

const folded = (name: string): string => name.normalize("NFC").toLowerCase();

/**
 * How the disk spells the name of an entry that is there. On a disk that takes `DOCS` for `docs`, rights, locks and the
 * ledger would else take them for two. The disk is asked: a directory may fold case, another one beside it may not.
 */
const spelledOnDisk = (directory: Directory, name: string, stats: BigIntStats): string => {
  const isIt = (other: string): boolean => {
    const found = lstatSync(directory.at(other), { bigint: true, throwIfNoEntry: false });
    return found?.ino === stats.ino && found.dev === stats.dev;
  };
  const other = swapped(name);
  if (other === name || !isIt(other)) return name;
  // Either it folds, or the other spelling is another name of the same file.
  const entries = readdirSync(directory.self);
  if (entries.includes(name)) return name;
  return entries.find((entry) => folded(entry) === folded(name) && isIt(entry)) ?? name;
};

/**
 * Walks a path from the root, one name at a time, and never through a link that it has not resolved itself: a link's target
 * is walked in the same way, and one that ends outside the root is refused.
 *
 * @throws {FileError}
 */
export const resolvePlace = (openRoot: () => Directory, given: PathParts, options: ResolveOptions): Place => {
  const { followLast = true, makeParents = false, show, check } = options;
  const shown = show(given);
  const stack: { directory: Directory; name: string }[] = [];
  const made: { parent: Directory; name: string }[] = [];
  const closeAll = (): void => {
    for (const { directory } of stack) directory.close();
  };
  const parts = (): string[] => stack.slice(1).map(({ name }) => name);
  const top = (): Directory => (stack.at(-1) as { directory: Directory }).directory;
  const outside = (): never => {
    throw new FileError("outside_workspace", `${shown} leads out of the workspace through a symbolic link.`);
  };

  /** Puts a link's target in front of what is left to walk. */
  const follow = (target: string, pending: string[]): void => {
    const root = (stack[0] as { directory: Directory }).directory.real;
    if (path.isAbsolute(target)) {
      const relative = path.relative(root, path.resolve(target));
      if (relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) outside();
      while (stack.length > 1) stack.pop()?.directory.close();
      pending.unshift(...relative.split(path.sep).filter((name) => name !== ""));
      return;
    }
    const names = target.split("/").filter((name) => name !== "" && name !== ".");
    while (names[0] === "..") {
      names.shift();
      if (stack.length > 1) {
        stack.pop()?.directory.close();
        continue;
      }
      // Above the root: it may come back.
      follow(path.resolve(root, "..", ...names), pending);
      return;
    }
    pending.unshift(...names);
  };

  try {
    stack.push({ directory: openRoot(), name: "" });
    const pending = [...given];
    let links = 0;
    const followLink = (name: string): void => {
      links += 1;
      if (links > MAX_LINKS) throw new FileError("invalid_path", `${shown}: too many symbolic links.`);
      follow(readlinkSync(top().at(name)), pending);
    };
    for (;;) {
      let name = pending.shift();
      if (name === undefined) {
        const self = stack.pop() as { directory: Directory; name: string };
        if (stack.length === 0) {
          stack.push(self);
          const stats = lstat(`${self.directory.self}/.`);
          return place("", parts(), stats);
        }
        // A link led to a directory that was entered already.
        self.directory.close();
        check?.([...parts(), self.name]);
        return place(self.name, [...parts(), self.name], lstat(top().at(self.name)));
      }
      if (name === "..") {
        if (stack.length === 1) outside();
        stack.pop()?.directory.close();
        continue;
      }
      let stats = lstat(top().at(name));
      if (!stats) {
        const other = alias(top(), name);
        if (other !== undefined) {
          name = other;
          stats = lstat(top().at(name));
        }
      }
      if (stats) name = spelledOnDisk(top(), name, stats);
      const last = pending.length === 0;
      if (stats?.isSymbolicLink() && (!last || followLast)) {
        followLink(name);
        continue;
      }
      if (last) {
        check?.([...parts(), name]);
        return place(name, [...parts(), name], stats);
      }
      if (!stats) {
        if (!makeParents) throw new FileError("not_found", `${shown}: it does not exist.`);
        check?.([...parts(), name, ...pending]);
        for (const each of [name, ...pending]) checkNewName(each);
        top().make(name);
        made.push({ parent: top(), name });
      } else if (!stats.isDirectory()) {
        throw new FileError(makeParents ? "conflict" : "not_found", `${shown}: ${name} is no directory.`);
      }
      try {
        stack.push({ directory: top().enter(name), name });
      } catch (error) {
        // It was a directory a moment ago.
        const { code } = error as NodeJS.ErrnoException;
        if (code === "ENOTDIR" || code === "ELOOP")
          throw new FileError("conflict", `${shown}: ${name} was replaced meanwhile.`, { cause: error });
        throw error;
      }
    }
  } catch (error) {
    undo();
    closeAll();
    throw fileErrorOf(error, shown);
  }

  function undo(): void {
    for (const { parent, name } of made.splice(0).reverse()) {
      try {
        rmdirSync(parent.at(name));
      } catch {
        return; // Somebody has put something into it: it is no longer ours.
      }
    }
  }

  function place(name: string, real: readonly string[], stats: BigIntStats | undefined): Place {
    top().verify();
    return {
      directory: top(),
      name,
      parts: real,
      stats,
      shown: show(real),
      undoParents: undo,
      close: closeAll,
    };
  }
};
