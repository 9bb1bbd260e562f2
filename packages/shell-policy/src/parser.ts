import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Language, Node, Parser } from "web-tree-sitter";
import { ShellPolicyError } from "./errors.js";
import { startParsers, type Library } from "./parser-runtime.js";

export type { Node };

/** Where the WebAssembly comes from. By default it is found beside this module and in the installed web-tree-sitter. */
export interface WasmSource {
  /** The bytes of `web-tree-sitter.wasm`, for single-file bundles. Used by the first policy of the process. */
  readonly runtime?: Uint8Array;
  /** The bytes of `tree-sitter-bash.wasm`, which this package's `dist` folder holds. */
  readonly grammar?: Uint8Array;
}

const here = (): string =>
  // Evaluated when it is needed: a CJS bundle has no `import.meta.url`, an ES module no `__filename`.
  typeof __filename === "string" && isAbsolute(__filename) ? __filename : fileURLToPath(import.meta.url);

const find = async (specifier: string, name: string): Promise<Uint8Array> => {
  const beside = join(dirname(here()), name);
  const installed = (): string => {
    try {
      return createRequire(here()).resolve(specifier);
    } catch {
      return beside;
    }
  };
  try {
    return await readFile(beside).catch(() => readFile(installed()));
  } catch (cause) {
    throw new ShellPolicyError(
      "wasm",
      `${name} is neither installed nor at ${beside}; give its bytes to createShellPolicy as \`wasm\`.`,
      { cause },
    );
  }
};

interface Loaded {
  readonly library: Library;
  readonly language: Language;
}

let loading: Promise<Loaded> | undefined;

const load = async (source: WasmSource): Promise<Loaded> => {
  const library = await startParsers(
    async () => source.runtime ?? find("web-tree-sitter/web-tree-sitter.wasm", "web-tree-sitter.wasm"),
  );
  const language = await library.Language.load(
    source.grammar ?? (await find("tree-sitter-bash/tree-sitter-bash.wasm", "tree-sitter-bash.wasm")),
  );
  return { library, language };
};

/** Parses bash; one grammar for the process. A failure is not remembered: the next call tries again. */
export const loadParser = async (source: WasmSource = {}): Promise<Parser> => {
  loading ??= load(source).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  const { library, language } = await loading;
  const parser = new library.Parser();
  parser.setLanguage(language);
  return parser;
};
