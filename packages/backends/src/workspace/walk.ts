import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, type Dirent } from "node:fs";
import ignore, { type Ignore } from "ignore";
import type { Directory } from "./directory.js";
import type { Protection } from "./protection.js";
import { isGitName, type PathParts } from "./virtual-path.js";

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

/** Whether a name in a directory is ignored. The innermost .gitignore that says anything decides. */
const ignoring = (
  files: readonly IgnoreFile[],
  directory: PathParts,
): ((name: string, isDirectory: boolean) => boolean) => {
  if (files.length === 0) return () => false;
  const innermostFirst = files
    .map(({ depth, rules }) => ({
      rules,
      prefix: directory
        .slice(depth)
        .map((part) => `${part}/`)
        .join(""),
    }))
    .reverse();
  return (name, isDirectory) => {
    for (const { rules, prefix } of innermostFirst) {
      const verdict = rules.test(isDirectory ? `${prefix}${name}/` : prefix + name);
      if (verdict.ignored) return true;
      if (verdict.unignored) return false;
    }
    return false;
  };
};

/** A file that a walk comes by. */
export interface WalkedFile {
  readonly directory: Directory;
  readonly name: string;
  readonly parts: PathParts;
}

/** Files that lie in one directory and follow one another in the walk. */
export interface FileRun {
  readonly directory: Directory;
  /** Of the directory. */
  readonly parts: PathParts;
  readonly names: readonly string[];
}

export interface WalkOptions {
  readonly protection: Protection;
  /** Directories on the way from the root to where the walk begins, the root first; the last one is walked. */
  readonly from: readonly { readonly directory: Directory; readonly parts: PathParts }[];
}

/** After so many files a walk hands on what it has, so that others can have their turn. */
const MAX_RUN = 500;

const byName = (one: Dirent, other: Dirent): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0;

const entriesOf = (directory: Directory): Dirent[] => {
  try {
    return readdirSync(directory.self, { withFileTypes: true }).sort(byName);
  } catch {
    return []; // Not readable, or gone meanwhile.
  }
};

const enter = (directory: Directory, name: string): Directory | undefined => {
  try {
    return directory.enter(name);
  } catch {
    return undefined; // A link has taken its place, or it may not be entered.
  }
};

/**
 * The regular files below a directory, in the order of their names, without those that .gitignore names and without `.git`.
 * Symbolic links are not followed. A directory that is ignored itself may be walked by naming it: then only the rules in it
 * and below count. The directory of a run is open until the next one is asked for.
 */
export function* walkRuns({ protection, from }: WalkOptions): Generator<FileRun> {
  const start = from.at(-1) as { directory: Directory; parts: PathParts };
  let files: IgnoreFile[] = [];
  for (const { directory, parts } of from) {
    const name = parts.at(-1);
    if (name !== undefined && ignoring(files, parts.slice(0, -1))(name, true)) files = [];
    const own = readIgnore(directory, parts.length);
    if (own) files.push(own);
  }
  yield* below(start.directory, start.parts, files);

  function* below(directory: Directory, parts: PathParts, rules: readonly IgnoreFile[]): Generator<FileRun> {
    const isIgnored = ignoring(rules, parts);
    const { isHidden, mayRead } = protection.within(parts);
    let names: string[] = [];
    for (const entry of entriesOf(directory)) {
      const { name } = entry;
      // A name that is no UTF-8 cannot be named in an answer.
      if (name.includes("\ufffd") || isGitName(name) || isHidden(name)) continue;
      if (entry.isFile()) {
        if (!mayRead(name) || isIgnored(name, false)) continue;
        names.push(name);
        if (names.length < MAX_RUN) continue;
      } else if (!entry.isDirectory() || isIgnored(name, true)) continue;
      if (names.length > 0) yield { directory, parts, names };
      names = [];
      const child = entry.isDirectory() ? enter(directory, name) : undefined;
      if (!child) continue;
      try {
        const here = [...parts, name];
        const own = readIgnore(child, here.length);
        yield* below(child, here, own ? [...rules, own] : rules);
      } finally {
        child.close();
      }
    }
    if (names.length > 0) yield { directory, parts, names };
  }
}

/** The same, one by one. */
export function* walkFiles(options: WalkOptions): Generator<WalkedFile> {
  for (const { directory, parts, names } of walkRuns(options)) {
    for (const name of names) yield { directory, name, parts: [...parts, name] };
  }
}
