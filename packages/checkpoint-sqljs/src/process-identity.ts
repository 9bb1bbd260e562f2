import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** Who holds a lock, as written into the lock file. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /**
   * On Linux the boot id and the process's start in clock ticks since boot; a recycled pid has another one. Absent
   * elsewhere.
   */
  readonly started?: string;
  /** Unique for each time a lock is taken. */
  readonly nonce: string;
}

/** What tells a live holder from a dead one. Injected, so that tests can play other hosts and recycled pids. */
export interface ProcessTable {
  readonly self: Omit<LockHolder, "nonce">;
  /** False only when it is certain that the holder is gone. */
  isAlive(holder: LockHolder): boolean;
}

/** The process table of the machine. */
export const systemProcesses = (): ProcessTable => {
  const host = hostname();
  const started = startOf(process.pid);
  return {
    self: { pid: process.pid, host, ...(started === undefined ? {} : { started }) },
    isAlive(holder) {
      // From here nothing can be said about a process of another machine that shares the disk.
      if (holder.host !== host) return true;
      if (!pidExists(holder.pid)) return false;
      const now = startOf(holder.pid);
      return holder.started === undefined || now === undefined || holder.started === now;
    },
  };
};

const pidExists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
};

const startOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command in parentheses and may itself hold spaces and parentheses; `starttime` is field
    // 22. A zombie (field 3 is Z) holds no files any more, so it counts as another start.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return fields[0] === "Z" ? `${boot}/zombie` : `${boot}/${fields[19]}`;
  } catch {
    // Not Linux, or /proc is not mounted: only the pid counts.
    return undefined;
  }
};
