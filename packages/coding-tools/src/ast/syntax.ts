import type { AstLanguage } from "./languages.js";
import type { NameRules } from "./names.js";
import { goNames } from "./names-go.js";
import { javascriptNames } from "./names-javascript.js";
import { pythonNames } from "./names-python.js";
import type { FindSymbols } from "./symbol.js";
import { goSymbols } from "./symbols-go.js";
import { javascriptSymbols } from "./symbols-javascript.js";
import { pythonSymbols } from "./symbols-python.js";

/** What is known of a language beside its grammar. */
export interface Syntax {
  readonly symbols: FindSymbols;
  readonly names: NameRules;
  /** White space is grammar. */
  readonly byIndent: boolean;
}

const JAVASCRIPT: Syntax = { symbols: javascriptSymbols, names: javascriptNames, byIndent: false };

export const SYNTAX: Readonly<Record<AstLanguage, Syntax>> = {
  typescript: JAVASCRIPT,
  tsx: JAVASCRIPT,
  javascript: JAVASCRIPT,
  python: { symbols: pythonSymbols, names: pythonNames, byIndent: true },
  go: { symbols: goSymbols, names: goNames, byIndent: false },
};
