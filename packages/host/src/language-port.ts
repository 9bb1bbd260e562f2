import type { CallOptions } from "./call-options.js";

/** Line and column count from 1; a column counts UTF-16 code units, as editors do. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** `end` is the first position behind it. */
export interface SourceRange {
  readonly start: SourcePosition;
  readonly end: SourcePosition;
}

export interface SourceLocation {
  /** Relative to the host's root, with `/`; absolute for a file outside it, such as a library's. */
  readonly path: string;
  readonly range: SourceRange;
}

export type SymbolKind =
  | "file"
  | "module"
  | "namespace"
  | "class"
  | "interface"
  | "enum"
  | "enum_member"
  | "function"
  | "method"
  | "constructor"
  | "property"
  | "field"
  | "variable"
  | "constant"
  | "type"
  | "other";

export interface SourceSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  /** The symbol that it lies in, for instance its class. */
  readonly container?: string;
  readonly location: SourceLocation;
}

export interface SymbolList {
  readonly symbols: readonly SourceSymbol[];
  readonly truncated: boolean;
}

export interface Problem {
  readonly severity: "error" | "warning" | "information" | "hint";
  readonly message: string;
  readonly range: SourceRange;
  /** Who says so: "ts", "eslint". */
  readonly source?: string;
  readonly code?: string;
}

/**
 * "unknown" means that nobody looked at this content (no server for the language, not analysed yet): it is not "clean".
 */
export interface Diagnostics {
  readonly path: string;
  readonly status: "clean" | "problems" | "unknown";
  /** SHA-256, in hex, of the content that was looked at: whoever holds other content knows that this is stale. */
  readonly contentHash?: string;
  readonly problems: readonly Problem[];
  readonly truncated: boolean;
}

export interface LocationList {
  readonly locations: readonly SourceLocation[];
  readonly truncated: boolean;
}

export interface Hover {
  /** Markdown. */
  readonly text: string;
  readonly range?: SourceRange;
}

/** Caps a list; default 200. */
export interface ListOptions extends CallOptions {
  readonly maxResults?: number;
}

/**
 * What a language server knows. Paths are relative to the host's root. A language without a server is refused with
 * "unavailable" everywhere but in `diagnostics`, a file that is not there with "not_found".
 */
export interface LanguagePort {
  documentSymbols(path: string, options?: ListOptions): Promise<SymbolList>;
  /** Symbols of the workspace whose name holds the query, whatever its case. */
  workspaceSymbols(query: string, options?: ListOptions): Promise<SymbolList>;
  diagnostics(path: string, options?: ListOptions): Promise<Diagnostics>;
  definition(path: string, position: SourcePosition, options?: ListOptions): Promise<LocationList>;
  references(
    path: string,
    position: SourcePosition,
    options?: ListOptions & { readonly includeDeclaration?: boolean },
  ): Promise<LocationList>;
  /** `undefined` where there is nothing to say. */
  hover(path: string, position: SourcePosition, options?: CallOptions): Promise<Hover | undefined>;
}
