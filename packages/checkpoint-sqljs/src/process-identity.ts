import { readFileSync, readlinkSync } from "node:fs";
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
  /** On Linux the pid namespace, for instance of a container: a pid says nothing outside it. Absent elsewhere. */
  readonly pidNamespace?: string;
  /** Unique for each time a lock is taken. */
  readonly nonce: string;
}

/** What tells a live holder from a dead one. Injected, so that tests can play other hosts and recycled pids. */
export interface ProcessTable {
  readonly self: Omit<LockHolder, "nonce">;
  /** "unknown": a process that cannot be seen from here, on another machine or in another container. */
  judge(holder: LockHolder): "alive" | "dead" | "unknown";
}

/** The process table of the machine. */
export const systemProcesses = (): ProcessTable => {
  const host = hostname();
  const started = startOf(process.pid);
  const pidNamespace = namespaceOf();
  return {
    self: {
      pid: process.pid,
      host,
      ...(started === undefined ? {} : { started }),
      ...(pidNamespace === undefined ? {} : { pidNamespace }),
    },
    judge(holder) {
      if (holder.host !== host || holder.pidNamespace !== pidNamespace) return "unknown";
      if (!pidExists(holder.pid)) return "dead";
      const now = startOf(holder.pid);
      return holder.started === undefined || now === undefined || holder.started === now ? "alive" : "dead";
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

const namespaceOf = (): string | undefined => {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined;
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
