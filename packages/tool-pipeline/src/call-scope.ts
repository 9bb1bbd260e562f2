import { AsyncLocalStorage } from "node:async_hooks";
import type { PipelineCall } from "./call.js";
import type { Rights } from "./rights/rights.js";

/** Who is calling, as backends and ports see it while a tool runs. */
export interface CurrentCall {
  readonly id: string;
  readonly toolName: string;
  readonly threadId: string | undefined;
  readonly namespace: string;
  readonly agent: string | undefined;
  readonly role: string | undefined;
  readonly rights: Rights;
  readonly signal: AbortSignal | undefined;
}

/** How an operation inside a call ended, from whoever knows it best. */
export type OutcomeReport =
  | {
      readonly ok: true;
      /** Not all of the answer is there: it is not to be cached. */ readonly truncated?: boolean;
    }
  | {
      readonly ok: false;
      /** A short word for programs, such as `not_found` or `conflict`. */
      readonly kind: string;
      /** What the model is told instead of the tool's own text. */
      readonly message?: string;
      /** It may go better in a moment, so the call may be repeated if its tool allows that. */
      readonly transient?: boolean;
    };

/** A scope with what the pipeline keeps in it. */
export interface Scope {
  readonly call: CurrentCall;
  /** The call as the pipeline was given it. */
  readonly whole: PipelineCall;
  /** How many answers of the user's this attempt at the call has had. */
  readonly answers: { count: number };
  readonly pipeline: object;
  readonly outer: Scope | undefined;
  report: OutcomeReport | undefined;
}

// One for the process, whichever builds and copies of this package are loaded: a backend may have another copy than the
// pipeline that opens the scope.
const STORAGE = Symbol.for("fiveseam.call-scope.1");

const storage = (): AsyncLocalStorage<Scope> => {
  const global = globalThis as { [STORAGE]?: AsyncLocalStorage<Scope> };
  return (global[STORAGE] ??= new AsyncLocalStorage<Scope>());
};

export const currentScope = (): Scope | undefined => storage().getStore();

export const openScope = <T>(call: PipelineCall, pipeline: object, inside: () => T): T => {
  const { id, toolName, threadId, namespace, agent, role, rights, signal } = call;
  const current: CurrentCall = { id, toolName, threadId, namespace, agent, role, rights, signal };
  const scope: Scope = {
    call: current,
    whole: call,
    answers: { count: 0 },
    pipeline,
    outer: currentScope(),
    report: undefined,
  };
  return storage().run(scope, inside);
};

/** Runs something as the same call with other rights. */
export const withRightsInScope = <T>(rights: Rights, inside: () => T): T => {
  const scope = currentScope();
  if (!scope) return inside();
  const inner: Scope = { ...scope, call: { ...scope.call, rights }, outer: scope };
  return storage().run(inner, () => {
    const result = inside();
    // What is reported inside is about the call that everybody knows.
    if (result instanceof Promise)
      return result.finally(() => (scope.report = inner.report ?? scope.report)) as T;
    scope.report = inner.report ?? scope.report;
    return result;
  });
};

/** True when this very call is on its way through the pipeline already. */
export const isOnItsWay = (pipeline: object, id: string | undefined, toolName: string): boolean => {
  let scope = currentScope();
  while (scope?.call.toolName === toolName && (id === undefined || scope.call.id === id)) {
    if (scope.pipeline === pipeline) return true;
    scope = scope.outer;
  }
  return false;
};

/**
 * The tool call that the caller runs in, the innermost one when a delegate's tool runs inside `task`; undefined outside
 * any. For backends, ports and whatever else a tool reaches without being told who asks.
 *
 * @example
 * ```ts
 * import { covers, currentCall } from "@fiveseam/tool-pipeline";
 *
 * const mayWrite = (path: string) => {
 *   const call = currentCall();
 *   return call === undefined || covers(call.rights, { write: path });
 * };
 * ```
 */
export const currentCall = (): CurrentCall | undefined => currentScope()?.call;

/**
 * Says how an operation of the current call ended. The last report of a call counts: with `ok: false` its result becomes
 * an error ToolMessage of that kind, unless the tool is declared with `outcome: "returned"`. deepagents' file tools answer
 * a failed operation with plain text and status success, so a backend has no other way to say so. Does nothing outside a
 * call.
 *
 * @example
 * ```ts
 * import { reportOutcome } from "@fiveseam/tool-pipeline";
 *
 * reportOutcome({ ok: false, kind: "not_found" });
 * ```
 */
export const reportOutcome = (report: OutcomeReport): void => {
  const scope = currentScope();
  if (scope) scope.report = report;
};
