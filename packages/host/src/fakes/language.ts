import { createHash } from "node:crypto";
import { HostError } from "../errors.js";
import type {
  Hover,
  LanguagePort,
  Problem,
  SourceLocation,
  SourcePosition,
  SourceRange,
  SourceSymbol,
} from "../language-port.js";

/** What the fake server knows about a file. */
export interface FakeSourceFile {
  readonly text: string;
  readonly symbols?: readonly FakeSymbol[];
  /** Absent: nobody has looked yet, so its diagnostics are "unknown". */
  readonly problems?: readonly Problem[];
}

export interface FakeSymbol extends Omit<SourceSymbol, "location"> {
  readonly range?: SourceRange;
  readonly hover?: string;
}

/**
 * A language server of a few files, all in memory. A symbol without a range lies where its name stands first; its
 * references are the places in all files where its name stands as a word.
 *
 * @example
 * ```ts
 * import { createFakeLanguage } from "@fiveseam/host";
 *
 * const language = createFakeLanguage({
 *   "a.ts": { text: "export const answer = 42;", symbols: [{ name: "answer", kind: "constant" }], problems: [] },
 * });
 * console.log((await language.diagnostics("a.ts")).status); // clean
 * ```
 */
export const createFakeLanguage = (files: Readonly<Record<string, FakeSourceFile>>): LanguagePort => {
  const fileOf = (path: string): FakeSourceFile => {
    const file = Object.hasOwn(files, path) ? files[path] : undefined;
    if (!file) throw new HostError("not_found", `there is no file "${path}"`);
    return file;
  };
  const symbolsOf = (path: string): (SourceSymbol & { hover?: string | undefined })[] =>
    (fileOf(path).symbols ?? []).map(({ range, ...symbol }) => ({
      ...symbol,
      location: { path, range: range ?? occurrences(fileOf(path).text, symbol.name)[0] ?? START },
    }));
  const allSymbols = () => Object.keys(files).sort().flatMap(symbolsOf);
  const cut = <T>(all: readonly T[], max = 200): { kept: readonly T[]; truncated: boolean } => ({
    kept: all.slice(0, max),
    truncated: all.length > max,
  });
  const symbolAt = (path: string, position: SourcePosition) => {
    const { text } = fileOf(path);
    const name = wordAt(text, position);
    return name === undefined ? undefined : allSymbols().find((symbol) => symbol.name === name);
  };
  const bare = ({ name, kind, container, location }: SourceSymbol): SourceSymbol => ({
    name,
    kind,
    ...(container === undefined ? {} : { container }),
    location,
  });
  const same = (a: SourceLocation, b: SourceLocation): boolean => JSON.stringify(a) === JSON.stringify(b);

  return {
    async documentSymbols(path, { signal, maxResults } = {}) {
      signal?.throwIfAborted();
      const { kept, truncated } = cut(symbolsOf(path).map(bare), maxResults);
      return { symbols: kept, truncated };
    },
    async workspaceSymbols(query, { signal, maxResults } = {}) {
      signal?.throwIfAborted();
      const found = allSymbols().filter((each) => each.name.toLowerCase().includes(query.toLowerCase()));
      const { kept, truncated } = cut(found.map(bare), maxResults);
      return { symbols: kept, truncated };
    },
    async diagnostics(path, { signal, maxResults } = {}) {
      signal?.throwIfAborted();
      const { text, problems } = fileOf(path);
      if (!problems) return { path, status: "unknown", problems: [], truncated: false };
      const { kept, truncated } = cut(problems, maxResults);
      const contentHash = createHash("sha256").update(text).digest("hex");
      return {
        path,
        status: problems.length === 0 ? "clean" : "problems",
        contentHash,
        problems: kept,
        truncated,
      };
    },
    async definition(path, position, { signal, maxResults } = {}) {
      signal?.throwIfAborted();
      const symbol = symbolAt(path, position);
      const { kept, truncated } = cut(symbol ? [symbol.location] : [], maxResults);
      return { locations: kept, truncated };
    },
    async references(path, position, { signal, maxResults, includeDeclaration = true } = {}) {
      signal?.throwIfAborted();
      const symbol = symbolAt(path, position);
      const all = !symbol
        ? []
        : Object.keys(files)
            .sort()
            .flatMap((each) =>
              occurrences(fileOf(each).text, symbol.name).map((range): SourceLocation => ({
                path: each,
                range,
              })),
            )
            .filter((each) => includeDeclaration || !same(each, symbol.location));
      const { kept, truncated } = cut(all, maxResults);
      return { locations: kept, truncated };
    },
    async hover(path, position, { signal } = {}): Promise<Hover | undefined> {
      signal?.throwIfAborted();
      const symbol = symbolAt(path, position);
      return symbol?.hover === undefined ? undefined : { text: symbol.hover };
    },
  };
};

const START: SourceRange = { start: { line: 1, column: 1 }, end: { line: 1, column: 1 } };
const WORD = /[\p{L}\p{N}_$]+/gu;

const occurrences = (text: string, name: string): SourceRange[] =>
  text.split(/\r?\n/).flatMap((content, index) =>
    [...content.matchAll(WORD)]
      .filter((match) => match[0] === name)
      .map((match) => ({
        start: { line: index + 1, column: match.index + 1 },
        end: { line: index + 1, column: match.index + 1 + name.length },
      })),
  );

const wordAt = (text: string, { line, column }: SourcePosition): string | undefined => {
  if (!Number.isInteger(line) || !Number.isInteger(column) || line < 1 || column < 1)
    throw new HostError(
      "invalid_argument",
      `${line}:${column} is no position: lines and columns count from 1`,
    );
  const content = text.split(/\r?\n/)[line - 1] ?? "";
  return [...content.matchAll(WORD)].find(
    (match) => match.index < column && column <= match.index + match[0].length + 1,
  )?.[0];
};
