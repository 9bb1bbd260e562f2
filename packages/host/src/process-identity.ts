import { readFileSync, readlinkSync } from "node:fs";
import os from "node:os";

/** A process, told apart from a later one that got the same pid, and from those of other machines and containers. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** On Linux: the boot, and the start since then in clock ticks. */
  readonly started?: string;
  /** On Linux: a pid means nothing outside of its namespace. */
  readonly pidNamespace?: string;
}

const readable = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    // No /proc: another system than Linux, or a process that is gone.
    return undefined;
  }
};

/** `undefined` where it cannot be told, "dead" for a zombie: killed, not waited for yet, holding nothing any more. */
const startOf = (pid: number): string | undefined =>
  readable(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in parentheses, which may hold anything. `starttime` is the 22nd.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return "dead";
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}/${fields[19]}`;
  });

const namespace = (): string | undefined => readable(() => readlinkSync("/proc/self/ns/pid"));

export const thisProcess = (): ProcessIdentity => {
  const started = startOf(process.pid);
  const pidNamespace = namespace();
  return {
    pid: process.pid,
    host: os.hostname(),
    ...(started === undefined ? {} : { started }),
    ...(pidNamespace === undefined ? {} : { pidNamespace }),
  };
};

/** "unknown": it cannot be seen from here. */
export const stateOf = (identity: ProcessIdentity): "alive" | "dead" | "unknown" => {
  if (identity.host !== os.hostname() || identity.pidNamespace !== namespace()) return "unknown";
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return "dead";
  }
  const started = startOf(identity.pid);
  const same = started === undefined || identity.started === undefined || started === identity.started;
  return same ? "alive" : "dead";
};
