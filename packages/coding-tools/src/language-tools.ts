import type { LanguagePort, SourcePosition } from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import type { ToolFiles } from "./tool-files.js";
import { z } from "zod";
import { ToolInputError } from "./errors.js";
import { diagnosticsText, locationText, symbolText } from "./language-text.js";
import { readLines } from "./read-text.js";
import { checkReadable, mayRead, readsEverything, toHostPath, toVirtualPath } from "./workspace-paths.js";

const capped = (lines: readonly string[], none: string, truncated: boolean): string =>
  [
    ...(lines.length === 0 ? [none] : lines),
    ...(truncated ? ["[there are more: ask more closely]"] : []),
  ].join("\n");

const readable = <T>(found: readonly T[], pathOf: (each: T) => string): T[] =>
  found.filter((each) => mayRead(toVirtualPath(pathOf(each))));

/** Whether there is more may only be told to those who may see all of it. */
const tellsMore = (truncated: boolean): boolean => truncated && readsEverything();

/** The tool that finds symbols by name, or lists those of a file. */
export const createSearchSymbolsTool = (language: LanguagePort): StructuredTool =>
  defineTool({
    name: "search_symbols",
    description:
      "Finds functions, classes, types and other symbols by name, as the language server knows them, with their place. " +
      "With `path` it lists the symbols of that file: an outline that costs less than reading it. Use it to find where " +
      "something is defined; use ripgrep_search for text, comments and languages without a server.",
    schema: z.object({
      query: z.string().min(1).optional().describe("Part of the name; needed without `path`."),
      path: z.string().min(1).optional().describe("A file below /workspace/: only its symbols."),
      max_results: z.number().int().min(1).max(500).optional().describe("Default 100."),
    }),
    effects: ["fs.read"],
    idempotent: true,
    async run({ query, path, max_results = 100 }, { signal }) {
      const options = { signal, maxResults: max_results };
      if (path === undefined) {
        if (query === undefined) throw new ToolInputError("Give `query`, `path`, or both.");
        const found = await language.workspaceSymbols(query, options);
        const symbols = readable(found.symbols, ({ location }) => location.path);
        return {
          content: capped(symbols.map(symbolText), "No symbols.", tellsMore(found.truncated)),
          artifact: { symbols, truncated: tellsMore(found.truncated) },
        };
      }
      const file = toHostPath(path);
      checkReadable(toVirtualPath(file));
      const found = await language.documentSymbols(file, options);
      const wanted = query?.toLowerCase();
      const symbols = found.symbols.filter(
        ({ name }) => wanted === undefined || name.toLowerCase().includes(wanted),
      );
      return {
        content: capped(symbols.map(symbolText), "No symbols.", found.truncated),
        artifact: { ...found, symbols },
      };
    },
  });

/** The tool that says what compilers and linters find wrong. */
export const createGetDiagnosticsTool = (language: LanguagePort): StructuredTool =>
  defineTool({
    name: "get_diagnostics",
    description:
      "Says what the editor's compilers and linters find wrong in files. Use it after an edit, before you run the whole " +
      'build. "no problems" means that the file was checked; "unknown" that nobody checked it, so build or test instead.',
    schema: z.object({
      paths: z.array(z.string().min(1)).min(1).max(20).describe("Files below /workspace/."),
    }),
    effects: ["fs.read"],
    idempotent: true,
    async run({ paths }, { signal }) {
      const files = paths.map(toHostPath);
      for (const file of files) checkReadable(toVirtualPath(file));
      const found = await Promise.all(
        files.map((file) => language.diagnostics(file, { signal, maxResults: 50 })),
      );
      return { content: found.map(diagnosticsText).join("\n"), artifact: found };
    },
  });

/** Where a name stands in a line. Models know names and lines; they cannot count columns. */
const positionOf = async (
  backend: ToolFiles | undefined,
  virtual: string,
  line: number,
  symbol: string | undefined,
  column: number | undefined,
): Promise<SourcePosition> => {
  if (column !== undefined) return { line, column };
  if (symbol === undefined)
    throw new ToolInputError("Give `symbol`, the name as it stands in the line, or `column`.");
  if (!backend) throw new ToolInputError("Files cannot be read here: give `column` instead of `symbol`.");
  const lines = await readLines(backend, virtual);
  const text = lines[line - 1];
  if (text === undefined) throw new ToolInputError(`${virtual} has ${lines.length} lines.`);
  const name = /^[\w$]+$/.test(symbol)
    ? new RegExp(`(?<![\\w$])${symbol.replaceAll("$", "\\$")}(?![\\w$])`)
    : undefined;
  const at = name ? text.search(name) : text.indexOf(symbol);
  if (at < 0)
    throw new ToolInputError(`"${symbol}" does not stand in line ${line} of ${virtual}: ${text.trim()}`);
  return { line, column: at + 1 };
};

/** The tool that follows a name: its definition, its uses, what it is. */
export const createLspQueryTool = (language: LanguagePort, backend?: ToolFiles): StructuredTool =>
  defineTool({
    name: "lsp_query",
    description:
      "Asks the language server about a name at a place: its definition, its references (every use, the declaration " +
      "included), or its hover text (type and documentation). Use it before you rename or change something that others " +
      "use: unlike a text search it knows which of two equal names is meant. Give the line and the name as it stands there.",
    schema: z.object({
      query: z.enum(["definition", "references", "hover"]),
      path: z.string().min(1).describe("A file below /workspace/."),
      line: z.number().int().min(1).describe("Counted from 1."),
      symbol: z.string().min(1).optional().describe("The name, as it stands in that line."),
      column: z.number().int().min(1).optional().describe("Instead of `symbol`; counted from 1."),
      max_results: z.number().int().min(1).max(500).optional().describe("Default 100."),
    }),
    effects: ["fs.read"],
    idempotent: true,
    async run({ query, path, line, symbol, column, max_results = 100 }, { signal }) {
      const file = toHostPath(path);
      const virtual = toVirtualPath(file);
      checkReadable(virtual);
      const position = await positionOf(backend, virtual, line, symbol, column);
      if (query === "hover") {
        const hover = await language.hover(file, position, { signal });
        return hover ? { content: hover.text, artifact: hover } : "Nothing is known about this place.";
      }
      const options = { signal, maxResults: max_results };
      const found =
        query === "definition"
          ? await language.definition(file, position, options)
          : await language.references(file, position, { ...options, includeDeclaration: true });
      const locations = readable(found.locations, (each) => each.path);
      return {
        content: capped(locations.map(locationText), "Nothing was found.", tellsMore(found.truncated)),
        artifact: { locations, truncated: tellsMore(found.truncated) },
      };
    },
  });
