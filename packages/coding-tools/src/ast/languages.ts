import { AstEditError } from "./errors.js";

/** The languages whose symbols can be edited; TSX is TypeScript with another grammar. */
export const AST_LANGUAGES = ["typescript", "tsx", "javascript", "python", "go"] as const;

export type AstLanguage = (typeof AST_LANGUAGES)[number];

const BY_EXTENSION: Readonly<Record<string, AstLanguage>> = {
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "tsx",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  py: "python",
  pyi: "python",
  go: "go",
};

/** @throws {AstEditError} `unsupported_language` for a name that tells none. */
export const languageOf = (path: string): AstLanguage => {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  const language = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
  if (language) return language;
  throw new AstEditError(
    "unsupported_language",
    `${path} is of no language whose symbols are known here (${Object.keys(BY_EXTENSION).join(", ")}): use edit_file.`,
  );
};
