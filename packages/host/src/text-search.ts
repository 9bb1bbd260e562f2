import path from "node:path";
import type { TextSearchPort } from "./text-search-port.js";
import { createSearch } from "./text-search/engine.js";
import { findRipgrep } from "./text-search/find-ripgrep.js";
import { jsCandidates } from "./text-search/js-candidates.js";
import { ripgrepCandidates } from "./text-search/ripgrep-candidates.js";

export interface JsSearchOptions {
  /** The directory that is searched, and that no search leaves. */
  root: string;
}

export interface RipgrepSearchOptions extends JsSearchOptions {
  /** Absolute path of a ripgrep 13 or newer. */
  rgPath: string;
}

/** Searches with nothing but Node: the same answers as with ripgrep, more slowly. */
export const createJsSearch = ({ root }: JsSearchOptions): TextSearchPort =>
  createSearch(path.resolve(root), () => Promise.resolve(jsCandidates));

/**
 * Searches with the ripgrep given. ripgrep chooses the files, what the answer shows is read from them by the code of
 * `createJsSearch`; text of the caller never becomes an option of the program.
 */
export const createRipgrepSearch = ({ root, rgPath }: RipgrepSearchOptions): TextSearchPort => {
  const source = ripgrepCandidates(path.resolve(rgPath));
  return createSearch(path.resolve(root), () => Promise.resolve(source));
};

/**
 * Searches with the ripgrep on the path, or that of an installed `@vscode/ripgrep`, or without one. It is looked for at
 * the first search.
 *
 * @example
 * ```ts
 * import { createTextSearch } from "@fiveseam/host";
 *
 * const search = createTextSearch({ root: process.cwd() });
 * const { files, truncated } = await search.search({ pattern: "TODO", globs: ["*.ts"], maxMatches: 20 });
 * for (const { path, lines } of files) for (const line of lines) console.log(path, line.lineNumber, line.text);
 * if (truncated) console.log("and more");
 * ```
 */
export const createTextSearch = ({ root }: JsSearchOptions): TextSearchPort => {
  const directory = path.resolve(root);
  const choose = async () => {
    const rgPath = await findRipgrep(directory);
    return rgPath === undefined ? jsCandidates : ripgrepCandidates(rgPath);
  };
  let chosen: ReturnType<typeof choose> | undefined;
  return createSearch(directory, () => (chosen ??= choose()));
};
