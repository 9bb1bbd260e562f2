import type {
  BackendProtocolV2,
  FileDownloadResponse,
  FileInfo,
  GlobResult,
  GrepResult,
  LsResult,
  ReadRawResult,
  ReadResult,
} from "deepagents";
import { unreported } from "../workspace/call-report.js";
import type { GuardedBackend } from "../workspace/change-guard.js";
import { refuse } from "../workspace/file-error.js";
import type { FileFailure } from "../workspace/options.js";
import type { StagedEntry } from "./staging-area.js";
import type { Staging } from "./with-staging.js";

type Reading = Pick<BackendProtocolV2, "ls" | "read" | "readRaw" | "grep" | "glob"> &
  Required<Pick<GuardedBackend, "downloadFiles" | "locate">>;

const plain = (path: string): string => path.replace(/\/+$/, "") || "/";

const byPath = (one: { path: string }, other: { path: string }): number =>
  one.path < other.path ? -1 : one.path > other.path ? 1 : 0;

/** The files as they would be if everything staged were accepted. */
export const overlaid = ({ area, base, shadow, mount }: Staging): Reading => {
  const real = async (at: string): Promise<string | undefined> => {
    const place = await base.locate?.(at);
    return place && "path" in place ? place.path : undefined;
  };

  /** What is staged of a file, or of all below a directory. */
  const stagedOf = async (
    at: string,
  ): Promise<{ entries: ReadonlyMap<string, StagedEntry>; real: string } | undefined> => {
    const entries = area.entries();
    if (entries.size === 0) return undefined;
    const found = await real(at);
    return found === undefined ? undefined : { entries, real: found };
  };

  /** Reads a staged file from where it is staged, and any other from the disk. */
  const reading = async <Result, Missing extends Result>(
    at: string,
    read: (backend: GuardedBackend, path: string) => Result | Promise<Result>,
    missing: () => Missing,
  ): Promise<Result> => {
    const staged = await stagedOf(at);
    const entry = staged?.entries.get(staged.real);
    if (!staged || !entry) return read(base, at);
    return entry.deleted ? missing() : read(shadow, staged.real);
  };
  const missing = (at: string) => (): FileFailure => refuse("not_found", `${mount}${at}: it does not exist.`);

  /** A result for a directory, of which files that are staged are replaced by what is staged. */
  const both = async <Item extends { path: string }, Result extends { error?: string; truncated?: boolean }>(
    at: string,
    ask: (backend: GuardedBackend, path: string) => Promise<Result>,
    itemsOf: (result: Result) => readonly Item[],
    make: (items: Item[], from: Result) => Result,
  ): Promise<Result> => {
    const staged = await stagedOf(at);
    if (!staged) return ask(base, at);
    const given = plain(at);
    const inside = (path: string): string =>
      (staged.real === "/" ? "" : staged.real) + (given === "/" ? path : path.slice(given.length));
    const outside = (path: string): string =>
      (given === "/" ? "" : given) + (staged.real === "/" ? path : path.slice(staged.real.length));
    const there = await ask(base, at);
    const waiting = await unreported(() => ask(shadow, staged.real));
    if (waiting.error !== undefined) {
      if (there.error !== undefined) return there;
    } else if (there.error !== undefined && itemsOf(waiting).length === 0) return there;
    const kept =
      there.error === undefined
        ? itemsOf(there).filter((item) => !staged.entries.has(plain(inside(item.path))))
        : [];
    const added =
      waiting.error === undefined
        ? itemsOf(waiting)
            .filter(({ path }) => path.endsWith("/") || staged.entries.has(path))
            .map((item) => ({ ...item, path: outside(item.path) }))
        : [];
    const known = new Set(kept.map(({ path }) => path));
    // A directory that is in both is one; of the matches in a file each is one.
    const items = [...kept, ...added.filter(({ path }) => !path.endsWith("/") || !known.has(path))];
    const result = make(items.sort(byPath), there.error === undefined ? there : waiting);
    return waiting.truncated ? { ...result, truncated: true } : result;
  };

  return {
    locate: (at) => base.locate!(at),
    read: (at, offset, limit) =>
      reading<ReadResult, FileFailure>(at, (from, path) => from.read(path, offset, limit), missing(at)),
    readRaw: (at) => reading<ReadRawResult, FileFailure>(at, (from, path) => from.readRaw(path), missing(at)),
    async downloadFiles(paths) {
      const answers: FileDownloadResponse[] = [];
      for (const path of paths) {
        const gone = (): FileDownloadResponse[] => [{ path, content: null, error: "file_not_found" }];
        const [answer] = await reading<FileDownloadResponse[], FileDownloadResponse[]>(
          path,
          async (from, at) => (await from.downloadFiles?.([at])) ?? [],
          gone,
        );
        if (answer) answers.push({ ...answer, path });
      }
      return answers;
    },
    ls: (at) =>
      both<FileInfo, LsResult>(
        at,
        async (from, path) => from.ls(path),
        ({ files = [] }) => files,
        (files, from) => ({ ...from, files }),
      ),
    glob: (pattern, at = "/") =>
      both<FileInfo, GlobResult>(
        at,
        async (from, path) => from.glob(pattern, path),
        ({ files = [] }) => files,
        (files, from) => ({ ...from, files }),
      ),
    grep: (pattern, at, glob, maxCount) =>
      both<{ path: string; line: number; text: string }, GrepResult>(
        at ?? "/",
        async (from, path) => from.grep(pattern, path, glob, maxCount),
        ({ matches = [] }) => matches,
        (matches, from) => ({ ...from, matches: maxCount ? matches.slice(0, maxCount) : matches }),
      ),
  };
};
