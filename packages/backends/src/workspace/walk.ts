import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, type Dirent } from "node:fs";
import ignore, { type Ignore } from "ignore";
import type { Directory } from "./directory.js";
import type { Protection } from "./protection.js";
import { foldName } from "./virtual-path.js";

const MAX_IGNORE_BYTES = 1024 * 1024;

/** The rules of one .gitignore, and how many parts deep it lies. */
interface IgnoreFile {
  readonly depth: number;
  readonly rules: Ignore;
}

const readIgnore = (directory: Directory, depth: number): IgnoreFile | undefined => {
  let fd: number;
  try {
    fd = openSync(
      directory.at(".gitignore"),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
  } catch {
    return undefined; // There is none, or none that may be read: git too goes on without.
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > MAX_IGNORE_BYTES) return undefined;
    const text = readFileSync(fd, "utf8").replace(/^\ufeff/, "");
    return { depth, rules: ignore({ allowRelativePaths: false, ignorecase: false }).add(text) };
  } finally {
    closeSync(fd);
  }
};

/** The innermost .gitignore that says anything decides. */
const isIgnored = (files: readonly IgnoreFile[], parts: readonly string[], isDirectory: boolean): boolean => {
  for (let at = files.length - 1; at >= 0; at -= 1) {
    const { depth, rules } = files[at] as IgnoreFile;
    const relative = parts.slice(depth).join("/");
    if (relative === "") continue;
    const verdict = rules.test(isDirectory ? `${relative}/` : relative);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
};

/** A file that a walk comes by. */
export interface WalkedFile {
  readonly directory: Directory;
  readonly name: string;
  readonly parts: readonly string[];
}

export interface WalkOptions {
  readonly protection: Protection;
  /** Directories on the way from the root to where the walk begins, the root first; the last one is walked. */
  readonly from: readonly { readonly directory: Directory; readonly parts: readonly string[] }[];
}

const byName = (one: Dirent, other: Dirent): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0;

/**
 * The regular files below a directory, in the order of their names, without those that .gitignore names and without `.git`.
 * Symbolic links are not followed. A directory that is ignored itself may be walked by naming it: then only the rules in it
 * and below count. The directory of a file is open until the next one is asked for.
 */
export function* walkFiles({ protection, from }: WalkOptions): Generator<WalkedFile> {
  const start = from.at(-1) as { directory: Directory; parts: readonly string[] };
  let files: IgnoreFile[] = [];
  for (const { directory, parts } of from) {
    if (parts.length > 0 && isIgnored(files, parts, true)) files = [];
    const own = readIgnore(directory, parts.length);
    if (own) files.push(own);
  }
  yield* below(start.directory, start.parts, files);

  function* below(
    directory: Directory,
    parts: readonly string[],
    rules: readonly IgnoreFile[],
  ): Generator<WalkedFile> {
    let entries: Dirent[];
    try {
      entries = readdirSync(directory.self, { withFileTypes: true }).sort(byName);
    } catch {
      return; // Not readable, or gone meanwhile.
    }
    for (const entry of entries) {
      const { name } = entry;
      const here = [...parts, name];
      // A name that is no UTF-8 cannot be named in an answer.
      if (name.includes("\ufffd") || foldName(name) === ".git" || protection.isHidden(here)) continue;
      if (entry.isFile()) {
        if (protection.mayRead(here) && !isIgnored(rules, here, false))
          yield { directory, name, parts: here };
        continue;
      }
      if (!entry.isDirectory() || isIgnored(rules, here, true)) continue;
      let child: Directory;
      try {
        child = directory.enter(name);
      } catch {
        continue; // A link has taken its place, or it may not be entered.
      }
      try {
        const own = readIgnore(child, here.length);
        yield* below(child, here, own ? [...rules, own] : rules);
      } finally {
        child.close();
      }
    }
  }
}
