import { existsSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { HostError } from "../errors.js";
import type { TextSearchScope } from "../text-search-port.js";
import { decide, parseRule, type PathRule } from "./ignore-rules.js";
import { IgnoreTree, relative } from "./ignore-tree.js";

/** A place to search in. */
export interface SearchBase {
  /** Absolute, with no symbolic link in it. */
  path: string;
  directory: boolean;
  /** The topmost directory whose .gitignore counts: `path` itself when it is ignored and was named all the same. */
  ignoreTop: string;
}

/** The scope of a query, resolved: which files are in it is decided here and nowhere else. */
export class SearchScope {
  readonly #globs: readonly PathRule[];
  readonly tree = new IgnoreTree();

  private constructor(
    readonly root: string,
    readonly bases: readonly SearchBase[],
    readonly hidden: boolean,
    readonly ignore: boolean,
    globs: readonly PathRule[],
  ) {
    this.#globs = globs;
  }

  static async resolve(givenRoot: string, scope: TextSearchScope): Promise<SearchScope> {
    const globs = (scope.globs ?? []).map(parseGlob);
    let root: string;
    try {
      root = await realpath(givenRoot);
    } catch (cause) {
      throw new HostError("not_found", `the directory ${givenRoot} does not exist`, { cause });
    }
    const top = repositoryTop(root);
    const bases: SearchBase[] = [];
    const resolved = new SearchScope(root, bases, scope.hidden ?? false, scope.ignore ?? true, globs);
    for (const each of scope.paths?.length ? scope.paths : ["."]) {
      const base = await resolveBase(root, each);
      if (bases.some((other) => other.path === base.path)) continue;
      const ignored =
        resolved.ignore && (await resolved.tree.ignoredBelow(top, base.path, base.directory, top));
      bases.push({ ...base, ignoreTop: ignored ? base.path : top });
    }
    return resolved;
  }

  /** By the globs alone; `file` is relative to the root. */
  matchesGlobs(file: string): boolean {
    if (this.#globs.length === 0) return true;
    const names = [file];
    for (let above = path.posix.dirname(file); above !== "."; above = path.posix.dirname(above))
      names.push(above);
    // The last glob decides, whether it matches the file or a folder that it is in.
    for (const glob of [...this.#globs].reverse()) {
      if (names.some((name) => decide([glob], name, name !== file) !== undefined)) return !glob.negated;
    }
    return this.#globs.every((glob) => glob.negated);
  }

  /** Whether a file found below a base is in the scope, whatever found it. */
  async includes(base: SearchBase, file: string): Promise<boolean> {
    const below = relative(base.path, file).split("/");
    if (below.some((name) => name === ".git" || (!this.hidden && name.startsWith(".")))) return false;
    if (!this.matchesGlobs(relative(this.root, file))) return false;
    return !(this.ignore && (await this.tree.ignoredBelow(base.path, file, false, base.ignoreTop)));
  }
}

const parseGlob = (glob: string): PathRule => {
  const rule = !/[\p{Surrogate}\0]/u.test(glob) ? parseRule(glob.replace(/^#/, "\\#")) : undefined;
  if (!rule)
    throw new HostError(
      "invalid_argument",
      `the glob ${JSON.stringify(glob)} is not understood; *.ts, src/**, !*.test.ts, *.{ts,tsx} and [a-z]* are`,
    );
  return rule;
};

/** The directory at or above the root that holds .git; the root itself when there is none. */
const repositoryTop = (root: string): string => {
  for (let directory = root; ; directory = path.dirname(directory)) {
    if (existsSync(path.join(directory, ".git"))) return directory;
    if (directory === path.dirname(directory)) return root;
  }
};

const resolveBase = async (root: string, given: string): Promise<{ path: string; directory: boolean }> => {
  if (typeof given !== "string" || given.includes("\0"))
    throw new HostError("invalid_argument", `the path ${JSON.stringify(given)} is none`);
  const outside = (): HostError =>
    new HostError("outside_root", `the path ${JSON.stringify(given)} leads out of the workspace`);
  const inside = (file: string): boolean => {
    const way = path.relative(root, file);
    return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
  };
  const wanted = path.resolve(root, given);
  let real: string;
  try {
    real = await realpath(wanted);
  } catch (cause) {
    // Not to be told apart from outside: what exists elsewhere is nobody's business.
    if (!inside(wanted)) throw outside();
    throw new HostError("not_found", `there is no ${JSON.stringify(given)}`, { cause });
  }
  if (!inside(real)) throw outside();
  if (relative(root, real).split("/").includes(".git"))
    throw new HostError("denied", `${JSON.stringify(given)} belongs to git; .git is never searched`);
  const info = await stat(real);
  if (!info.isDirectory() && !info.isFile())
    throw new HostError("invalid_argument", `${JSON.stringify(given)} is neither a file nor a directory`);
  return { path: real, directory: info.isDirectory() };
};
