import { HostError } from "../errors.js";
import type {
  FileListQuery,
  FileListResult,
  TextSearchFile,
  TextSearchLimit,
  TextSearchOptions,
  TextSearchPort,
  TextSearchQuery,
  TextSearchResult,
} from "../text-search-port.js";
import { byPath, type CandidateSource } from "./candidates.js";
import { relative } from "./ignore-tree.js";
import { scanLiteral, type Scan } from "./line-scan.js";
import { compilePattern, type SearchPattern } from "./pattern.js";
import { fileCap, searchCaps, withinTime, type SearchCaps } from "./query.js";
import { decodeText, readFileBytes } from "./read-text.js";
import { RegexWorker } from "./regex-worker.js";
import { SearchScope, type SearchBase } from "./scope.js";
import { shownLines } from "./shown-lines.js";

/** Files that are read ahead of the one whose turn it is. */
const READ_AHEAD = 8;

interface FileScan {
  text: string;
  binary: boolean;
  scan: Scan;
}

interface Found {
  base: SearchBase;
  file: string;
}

/** The search over any source of candidates: what is in the answer, and in which order, is decided here. */
export const createSearch = (root: string, chooseSource: () => Promise<CandidateSource>): TextSearchPort => {
  const search = (query: TextSearchQuery, options: TextSearchOptions = {}): Promise<TextSearchResult> =>
    withinTime(options, async (signal) => {
      const caps = searchCaps(query);
      const pattern = compilePattern(query);
      const scope = await SearchScope.resolve(root, query);
      const source = await chooseSource();
      const scanner = new FileScanner(pattern, caps);
      const stop = (): void => void scanner.close(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      try {
        const found = allCandidates(source, scope, { pattern, maxFileBytes: caps.maxFileBytes, signal });
        return await collect(found, scope, scanner, caps, source.engine, signal);
      } finally {
        signal.removeEventListener("abort", stop);
        await scanner.close(new HostError("closed", "the search is over"));
      }
    });

  const files = (query: FileListQuery = {}, options: TextSearchOptions = {}): Promise<FileListResult> =>
    withinTime(options, async (signal) => {
      const maxFiles = fileCap(query);
      const scope = await SearchScope.resolve(root, query);
      const source = await chooseSource();
      const names: string[] = [];
      for await (const { base, file } of allCandidates(source, scope, { signal })) {
        signal.throwIfAborted();
        if (!(await scope.includes(base, file))) continue;
        if (names.length === maxFiles) return { files: names, truncated: true, engine: source.engine };
        names.push(relative(scope.root, file));
      }
      return { files: names, truncated: false, engine: source.engine };
    });

  return { search, files };
};

/** The candidates of all bases in the order of the answer, each once. */
async function* allCandidates(
  source: CandidateSource,
  scope: SearchScope,
  request: { pattern?: SearchPattern; maxFileBytes?: number; signal: AbortSignal },
): AsyncGenerator<Found> {
  const [only] = scope.bases;
  if (source.ordered && scope.bases.length === 1 && only?.directory) {
    for await (const file of source.candidates({ ...request, scope, base: only })) yield { base: only, file };
    return;
  }
  // A file below two bases may be in the scope by one of them only: the first that has it wins.
  const found = new Map<string, Found & { key: string }>();
  for (const base of scope.bases) {
    const add = (file: string): void => {
      found.set(`${base.path}\0${file}`, { base, file, key: relative(scope.root, file) });
    };
    if (!base.directory) add(base.path);
    else for await (const file of source.candidates({ ...request, scope, base })) add(file);
  }
  const given = new Set<string>();
  for (const each of [...found.values()].sort((a, b) => byPath(a.key, b.key))) {
    if (given.has(each.file) || !(await scope.includes(each.base, each.file))) continue;
    given.add(each.file);
    yield each;
  }
}

const collect = async (
  candidates: AsyncGenerator<Found>,
  scope: SearchScope,
  scanner: FileScanner,
  caps: SearchCaps,
  engine: TextSearchResult["engine"],
  signal: AbortSignal,
): Promise<TextSearchResult> => {
  const files: TextSearchFile[] = [];
  const limits = new Set<TextSearchLimit>();
  let matchCount = 0;
  let binaryFileCount = 0;

  const take = ({ file }: Found, { text, binary, scan }: FileScan): void => {
    if (scan.total === 0) return;
    if (binary) {
      binaryFileCount += 1;
      return;
    }
    const room = caps.maxMatches - matchCount;
    const wanted = Math.min(scan.total, caps.maxMatchesPerFile);
    if (wanted < scan.total) limits.add("maxMatchesPerFile");
    if (wanted > room) limits.add("maxMatches");
    if (room === 0) return;
    const lines = shownLines(text, scan.lines.slice(0, Math.min(wanted, room)), caps);
    if (lines.some((line) => line.text.length < line.lineLength)) limits.add("maxColumns");
    matchCount += Math.min(wanted, room);
    files.push({ path: relative(scope.root, file), lines, matchCount: scan.total });
  };

  const ahead: { found: Found; scanned: Promise<FileScan | undefined> }[] = [];
  const takeNext = async (): Promise<void> => {
    const next = ahead.shift();
    const scanned = await next?.scanned;
    signal.throwIfAborted();
    if (next && scanned && !limits.has("maxMatches")) take(next.found, scanned);
  };
  try {
    for await (const found of candidates) {
      const scanned = scope
        .includes(found.base, found.file)
        .then((included) => (included ? scanner.scan(found.file) : undefined));
      // It is awaited when its turn comes; until then a failure is not unhandled.
      scanned.catch(() => {});
      ahead.push({ found, scanned });
      if (ahead.length >= READ_AHEAD) await takeNext();
      if (limits.has("maxMatches")) break;
    }
    while (ahead.length > 0 && !limits.has("maxMatches")) await takeNext();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  return {
    files,
    matchCount,
    binaryFileCount,
    truncated: limits.size > 0,
    limits: [...limits].sort(),
    engine,
  };
};

class FileScanner {
  readonly #pattern: SearchPattern;
  readonly #caps: SearchCaps;
  readonly #maxLines: number;
  readonly #bytes: Buffer | undefined;
  readonly #worker: RegexWorker | undefined;
  #closed: unknown;

  constructor(pattern: SearchPattern, caps: SearchCaps) {
    this.#pattern = pattern;
    this.#caps = caps;
    this.#maxLines = Math.min(caps.maxMatches, caps.maxMatchesPerFile);
    const { literal } = pattern;
    // Bytes that are no UTF-8 become U+FFFD, so it can be found where its own bytes are not.
    if (literal !== undefined && !literal.includes("\uFFFD")) this.#bytes = Buffer.from(literal, "utf8");
    // Now and not at the first file, so that it starts while files are looked for.
    if (literal === undefined) this.#worker = new RegexWorker(pattern);
  }

  async scan(file: string): Promise<FileScan | undefined> {
    const read = await readFileBytes(file, this.#caps.maxFileBytes);
    if (!read || this.#closed !== undefined) return undefined;
    if (this.#bytes && read.encoding === "utf-8" && !read.bytes.includes(this.#bytes)) return undefined;
    const text = decodeText(read);
    const { literal } = this.#pattern;
    if (literal !== undefined)
      return { text, binary: read.binary, scan: scanLiteral(text, literal, this.#maxLines) };
    const scan = await this.#worker?.scan(text, this.#maxLines);
    return scan && { text, binary: read.binary, scan };
  }

  async close(reason: unknown): Promise<void> {
    this.#closed ??= reason;
    await this.#worker?.close(reason);
  }
}
