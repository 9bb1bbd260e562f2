import { spawnSync, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

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
 * stays in its group as a zombie, and signal 0 still reaches it; only /proc tells (proc(5): after the last ")" come the
 * state, the parent and the group).
 */
const hasRunningMember = (group: number): boolean =>
  readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(pgrp) === group && state !== "Z" && state !== "X";
    } catch {
      // It ended while we looked.
      return false;
    }
  });

export const groupAlive = (child: ChildProcess): boolean => {
  if (windows || child.pid === undefined) return false;
  try {
    process.kill(-child.pid, 0);
  } catch {
    return false;
  }
  return process.platform === "linux" ? hasRunningMember(child.pid) : true;
};
