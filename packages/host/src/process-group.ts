import { spawnSync, type ChildProcess } from "node:child_process";
import { processTable } from "./process-table.js";

export const windows = process.platform === "win32";

/** Signals the whole group of a detached child: on POSIX its process group, on Windows its tree. */
export const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return;
  if (windows) {
    spawnSync("taskkill", ["/pid", String(child.pid), "/T", "/F"], { stdio: "ignore" });
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // ESRCH: nothing of the group is left, which is what was wanted.
  }
};

/**
 * Whether a process of the group runs in truth. In a container without an init that reaps, a process that has died
 * stays in its group as a zombie, and signal 0 still reaches it; only the table of processes tells.
 */
const hasRunningMember = (pid: number): boolean => processTable().some(({ group }) => group === pid);

export const groupAlive = (child: ChildProcess): boolean => {
  if (windows || child.pid === undefined) return false;
  try {
    process.kill(-child.pid, 0);
  } catch {
    return false;
  }
  return process.platform === "linux" ? hasRunningMember(child.pid) : true;
};
