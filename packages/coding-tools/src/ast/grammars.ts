import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Language, Tree } from "web-tree-sitter";
import { AstEditError } from "./errors.js";
import type { AstLanguage } from "./languages.js";
import { startParsers, type Library } from "./parser-runtime.js";

/** Where the WebAssembly comes from. By default it is found beside this module and in the installed web-tree-sitter. */
export interface AstWasm {
  /** The bytes of `web-tree-sitter.wasm`, for single-file bundles. Used by the first parser of the process. */
  readonly runtime?: Uint8Array;
  /** The bytes of `tree-sitter-….wasm` by language, which this package's `dist` folder holds. */
  readonly grammars?: Readonly<Partial<Record<AstLanguage, Uint8Array>>>;
}

const GRAMMARS: Readonly<Record<AstLanguage, string>> = {
  typescript: "tree-sitter-typescript/tree-sitter-typescript.wasm",
  tsx: "tree-sitter-typescript/tree-sitter-tsx.wasm",
  javascript: "tree-sitter-javascript/tree-sitter-javascript.wasm",
  python: "tree-sitter-python/tree-sitter-python.wasm",
  go: "tree-sitter-go/tree-sitter-go.wasm",
};

const here = (): string =>
  // Evaluated when it is needed: a CJS bundle has no `import.meta.url`, an ES module no `__filename`.
  typeof __filename === "string" && isAbsolute(__filename) ? __filename : fileURLToPath(import.meta.url);

const find = async (specifier: string): Promise<Uint8Array> => {
  const name = specifier.slice(specifier.lastIndexOf("/") + 1);
  const beside = join(dirname(here()), name);
  const installed = (): string => {
    try {
      return createRequire(here()).resolve(specifier);
    } catch {
      return beside;
    }
  };
  return readFile(beside).catch(() => readFile(installed()));
};

const missing = (language: AstLanguage, cause: unknown): AstEditError =>
  new AstEditError(
    "grammar_missing",
    `The parser for ${language} is not installed here, so that no symbol of it can be edited: use edit_file. (Whoever assembles ` +
      "the tools gives its WebAssembly as `wasm`.)",
    { cause },
  );

interface Loaded {
  readonly library: Library;
  readonly grammar: Language;
}

const languages = new Map<AstLanguage, Promise<Loaded>>();

const load = async (language: AstLanguage, wasm: AstWasm): Promise<Loaded> => {
  const library = await startParsers(
    async () => wasm.runtime ?? find("web-tree-sitter/web-tree-sitter.wasm"),
  );
  const grammar = await library.Language.load(wasm.grammars?.[language] ?? (await find(GRAMMARS[language])));
  return { library, grammar };
};

/** One grammar for the process, loaded on first use. A failure is not remembered: the next call tries again. */
const loaded = (language: AstLanguage, wasm: AstWasm): Promise<Loaded> => {
  const known = languages.get(language);
  if (known) return known;
  const loading = load(language, wasm).catch((error: unknown) => {
    languages.delete(language);
    throw missing(language, error);
  });
  languages.set(language, loading);
  return loading;
};

/** A text as a tree; positions are in UTF-16 code units, as in the string. */
export type Parse = (text: string) => Tree;

/**
 * Parses for as long as the work goes on; the trees are freed when it ends, for WebAssembly has no garbage collection.
 *
 * @throws {AstEditError} `grammar_missing`.
 */
export const withParser = async <T>(
  language: AstLanguage,
  wasm: AstWasm,
  work: (parse: Parse) => T,
): Promise<T> => {
  const { library, grammar } = await loaded(language, wasm);
  const parser = new library.Parser();
  const trees: Tree[] = [];
  try {
    parser.setLanguage(grammar);
    return work((text) => {
      // Null only without a language or when it was told to stop.
      const tree = parser.parse(text) as Tree;
      trees.push(tree);
      return tree;
    });
  } finally {
    for (const tree of trees) tree.delete();
    parser.delete();
  }
};
