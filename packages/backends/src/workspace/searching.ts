import type { FileInfo, GlobResult, GrepMatch, GrepResult } from "deepagents";
import type { Directory } from "./directory.js";
import { readWhole, withFile } from "./file-content.js";
import { FileError } from "./file-error.js";
import { nameGlob, pathGlob } from "./glob-pattern.js";
import { fileGrep, wantedOf } from "./grep-file.js";
import { placeIn, type Place } from "./resolve.js";
import { ScanQueue } from "./scan-queue.js";
import { parsePath, showPath, type PathParts } from "./virtual-path.js";
import { walkRuns, type FileRun } from "./walk.js";
import { breathe, type WorkspaceRoot } from "./workspace-root.js";

const MAX_GLOB_FILES = 10_000;
const MAX_MATCHES = 2_000;
const BREATHE_EVERY = 200;

/** A run of files, and the directory under the name that the caller knows it by. */
interface FoundRun extends FileRun {
  readonly given: PathParts;
}

/** Visits the files below a directory until `visit` returns false. One that is not there, or not inside, has no files. */
const walk = async (
  root: WorkspaceRoot,
  start: PathParts,
  visit: (run: FoundRun) => boolean | Promise<boolean>,
): Promise<void> => {
  const opened: { directory: Directory; parts: PathParts }[] = [];
  try {
    let real: PathParts;
    try {
      const place = root.place(start);
      place.close();
      if (!place.stats?.isDirectory()) return;
      real = place.parts;
    } catch (error) {
      if (error instanceof FileError) return;
      throw error;
    }
    opened.push({ directory: root.open(), parts: [] });
    for (const [depth, name] of real.entries()) {
      const { directory } = opened.at(-1) as { directory: Directory };
      opened.push({ directory: directory.enter(name), parts: real.slice(0, depth + 1) });
    }
    let visited = 0;
    for (const run of walkRuns({ protection: root.protection, from: opened })) {
      if (!(await visit({ ...run, given: [...start, ...run.parts.slice(real.length)] }))) return;
      visited += run.names.length;
      if (visited < BREATHE_EVERY) continue;
      visited = 0;
      await breathe();
    }
  } finally {
    for (const { directory } of opened) directory.close();
  }
};

/** What is put before a name for a path relative to where the search was asked for. */
const prefixOf = (parts: PathParts): string => parts.map((part) => `${part}/`).join("");

export const globFiles = async (
  root: WorkspaceRoot,
  pattern: string,
  directory: string,
): Promise<GlobResult> => {
  if (typeof pattern !== "string") throw new FileError("invalid_path", "The glob must be a string.");
  const at = parsePath(directory);
  // A path that is no directory, or none of ours, is an error; a pattern that leads there finds nothing.
  const place = root.place(at);
  try {
    root.enter(place, root.show(at)).close();
  } finally {
    place.close();
  }
  const { base, matches } = pathGlob(pattern);
  const files: FileInfo[] = [];
  let truncated = false;
  await walk(root, [...at, ...base], ({ directory: holder, parts, given, names }) => {
    const prefix = prefixOf(given.slice(at.length));
    for (const name of names) {
      if (!matches(prefix + name)) continue;
      if (files.length >= MAX_GLOB_FILES) {
        truncated = true;
        return false;
      }
      const info = root.info(holder, [...given, name], [...parts, name], name);
      if (info) files.push(info);
    }
    return true;
  });
  files.sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
  return { files, ...(truncated ? { truncated } : {}) };
};

/** What is read of a file to search it; undefined when it cannot be read, is too large, or gone. */
const searchable = (root: WorkspaceRoot, place: Place): Promise<Buffer | undefined> =>
  withFile(place, (file) =>
    Number(file.stats.size) > root.maxFileBytes
      ? Promise.resolve(undefined)
      : readWhole(file, root.maxFileBytes),
  ).catch((error: unknown) => {
    // Not readable, or gone meanwhile: the others are searched all the same.
    if (error instanceof FileError || (error as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw error;
  });

/** A file that a walk came by, as a place. */
const walkedPlace = (root: WorkspaceRoot, { directory, parts, given }: FoundRun, name: string): Place =>
  placeIn(directory, { name, parts: [...parts, name], stats: undefined, shown: root.show([...given, name]) });

export const grepFiles = async (
  root: WorkspaceRoot,
  pattern: string,
  directory: string,
  glob: string | null,
  maxCount: number | null,
): Promise<GrepResult> => {
  if (typeof pattern !== "string" || pattern === "")
    throw new FileError("invalid_path", "The pattern is empty.");
  const at = parsePath(directory);
  const keep = glob === null || glob === "" ? () => true : nameGlob(glob);
  const limit = Math.min(maxCount ?? MAX_MATCHES, MAX_MATCHES);
  const wanted = wantedOf(pattern);
  const search = fileGrep(wanted);
  const matches: GrepMatch[] = [];
  let truncated = false;
  const look = async (place: Place, given: PathParts): Promise<boolean> => {
    const bytes = await searchable(root, place);
    if (!bytes) return true;
    const room = limit - matches.length;
    const found = search(bytes, room + 1);
    matches.push(...found.slice(0, room).map((match) => ({ path: showPath(given), ...match })));
    truncated = found.length > room;
    return !truncated;
  };
  const place = root.place(at);
  try {
    if (!place.stats) throw new FileError("not_found", `${root.show(at)}: it does not exist.`);
    if (!place.stats.isDirectory()) {
      await look(place, at);
    } else {
      const queue = new ScanQueue<FoundRun>(wanted);
      const lookAtEach = async (run: FoundRun, names: string[]): Promise<boolean> => {
        for (const name of names)
          if (!(await look(walkedPlace(root, run, name), [...run.given, name]))) return false;
        return true;
      };
      try {
        await walk(root, at, async (run) => {
          const prefix = prefixOf(run.given.slice(at.length));
          const kept = run.names.filter((name) => keep(prefix + name));
          queue.add({ ...run, names: kept });
          return queue.each(lookAtEach);
        });
        if (!truncated) await queue.each(lookAtEach, true);
      } finally {
        await queue.close();
      }
    }
  } finally {
    place.close();
  }
  return { matches, ...(truncated ? { truncated } : {}) };
};
