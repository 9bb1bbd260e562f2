import { textArg, type Step } from "./history.js";

/** How many lines one read asks for. Larger than the tool's default so that most files are one call. */
export const PAGE_LINES = 400;

/** What is known of a file from the reads so far: its lines from the first on, and whether the last one was reached. */
export interface KnownFile {
  readonly lines: readonly string[];
  readonly complete: boolean;
  /** The file could not be read; the tool's words. */
  readonly problem?: string;
}

// The total is missing when a backend does not know it. Notices of the tool stand above this line, never below.
const HEADER = /^@@ lines (\d+)-(\d+)(?: of (\d+))?( \| next offset \d+)?[^@\n]*@@\n?/m;

/** Adds the answer of one `read_file` to what is known of that file. */
export const withPage = (known: KnownFile | undefined, step: Step): KnownFile => {
  const text = step.result ?? "";
  if (step.failed) return { lines: [], complete: true, problem: text };
  const header = HEADER.exec(text);
  if (!header) return { lines: text.split("\n"), complete: true };
  const first = Number(header[1]);
  const last = Number(header[2]);
  const lines = text
    .slice(header.index + header[0].length)
    .split("\n")
    .slice(0, last - first + 1);
  const before = known && known.lines.length >= first - 1 ? known.lines.slice(0, first - 1) : [];
  // A page from the middle of a file that nobody read the start of is of no use here.
  if (before.length !== first - 1) return known ?? { lines: [], complete: false };
  return { lines: [...before, ...lines], complete: header[3] ? last >= Number(header[3]) : !header[4] };
};

/** The next `read_file` call for a file, or undefined when all of it is known. */
export const nextRead = (
  path: string,
  known: KnownFile | undefined,
): { name: "read_file"; args: { file_path: string; offset: number; limit: number } } | undefined =>
  known?.complete
    ? undefined
    : { name: "read_file", args: { file_path: path, offset: known?.lines.length ?? 0, limit: PAGE_LINES } };

/** Everything read in these steps, by path. */
export const filesRead = (steps: readonly Step[]): ReadonlyMap<string, KnownFile> => {
  const files = new Map<string, KnownFile>();
  for (const step of steps) {
    if (step.tool !== "read_file" || step.result === undefined) continue;
    const path = textArg(step, "file_path");
    files.set(path, withPage(files.get(path), step));
  }
  return files;
};
