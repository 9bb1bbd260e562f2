import { ToolMessage } from "@langchain/core/messages";
import { canonicalJson } from "../canonical-json.js";
import { currentScope } from "../call-scope.js";
import type { Layer, Next, PipelineCall, ToolResult } from "../call.js";
import { copyOf, isTruncated, outcomeOf } from "../outcomes.js";
import { changesWorld, processEpoch } from "./world-epoch.js";

/** What tells one state of a file from another. */
export interface FileStamp {
  readonly inode: number | bigint;
  readonly sizeBytes: number | bigint;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

export interface DedupOptions {
  /**
   * Looks at a virtual path that a tool declared in `paths`: its stamp, or undefined when nothing is there. Without it no
   * tool with the effect `fs.read` is cached.
   */
  stat?: (path: string) => Promise<FileStamp | undefined>;
  /** Names what the virtual paths stand for, so that two workspaces in one process share nothing; default "". */
  root?: string;
  /** Results kept; default 500. The least recently used goes first. */
  maxEntries?: number;
  /** Longest result kept, in characters; default 200,000. */
  maxResultChars?: number;
  /** How long an answer of a tool with the effect `net` is kept; default 300,000. */
  maxNetAgeMs?: number;
  /** Milliseconds since 1970, on the clock of the files' times; default `Date.now`. */
  nowMs?: () => number;
}

interface Entry {
  readonly epoch: number;
  readonly stamps: string;
  readonly message: ToolMessage;
  readonly keptMs: number;
}

interface Flight {
  readonly epoch: number;
  readonly done: Promise<ToolMessage | undefined>;
}

/**
 * A file changed twice within the resolution of its times looks unchanged (4 ms on ext4, 2 s on FAT), so an answer that was
 * read from a file younger than this is not kept. Git does the same with its index.
 */
const YOUNG_MS = 2_500;

/** Tools are told apart by their declarations, each of which belongs to one tool: two agents may have one of a name each. */
const numbers = new WeakMap<object, number>();
let last = 0;
const numberOf = (declaration: object): number => {
  let number = numbers.get(declaration);
  if (number === undefined) {
    last += 1;
    number = last;
    numbers.set(declaration, number);
  }
  return number;
};

/** What may be kept and shared: a whole answer of a tool that ran and succeeded. */
const shareable = (result: ToolResult, maxChars: number): ToolMessage | undefined => {
  if (!ToolMessage.isInstance(result) || result.status === "error" || outcomeOf(result) !== undefined)
    return undefined;
  const report = currentScope()?.report;
  if (isTruncated(result) || (report?.ok === true && report.truncated === true)) return undefined;
  const length =
    typeof result.content === "string" ? result.content.length : JSON.stringify(result.content).length;
  return length <= maxChars ? copyOf(result, {}) : undefined;
};

const untilAborted = async <T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (!signal) return promise;
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_resolve, reject) => {
        stop = () => reject(signal.reason as Error);
        signal.addEventListener("abort", stop, { once: true });
      }),
    ]);
  } finally {
    if (stop) signal.removeEventListener("abort", stop);
  }
};

/**
 * The layer that answers a call from an equal one before it, for tools declared `cacheable`. Equal is: the very tool, thread,
 * arguments in canonical form, rights, root. Nothing outlives a write, a command or an undeclared tool anywhere in the process, and the
 * paths that the answer was read from are looked at again before it is given.
 */
