import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { PipelineError } from "../errors.js";
import { GENESIS, parseHead, readLine, type ChainedLine, type ChainHead } from "./chain.js";
import { activeFile, filesOf, headFile, laneNameOf, lanesIn, type Lane } from "./lane.js";

export type AuditFault = "changed" | "removed" | "inserted" | "moved";

export type AuditVerdict =
  | {
      readonly ok: true;
      /** Lines in all logs. */
      readonly lines: number;
      /** Logs whose last line was cut short by a crash; that line was never reported as written. */
      readonly torn: readonly string[];
    }
  | {
      readonly ok: false;
      readonly fault: AuditFault;
      /** Where it was found; for `removed`, the line that stands where the missing one was, or the one after the last. */
      readonly file: string;
      readonly line: number;
      readonly message: string;
    };

interface Place {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

interface Log {
  readonly places: readonly Place[];
  /** The last line, when it has no line break. */
  readonly torn: Place | undefined;
}

const readLog = (lane: Lane): Log => {
  const active = activeFile(lane);
  let torn: Place | undefined;
  const places = filesOf(lane).flatMap((file) => {
    const lines = readFileSync(file, "utf8").split("\n");
    const rest = lines.pop() ?? "";
    const found = lines.map((text, at): Place => ({ file, line: at + 1, text }));
    if (rest !== "") {
      const last = { file, line: lines.length + 1, text: rest };
      if (file === active) torn = last;
      else found.push(last);
    }
    return found;
  });
  return { places, torn };
};

type Found = { readonly fault: AuditFault; readonly at: number };

/** Where a line that is whole but out of its place comes from. */
const misplaced = (
  lines: readonly (ChainedLine | undefined)[],
  at: number,
  head: ChainHead,
  before: string,
): Found => {
  const line = lines[at] as ChainedLine;
  if (line.seq > head.seq + 1) {
    const later = lines.slice(at + 1).some((each) => each?.seq === head.seq + 1 && each.prev === head.hash);
    return { fault: later ? "moved" : "removed", at };
  }
  // The line says that another one stood before it: that one was written anew, hash and all.
  if (line.seq === head.seq + 1) return { fault: "changed", at: Math.max(0, at - 1) };
  if (line.seq === head.seq && line.prev === before && line.hash !== head.hash)
    return { fault: "inserted", at: at - 1 };
  return { fault: "inserted", at };
};

const firstFault = (lines: readonly (ChainedLine | undefined)[]): Found | undefined => {
  let head: ChainHead = { seq: 0, hash: GENESIS };
  let before = "";
  for (const [at, line] of lines.entries()) {
    if (!line) {
      const following = lines[at + 1];
      const foreign = following?.prev === head.hash && following.seq === head.seq + 1;
      return { fault: foreign ? "inserted" : "changed", at };
    }
    if (line.prev !== head.hash || line.seq !== head.seq + 1) return misplaced(lines, at, head, before);
    before = head.hash;
    head = line;
  }
  return undefined;
};

/** What the stored head knows of the end, which the chain alone cannot. */
const faultAtEnd = (
  lines: readonly (ChainedLine | undefined)[],
  head: ChainHead,
  torn: boolean,
): Found | undefined => {
  if (head.seq > lines.length) return { fault: torn ? "changed" : "removed", at: lines.length };
  if (head.seq > 0 && lines[head.seq - 1]?.hash !== head.hash) return { fault: "changed", at: head.seq - 1 };
  return undefined;
};

const SAYS: Readonly<Record<AuditFault, string>> = {
  changed: "is not as it was written",
  removed: "is missing",
  inserted: "was put in",
  moved: "stands in another place than it was written",
};

const MAX_LOOKS = 20;

/** Looks again when the log was rotated while it was read: the files that were read do not belong together then. */
const verifyLane = (lane: Lane, expected: ChainHead | undefined): AuditVerdict => {
  for (let look = 1; ; look += 1) {
    const before = filesOf(lane).join("\n");
    const verdict = lookAt(lane, expected);
    if (verdict !== undefined && (verdict.ok || filesOf(lane).join("\n") === before)) return verdict;
    if (look >= MAX_LOOKS) {
      if (verdict !== undefined) return verdict;
      throw new PipelineError("audit", `The log ${activeFile(lane)} is rotated faster than it can be read.`);
    }
  }
};

/** Undefined when a file was renamed while it was about to be read. */
const lookAt = (lane: Lane, expected: ChainHead | undefined): AuditVerdict | undefined => {
  try {
    return lookOnce(lane, expected);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
};

const lookOnce = (lane: Lane, expected: ChainHead | undefined): AuditVerdict => {
  // Before the log, since a writer that is at work writes the line first and the head after it.
  const stored = existsSync(headFile(lane)) ? parseHead(readFileSync(headFile(lane), "utf8")) : undefined;
  const { places, torn } = readLog(lane);
  const lines = places.map(({ text }) => readLine(text));
  let found = firstFault(lines);
  for (const head of [expected, stored]) if (head) found ??= faultAtEnd(lines, head, torn !== undefined);
  if (!found) return { ok: true, lines: lines.length, torn: torn ? [torn.file] : [] };
  const last = places.at(-1);
  const place = places[found.at] ??
    torn ?? { file: last?.file ?? activeFile(lane), line: (last?.line ?? 0) + 1, text: "" };
  return {
    ok: false,
    fault: found.fault,
    file: place.file,
    line: place.line,
    message: `${place.file}:${place.line}: the line ${SAYS[found.fault]}.`,
  };
};

/**
 * Checks audit logs of `fileAuditSink`: a folder with all its logs, or the log (with its rotated files) that a file belongs to.
 * Any single line changed, removed, inserted or moved is named. Who can write the folder can also write the whole chain and
 * its head anew; give the `head()` that was kept elsewhere as `expect` to notice that too.
 *
 * @throws {PipelineError} `audit` when there is no log at the path.
 *
 * @example
 * ```ts
 * import { verifyAuditLog } from "@fiveseam/tool-pipeline";
 *
 * const complaint = (path: string) => {
 *   const verdict = verifyAuditLog(path);
 *   return verdict.ok ? undefined : verdict.message;
 * };
 * ```
 */
export const verifyAuditLog = (path: string, options: { expect?: ChainHead } = {}): AuditVerdict => {
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  const directory = isFolder ? path : dirname(path);
  const own = laneNameOf(basename(path));
  const names = isFolder ? lanesIn(path) : own !== undefined && existsSync(path) ? [own] : [];
  if (names.length === 0) throw new PipelineError("audit", `There is no audit log at ${path}.`);
  if (options.expect && names.length > 1) {
    throw new PipelineError("audit", "`expect` is the head of one log: give that log's file.");
  }
  let lines = 0;
  const torn: string[] = [];
  for (const name of names) {
    const verdict = verifyLane({ directory, name }, options.expect);
    if (!verdict.ok) return verdict;
    lines += verdict.lines;
    torn.push(...verdict.torn);
  }
  return { ok: true, lines, torn };
};
