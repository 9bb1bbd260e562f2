import { lstatSync, type BigIntStats } from "node:fs";
import { hashOf, readWhole, withFile } from "../workspace/file-content.js";
import { placeIn } from "../workspace/resolve.js";
import { parsePath, showPath } from "../workspace/virtual-path.js";
import { walkFiles, type WalkedFile } from "../workspace/walk.js";
import { breathe, identityOf, type WorkspaceRoot } from "../workspace/workspace-root.js";

/** How much of a tree is looked at, and how much of it is kept in memory. */
export interface ObservationLimits {
  readonly maxFiles: number;
  /** Of all contents together. */
  readonly maxBytes: number;
  /** Of one content. */
  readonly maxFileBytes: number;
  readonly maxMs: number;
}

/** A file as it was at that moment. */
export interface SeenFile {
  /** As the backend names it. */
  readonly path: string;
  /** As the agent knows it. */
  readonly file: string;
  /** Changes whenever the file does. */
  readonly identity: string;
  /** Permission bits. */
  readonly mode: number;
  /** When the file was made; a file that was moved keeps it. */
  readonly bornMs: number;
  /** SHA-256 in hex; undefined of a file that was too large to be read. */
  readonly hash: string | undefined;
  /** Undefined when there was no room for it. */
  readonly content: Buffer | undefined;
}

/** The regular files of a tree as they were at a moment, without those that .gitignore names. */
export interface Observation {
  readonly files: ReadonlyMap<string, SeenFile>;
  /** Paths of the previous observation where nothing is any more; others that are not in `files` are ignored by now. */
  readonly gone: ReadonlySet<string>;
  /** False when the tree was too large to be looked at whole. */
  readonly complete: boolean;
}

const BREATHE_EVERY = 200;

const isGone = (root: WorkspaceRoot, path: string): boolean => {
  try {
    return root.identity(parsePath(path)) === "";
  } catch {
    return false; // Something else is in its way.
  }
};

/** Looks at every file; one that is as it was before is not read again. */
export const observeTree = async (
  root: WorkspaceRoot,
  previous: Observation | undefined,
  limits: ObservationLimits,
): Promise<Observation> => {
  const files = new Map<string, SeenFile>();
  const until = performance.now() + limits.maxMs;
  let room = limits.maxBytes;

  const read = async (found: WalkedFile, stats: BigIntStats): Promise<Pick<SeenFile, "hash" | "content">> => {
    const size = Number(stats.size);
    const late = performance.now() > until;
    if (size > root.maxFileBytes || (late && size > limits.maxFileBytes))
      return { hash: undefined, content: undefined };
    const { directory, name, parts } = found;
    const place = placeIn(directory, { name, parts, stats, shown: root.show(parts) });
    const content = await withFile(place, (file) => readWhole(file, root.maxFileBytes));
    const isKept = size <= limits.maxFileBytes && size <= room && !late;
    return { hash: hashOf(content), content: isKept ? content : undefined };
  };

  const see = async (found: WalkedFile): Promise<void> => {
    const stats = lstatSync(found.directory.at(found.name), { bigint: true });
    if (!stats.isFile()) return;
    const path = showPath(found.parts);
    const identity = identityOf(stats);
    const known = previous?.files.get(path);
    const seen: SeenFile =
      known?.identity === identity
        ? known
        : {
            path,
            file: root.show(found.parts),
            identity,
            mode: Number(stats.mode & 0o7777n),
            bornMs: Number(stats.birthtimeMs),
            ...(await read(found, stats)),
          };
    room -= seen.content?.length ?? 0;
    files.set(path, seen);
  };

  const directory = root.open();
  try {
    let visited = 0;
    for (const found of walkFiles({ protection: root.protection, from: [{ directory, parts: [] }] })) {
      visited += 1;
      if (visited % BREATHE_EVERY === 0) await breathe();
      if (visited > limits.maxFiles || performance.now() > until + limits.maxMs)
        return { files, gone: new Set(), complete: false };
      try {
        await see(found);
      } catch {
        // Not readable, or gone meanwhile.
      }
    }
    const missing = [...(previous?.files.keys() ?? [])].filter((path) => !files.has(path));
    return { files, gone: new Set(missing.filter((path) => isGone(root, path))), complete: true };
  } finally {
    directory.close();
  }
};
