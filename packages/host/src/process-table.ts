import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  /** The session; on systems without /proc, where ps has no word for it, the group. */
  session: number;
}

/** All processes that run (a zombie does not). */
export const processTable = (): ProcessEntry[] =>
  process.platform === "linux" ? fromProc() : process.platform === "win32" ? [] : fromPs();

/** proc(5): after the last ")" come the state, the parent, the group and the session. */
const fromProc = (): ProcessEntry[] => {
  const found: ProcessEntry[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [state, parent, group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state === "Z" || state === "X") continue;
      found.push({
        pid: Number(name),
        parent: Number(parent),
        group: Number(group),
        session: Number(session),
      });
    } catch {
      // It ended while we looked.
    }
  }
  return found;
};

const fromPs = (): ProcessEntry[] =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat="], { encoding: "utf8", maxBuffer: 2 ** 24 })
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([pid, , , state]) => pid !== "" && !state?.startsWith("Z"))
    .map(([pid, parent, group]) => ({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: Number(group),
    }));

/**
 * Everything that belongs to the session that `leader` leads, by session or, while the leader lives, by descent: later
 * its number may be another's. The leader is left out.
 */
export const sessionMembers = (leader: number, leaderAlive: boolean): Set<number> => {
  const table = processTable();
  const members = new Set<number>(leaderAlive ? [leader] : []);
  for (let grown = true; grown;) {
    grown = false;
    for (const { pid, parent, session } of table) {
      if (members.has(pid) || !(session === leader || members.has(parent))) continue;
      members.add(pid);
      grown = true;
    }
  }
  members.delete(leader);
  return members;
};

/** Signals each; one that is gone meanwhile is what was wanted. */
export const signalAll = (pids: Iterable<number>, signal: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // EPERM: a program that has taken another user's rights is out of our reach.
      if (code !== "ESRCH" && code !== "EPERM") throw error;
    }
  }
};
