import type { AsyncLocalStorage } from "node:async_hooks";
import type { OutcomeReport } from "@fiveseam/tool-pipeline";

/** The scope that `@fiveseam/tool-pipeline` opens around a tool call; its name is part of that package's contract. */
const STORAGE = Symbol.for("fiveseam.call-scope.1");

interface Scope {
  readonly call: {
    readonly id: string;
    readonly agent: string | undefined;
    readonly namespace: string;
    readonly threadId: string | undefined;
  };
  report: OutcomeReport | undefined;
}

const storage = (): AsyncLocalStorage<Scope> | undefined =>
  (globalThis as { [STORAGE]?: AsyncLocalStorage<Scope> })[STORAGE];

const scope = (): Scope | undefined => storage()?.getStore();

/**
 * Says how an operation ended to the tool call that it belongs to: deepagents' file tools hand a backend's `error` on as text
 * with status success. Nothing happens outside a call.
 */
export const reportToCall = (report: OutcomeReport): void => {
  const current = scope();
  if (current) current.report = report;
};

/**
 * Does something whose outcome is not that of the tool call it is done in: looking whether a file is there, for instance.
 * Backends say there how an operation ended, and a call whose last operation failed is a failed call.
 *
 * @example
 * ```ts
 * import { unreported } from "@fiveseam/backends";
 * import type { BackendProtocolV2 } from "deepagents";
 *
 * const has = async (backend: BackendProtocolV2, path: string): Promise<boolean> =>
 *   (await unreported(() => backend.readRaw(path))).error === undefined;
 * ```
 */
export const unreported = async <T>(work: () => T | Promise<T>): Promise<T> => {
  const current = scope();
  // A report of its own, and not put back afterwards: others may be under way at the same time.
  return current
    ? await (storage() as AsyncLocalStorage<Scope>).run({ ...current, report: undefined }, async () => work())
    : await work();
};

/** The call that we are in; undefined outside any. */
export const callingStep = (): { id: string; threadId: string | undefined } | undefined => {
  const call = scope()?.call;
  return call && { id: call.id, threadId: call.threadId };
};

/** Who makes the call that we are in, and under which name a person knows them. */
export const callingAgent = (): { key: string; name: string } => {
  const call = scope()?.call;
  if (!call) return { key: "", name: "the agent" };
  // The last part of the namespace is the task of this step; what is before it stays the same for a delegate's life.
  const place = call.namespace.split("|").slice(0, -1).join("|");
  return { key: `${call.threadId ?? ""}\n${place}`, name: call.agent ?? "the agent" };
};
