import type { BaseMessage } from "@langchain/core/messages";
import { expect } from "vitest";
import { checkNoOrphans, checkToolResult, type ToolResultPattern } from "../checks/message-checks.js";
import {
  checkAskedFor,
  checkFinished,
  checkNoErrors,
  checkOrder,
  checkRan,
  type EventPattern,
} from "../checks/run-checks.js";
import type { Equals, Verdict } from "../checks/verdict.js";
import { collectRun } from "../events/collect-run.js";
import type { RunEventLike } from "../events/run-event.js";

export type { EventPattern, ToolResultPattern };

/** A run under way is read to its end first. */
export type Matched<T> = T extends AsyncIterable<unknown> ? Promise<void> : void;

/**
 * What importing `@fiveseam/testing/vitest` adds to `expect`. Events may be a list, what `collectRun` gave, or a run under
 * way; with the last the matcher is a promise, to be awaited.
 *
 * @example
 * ```ts
 * import { expect } from "vitest";
 * import "@fiveseam/testing/vitest";
 *
 * const events = [{ type: "tool.started", callId: "c", tool: "ls", args: { path: "/" } }];
 * expect(events).toHaveRun("ls", { path: "/" });
 * ```
 */
export interface FiveseamMatchers<T = unknown> {
  /** A call of the tool began, in the main agent or a delegate; `args` may be a part of its arguments. */
  toHaveRun(tool: string, args?: Record<string, unknown>): Matched<T>;
  /** `run.finished` came, with this reason. */
  toHaveFinished(reason: string): Matched<T>;
  /** These events came in this order; others may stand between. */
  toHaveEventOrder(order: readonly EventPattern[]): Matched<T>;
  /** An approval was asked for a call of the tool. */
  toHaveAskedFor(tool: string): Matched<T>;
  /** No tool or delegate failed, and the run did not end with "failed" or "limit". */
  toHaveNoErrors(): Matched<T>;
  /** Of messages, or a state that holds them: every tool call is answered right after it, every result has its call. */
  toHaveNoOrphanToolCalls(): void;
  /** Of messages, or a state that holds them: the tool gave such a result. */
  toHaveToolResult(tool: string, result?: ToolResultPattern): void;
}

declare module "vitest" {
  // oxlint-disable-next-line typescript/no-explicit-any -- vitest's own declaration, which all must repeat
  interface Matchers<T = any> extends FiveseamMatchers<T> {}
}

interface State {
  equals(actual: unknown, expected: unknown, testers?: unknown[]): boolean;
  utils: { iterableEquality: unknown; subsetEquality: unknown };
}

const equalsOf =
  ({ equals, utils }: State): Equals =>
  (actual, expected) =>
    equals(actual, expected, [utils.iterableEquality, utils.subsetEquality]);

const isEvents = (value: unknown): value is readonly RunEventLike[] =>
  Array.isArray(value) && value.every((each) => typeof (each as RunEventLike | null)?.type === "string");

const isAsync = (value: unknown): value is AsyncIterable<RunEventLike> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

const fieldOf = (value: unknown, name: string): unknown =>
  // A list has a method `values`.
  typeof value === "object" && value !== null && !Array.isArray(value) && name in value
    ? (value as Record<string, unknown>)[name]
    : value;

const onEvents = (
  received: unknown,
  check: (events: readonly RunEventLike[]) => Verdict,
): Verdict | Promise<Verdict> => {
  if (isAsync(received)) return collectRun(received).then(({ events }) => check(events));
  const events = fieldOf(received, "events");
  if (isEvents(events)) return check(events);
  throw new TypeError("This matcher takes run events: a list of them, a collected run, or a run under way.");
};

const isMessages = (value: unknown): value is readonly BaseMessage[] =>
  Array.isArray(value) && value.every((each) => typeof (each as BaseMessage | null)?.getType === "function");

const onMessages = (received: unknown, check: (messages: readonly BaseMessage[]) => Verdict): Verdict => {
  // A state's snapshot, a state, or its messages.
  const messages = fieldOf(fieldOf(received, "values"), "messages");
  if (isMessages(messages)) return check(messages);
  throw new TypeError("This matcher takes LangChain messages: a list of them, or a state that holds them.");
};

expect.extend({
  toHaveRun(received: unknown, tool: string, args?: Record<string, unknown>) {
    return onEvents(received, (events) => checkRan(events, equalsOf(this as State), tool, args));
  },
  toHaveFinished: (received: unknown, reason: string) =>
    onEvents(received, (events) => checkFinished(events, reason)),
  toHaveEventOrder(received: unknown, order: readonly EventPattern[]) {
    return onEvents(received, (events) => checkOrder(events, equalsOf(this as State), order));
  },
  toHaveAskedFor: (received: unknown, tool: string) =>
    onEvents(received, (events) => checkAskedFor(events, tool)),
  toHaveNoErrors: (received: unknown) => onEvents(received, checkNoErrors),
  toHaveNoOrphanToolCalls: (received: unknown) => onMessages(received, checkNoOrphans),
  toHaveToolResult(received: unknown, tool: string, result?: ToolResultPattern) {
    return onMessages(received, (messages) =>
      checkToolResult(messages, equalsOf(this as State), tool, result),
    );
  },
});
