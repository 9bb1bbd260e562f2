/** Which files a search looks at. The same answer from every engine. */
export interface TextSearchScope {
  /**
   * Files and directories to look in, absolute or relative to the root, which is the default. One that does not exist
   * is `not_found`; one that leads out of the root, symbolic links resolved, is `outside_root`. A path that is hidden or
   * ignored is searched when it is named here: then only the ignore files in and below it count.
   */
  paths?: readonly string[];
  /**
   * Files to keep, in the syntax of .gitignore, from the root: `*.ts` at any depth, `src/**\/*.ts` and `/*.ts` from the
   * root, `{a,b}` and `[a-z]` as usual. `!` excludes, and the last glob that matches a file or a folder above it decides.
   */
  globs?: readonly string[];
  /** Whether names that begin with a dot are looked at; default false. `.git` never is. */
  hidden?: boolean;
  /**
   * Whether .gitignore files are honoured; default true. Outside a git repository too, and those of the directories
   * above the root up to the top of its repository.
   */
  ignore?: boolean;
}

/** A search within lines: no match spans two. */
export interface TextSearchQuery extends TextSearchScope {
  /** What to find. An empty one, or one with a line break, is `invalid_argument`. */
  pattern: string;
  /** Read `pattern` as a regular expression (see the README for the dialect); default false, every character is itself. */
  regex?: boolean;
  /** Default true. */
  caseSensitive?: boolean;
  /** Only matches with no letter, digit or underscore right before and after; default false. */
  word?: boolean;
  /** Lines shown before each match; default 0. */
  beforeContext?: number;
  /** Lines shown after each match; default 0. */
  afterContext?: number;
  /** Most matching lines in the answer; default 1,000. */
  maxMatches?: number;
  /** Most matching lines in the answer from one file; default no limit but `maxMatches`. */
  maxMatchesPerFile?: number;
  /** Longest line shown, in UTF-16 code units; a longer one is cut around its first match. Default 500. */
  maxColumns?: number;
  /** Larger files are not searched, and not counted; default 16 MiB. */
  maxFileBytes?: number;
}

export interface TextSearchOptions {
  /** The search then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Longest search in milliseconds; default 30,000. It then rejects with the code `timeout`. */
  timeoutMs?: number;
}

/** Half-open, in UTF-16 code units of the line's `text`. */
export interface TextSpan {
  start: number;
  end: number;
}

interface ShownLine {
  /** Counted from 1. */
  lineNumber: number;
  /** The line without its end (LF or CRLF), or a part of it. Invalid UTF-8 is U+FFFD, a byte-order mark is left out. */
  text: string;
  /** Code units of the line before `text`; 0 unless it was cut at the start. */
  textStart: number;
  /** Length of the whole line; more than `text.length` when it was cut. */
  lineLength: number;
}

export interface TextSearchMatch extends ShownLine {
  kind: "match";
  /** Where the first match starts in the whole line, counted from 1 in UTF-16 code units. */
  column: number;
  /** The matches that lie in `text`, in order, clipped to it; 1,000 at most. */
  spans: readonly TextSpan[];
}

export interface TextSearchContext extends ShownLine {
  kind: "context";
}

export interface TextSearchFile {
  /** Relative to the root, with `/`. */
  path: string;
  /** Matches and the lines around them by line number, none twice. A jump in `lineNumber` is a gap. */
  lines: readonly (TextSearchMatch | TextSearchContext)[];
  /** Matching lines of the whole file, those that are not shown included. */
  matchCount: number;
}

/** A limit of the query that cut the answer. */
export type TextSearchLimit = "maxMatches" | "maxMatchesPerFile" | "maxColumns";

export interface TextSearchResult {
  /** By path: component by component, each by UTF-16 code units. */
  files: readonly TextSearchFile[];
  /** Matching lines in `files` that are shown. */
  matchCount: number;
  /**
   * Files with a NUL byte that hold a match too (UTF-16 with a byte-order mark is text); nothing of them is shown. When
   * `maxMatches` ended the search, only those before the end.
   */
  binaryFileCount: number;
  truncated: boolean;
  /** What cut it; empty when `truncated` is false. */
  limits: readonly TextSearchLimit[];
  /** What chose the files: the answer does not depend on it. */
  engine: "ripgrep" | "javascript" | (string & {});
}

export interface FileListQuery extends TextSearchScope {
  /** Most paths in the answer; default 10,000. */
  maxFiles?: number;
}

export interface FileListResult {
  /** Relative to the root, with `/`; in the order of a search. */
  files: readonly string[];
  /** Whether `maxFiles` left some out. */
  truncated: boolean;
  engine: "ripgrep" | "javascript" | (string & {});
}

/**
 * Finds text in the files of the workspace. Symbolic links below the root are not followed, special files and `.git`
 * are never opened. What can't be read is passed over. Refusals are `HostError`s: `invalid_argument`, `not_found`,
 * `outside_root`, `denied` (a path in `.git`), `timeout`, `failed`.
 */
export interface TextSearchPort {
  search(query: TextSearchQuery, options?: TextSearchOptions): Promise<TextSearchResult>;
  /** The files that a search would look at, whatever their size and whatever is in them. */
  files(query?: FileListQuery, options?: TextSearchOptions): Promise<FileListResult>;
}
