import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { PipelineError } from "../errors.js";

/**
 * One writer's files in a folder: `audit.jsonl`, its lock, its head and its rotated files. A second process that is at work
 * in the folder at the same time takes the lane `audit-2`, and so on: each file has one writer, and nothing interleaves.
 */
export interface Lane {
  readonly directory: string;
  readonly name: string;
}

const MAX_LANES = 1_000;

export const activeFile = ({ directory, name }: Lane): string => join(directory, `${name}.jsonl`);
export const headFile = ({ directory, name }: Lane): string => join(directory, `${name}.head`);
const lockFile = ({ directory, name }: Lane): string => join(directory, `${name}.lock`);

export const rotatedFile = ({ directory, name }: Lane, number: number): string =>
  join(directory, `${name}.${String(number).padStart(6, "0")}.jsonl`);

const ROTATED = /^(audit(?:-\d+)?)\.(\d{6})\.jsonl$/;

/** The numbers of a lane's rotated files, the oldest first. */
export const rotatedNumbers = ({ directory, name }: Lane): number[] =>
  readdirSync(directory)
    .flatMap((file) => {
      const found = ROTATED.exec(file);
      return found?.[1] === name ? [Number(found[2])] : [];
    })
    .sort((a, b) => a - b);

/** The lane that a file belongs to by its name, or undefined. */
export const laneNameOf = (file: string): string | undefined =>
  (ROTATED.exec(file) ?? /^(audit(?:-\d+)?)\.(?:jsonl|head)$/.exec(file))?.[1];

interface Owner {
  readonly host: string;
  readonly pid: number;
  readonly started: string;
  /** Of the pid, "" where there are none: two containers may share a host name and a number. */
  readonly namespace: string;
}

const pidNamespace = (): string => {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
};

/** How long the lock of a process that cannot be seen must have stood still before its lane is free. */
export const UNSEEN_MS = 15 * 60_000;
/** How often a writer shows that it is at work. */
export const TOUCH_MS = 60_000;

/** When a process started, so that a number that was given out again is not taken for it; "" where that is not known. */
const startOf = (pid: number): string => {
  try {
    // The 22nd field of proc(5)'s stat; the second may contain spaces and ends with the last ")".
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ")[19] ?? "";
  } catch {
    return "";
  }
};

const isGone = (owner: Owner, lock: string): boolean => {
  // Another machine on a shared folder, or another container, cannot be asked: its lock is looked at for signs of life.
  if (owner.host !== hostname() || (owner.namespace !== "" && owner.namespace !== pidNamespace())) {
    try {
      return Date.now() - statSync(lock).mtimeMs > UNSEEN_MS;
    } catch {
      return false;
    }
  }
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
  const started = startOf(owner.pid);
  return started !== "" && owner.started !== "" && started !== owner.started;
};

const createOnly = (file: string, text: string): boolean => {
  let fd: number;
  try {
    fd = openSync(file, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
  return true;
};

const readOwner = (file: string): Owner | undefined => {
  try {
    const { host, pid, started, namespace = "" } = JSON.parse(readFileSync(file, "utf8")) as Partial<Owner>;
    return typeof host === "string" && typeof pid === "number" && typeof started === "string"
      ? { host, pid, started, namespace }
      : undefined;
  } catch {
    // Being written this moment, or removed: somebody is at work in this lane.
    return undefined;
  }
};

const self = (): Owner => ({
  host: hostname(),
  pid: process.pid,
  started: startOf(process.pid),
  namespace: pidNamespace(),
});

/** Shows that the writer of a lane is at work; false when the lane is somebody else's by now. */
export const keepLane = (lane: Lane): boolean => {
  const lock = lockFile(lane);
  const owner = readOwner(lock);
  if (!owner || JSON.stringify(owner) !== JSON.stringify(self())) return false;
  utimesSync(lock, new Date(), new Date());
  return true;
};

const take = (lane: Lane): boolean => {
  const lock = lockFile(lane);
  const mine = self();
  if (createOnly(lock, JSON.stringify(mine))) return true;
  const before = readOwner(lock);
  if (!before || !isGone(before, lock)) return false;
  // Only who holds this may remove the lock of a process that is gone, so two who both see it gone do not both take it, and
  // neither removes the other's new lock. Left behind by a crash in these lines, it costs a lane and nothing else.
  const reclaim = `${lock}.reclaim`;
  if (!createOnly(reclaim, "")) return false;
  try {
    const now = readOwner(lock);
    if (!now || !isGone(now, lock)) return false;
    rmSync(lock);
    return createOnly(lock, JSON.stringify(mine));
  } finally {
    rmSync(reclaim, { force: true });
  }
};

/** The first lane of the folder that nobody is at work in. */
export const takeLane = (directory: string): Lane => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (let number = 1; number <= MAX_LANES; number += 1) {
    const lane: Lane = { directory, name: number === 1 ? "audit" : `audit-${number}` };
    if (take(lane)) return lane;
  }
  throw new PipelineError("audit", `All ${MAX_LANES} audit logs in ${directory} are in use.`);
};

export const leaveLane = (lane: Lane): void => rmSync(lockFile(lane), { force: true });

/** The names of the lanes in a folder. */
export const lanesIn = (directory: string): string[] => [
  ...new Set(
    readdirSync(directory)
      .map(laneNameOf)
      .filter((name): name is string => name !== undefined),
  ),
];

/** A lane's files, the oldest first. */
export const filesOf = (lane: Lane): string[] => [
  ...rotatedNumbers(lane).map((number) => rotatedFile(lane, number)),
  ...(existsSync(activeFile(lane)) ? [activeFile(lane)] : []),
];
