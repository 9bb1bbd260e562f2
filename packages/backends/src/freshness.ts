import type { ReadResult } from "deepagents";
import { BackendError } from "./errors.js";
import { callingAgent } from "./workspace/call-report.js";
import type { ChangeGuard, GuardedBackend } from "./workspace/change-guard.js";
import { FileError } from "./workspace/file-error.js";
import { withGuard } from "./workspace/with-guard.js";

interface Change {
  readonly by: string;
  readonly hash: string | null;
}

const MAX_FILES = 20_000;

const remember = <V>(map: Map<string, V>, key: string, value: V): void => {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_FILES) map.delete(map.keys().next().value as string);
};

/**
 * What each agent has seen of which file, by the hash of its content. One for all agents that share files; in this process.
 */
export class FreshnessLedger {
  readonly #seen = new Map<string, string | null>();
  readonly #changes = new Map<string, Change>();

  /** The agent has this content before its eyes; null when it knows that there is no file. */
  saw(agent: string, file: string, hash: string | null): void {
    remember(this.#seen, `${agent}\n${file}`, hash);
  }

  /** What the agent saw last, undefined when it never looked. */
  seenBy(agent: string, file: string): string | null | undefined {
    return this.#seen.get(`${agent}\n${file}`);
  }

  changed(agent: string, name: string, file: string, hash: string | null): void {
    this.saw(agent, file, hash);
    remember(this.#changes, file, { by: name, hash });
  }

  /** A command changed it, whose agent has not seen the new content. */
  changedByCommand(name: string, file: string, hash: string | null): void {
    if (this.writerOf(file, hash) === undefined)
      remember(this.#changes, file, { by: `a command of ${name}`, hash });
  }
  /** Who wrote the content that is there now, when it was one of the agents. */
  writerOf(file: string, hash: string | null): string | undefined {
    const change = this.#changes.get(file);
    return change?.hash === hash ? change.by : undefined;
  }

  /** What the agent saw is no longer before its eyes: its conversation was compacted. */
  forget(agent: string): void {
    for (const key of this.#seen.keys()) if (key.startsWith(`${agent}\n`)) this.#seen.delete(key);
  }
}

export interface FreshnessOptions {
  readonly ledger: FreshnessLedger;
  /**
   * Who uses this backend; default the agent whose tool call is under way, as `@fiveseam/tool-pipeline` knows it.
   */
  readonly agent?: string;
  /** Refuse to change a file that was not read; default false. A new file needs no reading. */
  readonly requireRead?: boolean;
}

/**
 * Refuses a change that is based on another content than the one that is there: the file was read, and then changed by
 * somebody else, who is named when it was another agent. What another agent reads does not count as read by this one.
 *
 * @throws {BackendError} `invalid_option` when the backend cannot hold a file while it is looked at.
 *
 * @example
 * ```ts
 * import { FreshnessLedger, withFreshness, WorkspaceBackend } from "@fiveseam/backends";
 *
 * const ledger = new FreshnessLedger();
 * const files = withFreshness(new WorkspaceBackend({ root: process.cwd() }), { ledger });
 * ```
 */
export const withFreshness = (backend: GuardedBackend, options: FreshnessOptions): GuardedBackend => {
  if (backend.guarded !== true) {
    throw new BackendError(
      "invalid_option",
      "withFreshness needs a backend that is guarded (WorkspaceBackend, or a decorator of one): put it right around that.",
    );
  }
  const { ledger, requireRead = false } = options;
  const who = (): { key: string; name: string } =>
    options.agent === undefined ? callingAgent() : { key: options.agent, name: options.agent };

  const guard = (outer?: ChangeGuard): ChangeGuard => {
    const agent = who();
    return {
      ...(outer?.ready ? { ready: outer.ready.bind(outer) } : {}),
      async before(target) {
        await outer?.before?.(target);
        const { file } = target;
        const seen = ledger.seenBy(agent.key, file);
        if (seen === undefined && !requireRead) return;
        const now = await target.hash();
        if (seen === now) return;
        if (seen === undefined) {
          if (now === null) return;
          throw new FileError("stale", `${file} was not changed: you have not read it. Read it first.`);
        }
        const writer = ledger.writerOf(file, now);
        const by = writer === undefined ? "somebody outside (the user, a command)" : writer;
        throw new FileError(
          "stale",
          `${file} was not changed: ${by} has ${now === null ? "deleted" : "changed"} it since you read it. Read it again.`,
        );
      },
      after(receipt) {
        ledger.changed(agent.key, agent.name, receipt.file, receipt.hashAfter);
        outer?.after?.(receipt);
      },
    };
  };

  return {
    ...withGuard(backend, guard, (restricted) => withFreshness(restricted, options)),
    async record(changes) {
      const { name } = who();
      for (const { file, hashAfter } of changes) ledger.changedByCommand(name, file, hashAfter);
      await backend.record?.(changes);
    },
    async read(path, offset, limit) {
      const agent = who();
      const result: ReadResult & { metadata?: { file?: unknown; hash?: unknown } } = await backend.read(
        path,
        offset,
        limit,
      );
      const { file, hash } = result.metadata ?? {};
      if (typeof file === "string" && typeof hash === "string") ledger.saw(agent.key, file, hash);
      return result;
    },
  };
};
