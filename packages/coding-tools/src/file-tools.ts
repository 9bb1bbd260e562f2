import type { LanguagePort, SourceSymbol, TextSearchPort } from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import type { ToolFiles } from "./tool-files.js";
import { z } from "zod";
import { ToolInputError } from "./errors.js";
import { readLines } from "./read-text.js";
import { readableFiles } from "./readable-files.js";
import { checkReadable, mayRead, readsEverything, toHostPath, toVirtualPath } from "./workspace-paths.js";

const MAX_LINES = 400;
const MAX_LISTED = 500;

interface Wanted {
  readonly path: string;
  readonly start_line?: number | undefined;
  readonly end_line?: number | undefined;
  readonly symbol?: string | undefined;
}

const symbolIn = async (
  language: LanguagePort | undefined,
  file: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<SourceSymbol> => {
  if (!language)
    throw new ToolInputError("There is no language server here: give lines instead of `symbol`.");
  const { symbols } = await language.documentSymbols(file, { signal });
  const matches = symbols.filter((each) => each.name === name || `${each.container}.${each.name}` === name);
  const [only] = matches;
  if (!only) throw new ToolInputError(`There is no symbol "${name}" in it.`);
  if (matches.length === 1) return only;
  const places = matches.map(
    ({ container, location }) => `${container ?? ""}.${name} (line ${location.range.start.line})`,
  );
  throw new ToolInputError(`"${name}" is there ${matches.length} times: ${places.join(", ")}.`);
};

/** The tool that reads several files, or parts of them, in one call. */
export const createReadFilesTool = (backend: ToolFiles, language?: LanguagePort): StructuredTool => {
  const readOne = async (wanted: Wanted, signal: AbortSignal | undefined): Promise<string> => {
    const file = toHostPath(wanted.path);
    const virtual = toVirtualPath(file);
    checkReadable(virtual);
    const lines = await readLines(backend, virtual);
    if (lines.at(-1) === "") lines.pop();
    const symbol =
      wanted.symbol === undefined ? undefined : await symbolIn(language, file, wanted.symbol, signal);
    const start = symbol?.location.range.start.line ?? wanted.start_line ?? 1;
    const last = Math.min(symbol?.location.range.end.line ?? wanted.end_line ?? lines.length, lines.length);
    const end = Math.min(last, start + MAX_LINES - 1);
    if (start > lines.length && lines.length > 0) throw new ToolInputError(`It has ${lines.length} lines.`);
    const head = `@@ ${virtual} lines ${Math.min(start, lines.length)}-${end} of ${lines.length} @@`;
    const more = end < last ? [`[lines ${end + 1} to ${last} follow: ask for them]`] : [];
    return [head, ...lines.slice(start - 1, end), ...more].join("\n");
  };

  return defineTool({
    name: "read_files",
    description:
      "Reads several files, or parts of them, in one call: whole, by lines, or one symbol of each. Use it when you know what " +
      "you need from more than one file; for a single file use read_file. Each part begins with a line " +
      `\`@@ path lines A-B of T @@\`; at most ${MAX_LINES} lines of each are shown. A file that cannot be read says why, and ` +
      "the others are read all the same.",
    schema: z.object({
      files: z
        .array(
          z.object({
            path: z.string().min(1).describe("A file below /workspace/."),
            start_line: z.number().int().min(1).optional().describe("Counted from 1."),
            end_line: z.number().int().min(1).optional(),
            symbol: z.string().min(1).optional().describe('Only this symbol: "parse" or "Parser.parse".'),
          }),
        )
        .min(1)
        .max(20),
    }),
    effects: ["fs.read"],
    idempotent: true,
    // One file of several that is missing does not make the call a failure.
    outcome: "returned",
    async run({ files }, { signal }) {
      const parts = await Promise.all(
        files.map((wanted) =>
          readOne(wanted, signal).catch((error: unknown) => {
            signal?.throwIfAborted();
            return `@@ ${wanted.path} @@\n[not read: ${error instanceof Error ? error.message : String(error)}]`;
          }),
        ),
      );
      return parts.join("\n\n");
    },
  });
};

/** The tool that finds files by name, without those that .gitignore names. */
export const createFindFilesTool = (search: TextSearchPort): StructuredTool =>
  defineTool({
    name: "find_files",
    description:
      "Finds files of the workspace by name with .gitignore-style globs, in order of path, leaving out what .gitignore names. " +
      "Use it where glob would list build output and dependencies. To find what is in files use ripgrep_search.",
    schema: z.object({
      globs: z
        .array(z.string().min(1))
        .min(1)
        .describe('For instance ["*.test.ts"], ["src/**/*.ts", "!*.d.ts"].'),
      path: z.string().optional().describe("Directory below /workspace/; default all of it."),
      include_ignored: z.boolean().optional().describe("Also what .gitignore names; default false."),
      include_hidden: z.boolean().optional().describe("Also names that begin with a dot; default false."),
    }),
    effects: ["fs.read"],
    idempotent: true,
    async run({ globs, path, include_ignored, include_hidden }, { signal }) {
      const query = {
        globs,
        ignore: !(include_ignored ?? false),
        hidden: include_hidden ?? false,
        ...(path === undefined ? {} : { paths: [toHostPath(path)] }),
      };
      const call = signal ? { signal } : {};
      const readable = readsEverything()
        ? (await search.files({ ...query, maxFiles: MAX_LISTED + 1 }, call)).files
        : await readableFiles(search, query, call);
      const files = readable.slice(0, MAX_LISTED).map(toVirtualPath);
      const truncated = readable.length > files.length;
      const more = truncated ? [`[only the first ${MAX_LISTED}: use closer globs]`] : [];
      return {
        content: [...(files.length === 0 ? ["No files."] : files), ...more].join("\n"),
        artifact: { files, truncated },
      };
    },
  });

/** The tool that shows a directory as a tree. */
export const createListFilesTool = (backend: ToolFiles): StructuredTool => {
  const walk = async (directory: string, depth: number, lines: string[], indent: string): Promise<void> => {
    const { error, files } = await backend.ls(directory);
    if (error !== undefined) throw new ToolInputError(error);
    const entries = [...(files ?? [])]
      .filter(({ path }) => mayRead(path.replace(/\/$/, "")))
      .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    for (const { path, is_dir, size } of entries) {
      if (lines.length > MAX_LISTED) return;
      const name = path.replace(/\/$/, "").split("/").at(-1) ?? path;
      const isDirectory = is_dir === true;
      lines.push(`${indent}${name}${isDirectory ? "/" : size === undefined ? "" : ` (${size} bytes)`}`);
      if (isDirectory && depth > 1 && name !== ".git" && name !== "node_modules")
        await walk(path.endsWith("/") ? path : `${path}/`, depth - 1, lines, `${indent}  `);
    }
  };
  return defineTool({
    name: "list_files",
    description:
      "Shows a directory as a tree, with sizes, several levels at once. Use it to get to know a project; use ls for one level " +
      "and glob for names. It does not look into .git and node_modules.",
    schema: z.object({
      path: z.string().optional().describe("Directory below /workspace/; default /workspace/."),
      depth: z.number().int().min(1).max(6).optional().describe("Levels shown; default 2."),
    }),
    effects: ["fs.read"],
    idempotent: true,
    async run({ path, depth = 2 }) {
      const directory = toVirtualPath(toHostPath(path ?? "."));
      checkReadable(directory.replace(/\/$/, ""));
      const lines: string[] = [];
      await walk(directory.endsWith("/") ? directory : `${directory}/`, depth, lines, "");
      const cut = lines.length > MAX_LISTED;
      if (cut) lines.length = MAX_LISTED;
      return [
        directory,
        ...(lines.length === 0 ? ["It is empty."] : lines),
        ...(cut ? ["[there is more: choose a directory below]"] : []),
      ].join("\n");
    },
  });
};