export const dedup = (options: DedupOptions = {}): Layer => {
  const { stat, root = "", maxEntries = 500, maxResultChars = 200_000 } = options;
  const { maxNetAgeMs = 300_000, nowMs = Date.now } = options;
  const epoch = processEpoch();
  const entries = new Map<string, Entry>();
  const flights = new Map<string, Flight>();

  /** The paths to look at, or undefined when the answer cannot be checked and so is not kept. */
  const pathsOf = (call: PipelineCall): readonly string[] | undefined => {
    const { declaration } = call;
    if (declaration.cacheable !== true || changesWorld(declaration.effects) || !call.toolExists)
      return undefined;
    if (!declaration.effects.includes("fs.read")) return [];
    if (!stat || !declaration.paths) return undefined;
    try {
      return [...declaration.paths(call.args)];
    } catch {
      // Wrong arguments, which the tool itself will complain of.
      return undefined;
    }
  };

  /** All stamps as one text; undefined when a file is too young to be told from its next state. */
  const stampsOf = async (paths: readonly string[]): Promise<string | undefined> => {
    const stamps: string[] = [];
    const now = nowMs();
    for (const path of paths) {
      const stamp = await stat?.(path);
      if (stamp && Math.abs(now - Math.max(stamp.mtimeMs, stamp.ctimeMs)) < YOUNG_MS) return undefined;
      stamps.push(
        stamp ? `${stamp.inode}:${stamp.sizeBytes}:${stamp.mtimeMs}:${stamp.ctimeMs}` : "nothing is there",
      );
    }
    return stamps.join("\n");
  };

  const keep = (key: string, entry: Entry): void => {
    entries.delete(key);
    entries.set(key, entry);
    if (entries.size > maxEntries) entries.delete(entries.keys().next().value as string);
  };

  /** Runs the call; resolves `done` with what others may have of it. */
  const run = async (
    key: string,
    before: { at: number; stamps: string },
    paths: readonly string[],
    invoke: () => Promise<ToolResult>,
  ): Promise<ToolResult> => {
    let settle: (message: ToolMessage | undefined) => void = () => undefined;
    const flight: Flight = { epoch: before.at, done: new Promise((resolve) => (settle = resolve)) };
    flights.set(key, flight);
    let shared: ToolMessage | undefined;
    try {
      const result = await invoke();
      const message = shareable(result, maxResultChars);
      if (
        message &&
        epoch.now === before.at &&
        (await stampsOf(paths)) === before.stamps &&
        epoch.now === before.at
      ) {
        shared = message;
        keep(key, { epoch: before.at, stamps: before.stamps, message, keptMs: nowMs() });
      }
      return result;
    } finally {
      if (flights.get(key) === flight) flights.delete(key);
      settle(shared);
    }
  };

  const changing = async (call: PipelineCall, next: Next): Promise<ToolResult> => {
    const end = epoch.begin();
    try {
      return await next(call);
    } finally {
      end();
    }
  };

  const cached = async (call: PipelineCall, paths: readonly string[], next: Next): Promise<ToolResult> => {
    const at = epoch.now;
    const stamps = await stampsOf(paths);
    if (stamps === undefined) return next(call);
    const key = canonicalJson([
      root,
      call.threadId ?? "",
      call.toolName,
      numberOf(call.declaration),
      call.args,
      call.rights,
    ]);
    const entry = entries.get(key);
    // What comes over the net may be another tomorrow, and nothing here would notice.
    const old = entry && call.declaration.effects.includes("net") && nowMs() - entry.keptMs > maxNetAgeMs;
    if (entry && !old && entry.epoch === at && entry.stamps === stamps && epoch.now === at) {
      keep(key, entry);
      return copyOf(entry.message, { id: call.id, outcome: "cached" });
    }
    entries.delete(key);
    const flight = flights.get(key);
    if (flight && flight.epoch === at) {
      const message = await untilAborted(flight.done, call.signal);
      // The other one failed, was aborted or was overtaken by a change: this call runs itself.
      return message ? copyOf(message, { id: call.id, outcome: "cached" }) : next(call);
    }
    return run(key, { at, stamps }, paths, () => next(call));
  };

  return {
    name: "dedup",
    handle(call, next) {
      if (call.toolExists && changesWorld(call.declaration.effects)) return changing(call, next);
      const paths = pathsOf(call);
      return !paths || epoch.changing ? next(call) : cached(call, paths, next);
    },
  };
};
