import type { TextSearchFile, TextSearchPort, TextSearchQuery, TextSearchResult } from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { readableFiles } from "./readable-files.js";
import { readsEverything, toHostPath, toVirtualPath } from "./workspace-paths.js";

const DEFAULT_RESULTS = 100;
const MAX_RESULTS = 1_000;
const MAX_COLUMNS = 300;

const fileLines = ({ path, lines, matchCount }: TextSearchFile): string[] => {
  let last: number | undefined;
  const shown: string[] = [];
  for (const line of lines) {
    if (last !== undefined && line.lineNumber > last + 1 && lines.some(({ kind }) => kind === "context"))
      shown.push("  --");
    last = line.lineNumber;
    const cut = line.textStart > 0 ? "…" : "";
    const more = line.lineLength > line.textStart + line.text.length ? "…" : "";
    shown.push(`  ${line.lineNumber}${line.kind === "match" ? ":" : "-"} ${cut}${line.text}${more}`);
  }
  const hits = lines.filter(({ kind }) => kind === "match").length;
  const left = matchCount > hits ? ` (${hits} of ${matchCount} matching lines)` : "";
  return [`${toVirtualPath(path)}${left}`, ...shown];
};

const limitNotes: Readonly<Record<TextSearchResult["limits"][number], string>> = {
  maxMatches: "there are more matches: narrow the search with `path`, `globs` or a longer pattern",
  maxMatchesPerFile: "some files have more matches than are shown",
  maxColumns: "… marks lines that were cut",
};

const NOTHING: TextSearchResult = {
  files: [],
  matchCount: 0,
  binaryFileCount: 0,
  truncated: false,
  limits: [],
  engine: "none",
};

/** The tool that searches the contents of files. */
export const createRipgrepSearchTool = (port: TextSearchPort): StructuredTool =>
  defineTool({
    name: "ripgrep_search",
    description:
      "Searches the contents of the workspace's files with ripgrep and returns the matching lines by file, with line " +
      "numbers. Use it to find where a name, a text or an error message occurs; it honours .gitignore and skips hidden " +
      "and binary files unless told otherwise. Use glob to find files by name, and read_file to read one that is known. " +
      "A pattern is literal text unless `regex` is true; it never spans lines. When an answer was cut it says so: " +
      "narrow the search instead of repeating it.",
    schema: z.object({
      pattern: z.string().min(1).describe("Text to find, or a regular expression with `regex`."),
      regex: z.boolean().optional().describe("Read the pattern as a regular expression; default false."),
      path: z
        .string()
        .optional()
        .describe("File or directory to search, below /workspace/; default all of it."),
      globs: z
        .array(z.string().min(1))
        .optional()
        .describe('Files to keep, as in .gitignore: ["*.ts", "!*.test.ts"], ["src/**"].'),
      case_sensitive: z.boolean().optional().describe("Default true."),
      word: z.boolean().optional().describe("Whole words only; default false."),
      context: z
        .number()
        .int()
        .min(0)
        .max(20)
        .optional()
        .describe("Lines shown around each match; default 0."),
      include_ignored: z.boolean().optional().describe("Also what .gitignore names; default false."),
      include_hidden: z.boolean().optional().describe("Also names that begin with a dot; default false."),
      max_results: z
        .number()
        .int()
        .min(1)
        .max(MAX_RESULTS)
        .optional()
        .describe(`Matching lines returned; default ${DEFAULT_RESULTS}.`),
    }),
    effects: ["fs.read"],
    idempotent: true,
    async run(args, { signal }) {
      const query: TextSearchQuery = {
        pattern: args.pattern,
        regex: args.regex ?? false,
        caseSensitive: args.case_sensitive ?? true,
        word: args.word ?? false,
        hidden: args.include_hidden ?? false,
        ignore: !(args.include_ignored ?? false),
        maxMatches: args.max_results ?? DEFAULT_RESULTS,
        maxColumns: MAX_COLUMNS,
        beforeContext: args.context ?? 0,
        afterContext: args.context ?? 0,
        ...(args.path === undefined ? {} : { paths: [toHostPath(args.path)] }),
        ...(args.globs === undefined ? {} : { globs: args.globs }),
      };
      const call = signal ? { signal } : {};
      // What the caller may not read is not there for it: it is left out before anything is searched, counted or cut.
      const paths = readsEverything() ? query.paths : await readableFiles(port, query, call);
      const result =
        paths?.length === 0 ? NOTHING : await port.search({ ...query, ...(paths ? { paths } : {}) }, call);
      const files = result.files;
      const matches = files.flatMap(({ lines }) => lines.filter(({ kind }) => kind === "match")).length;
      const notes = [
        ...result.limits.map((limit) => `[${limitNotes[limit]}]`),
        ...(result.binaryFileCount > 0 ? [`[${result.binaryFileCount} binary file(s) match too]`] : []),
      ];
      const artifact = result;
      if (files.length === 0) return { content: ["No matches.", ...notes].join("\n"), artifact };
      const summary = `${matches} matching line${matches === 1 ? "" : "s"} in ${files.length} file${files.length === 1 ? "" : "s"}`;
      return { content: [summary, ...files.flatMap(fileLines), ...notes].join("\n"), artifact };
    },
  });
