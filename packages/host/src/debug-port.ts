import type { CallOptions } from "./call-options.js";

/** A thread of the program under the debugger. */
export interface DebugThread {
  readonly id: number;
  readonly name: string;
  readonly state: "running" | "stopped";
}

export interface DebugSession {
  readonly id: string;
  readonly name: string;
  /** The debug adapter: "pwa-node", "debugpy". */
  readonly type: string;
  readonly threads: readonly DebugThread[];
  /** Why it stands still: "breakpoint", "step", "exception", "pause". Absent while it runs. */
  readonly stopReason?: string;
}

export interface DebugFrame {
  readonly id: number;
  readonly name: string;
  readonly path?: string;
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
}

export interface DebugStack {
  readonly frames: readonly DebugFrame[];
  readonly truncated: boolean;
}

export interface DebugVariable {
  readonly name: string;
  readonly value: string;
  readonly type?: string;
  /** Ask `variables` with this for what is inside; 0 when nothing is. */
  readonly reference: number;
}

export interface DebugVariables {
  readonly variables: readonly DebugVariable[];
  readonly truncated: boolean;
}

export interface DebugBreakpoint {
  readonly path: string;
  /** Counts from 1. */
  readonly line: number;
  readonly condition?: string;
}

/** What a start configuration is made of is the adapter's own; `name` alone picks one that the host knows. */
export interface DebugConfiguration {
  readonly name: string;
  readonly type?: string;
  readonly request?: "launch" | "attach";
  readonly settings?: Readonly<Record<string, unknown>>;
}

export type DebugStep = "next" | "stepIn" | "stepOut" | "continue" | "pause";

/** `session` may be left out: the active one is meant. */
export interface DebugCallOptions extends CallOptions {
  readonly session?: string;
}

/**
 * A debugger, in the words of the Debug Adapter Protocol. Where no session is active every call but `sessions`, `start`
 * and those about breakpoints is refused with "unavailable"; an unknown id with "not_found"; stack and variables of a
 * program that runs with "busy".
 */
export interface DebugPort {
  sessions(options?: CallOptions): Promise<readonly DebugSession[]>;
  start(configuration: DebugConfiguration, options?: CallOptions): Promise<DebugSession>;
  stop(options?: DebugCallOptions): Promise<void>;
  breakpoints(options?: CallOptions): Promise<readonly DebugBreakpoint[]>;
  /** Replaces all breakpoints of one file. */
  setBreakpoints(
    path: string,
    breakpoints: readonly Omit<DebugBreakpoint, "path">[],
    options?: CallOptions,
  ): Promise<readonly DebugBreakpoint[]>;
  /** Steps, goes on or halts, and resolves when the program stands still again, runs on, or has ended (`undefined`). */
  control(
    step: DebugStep,
    options?: DebugCallOptions & { readonly threadId?: number },
  ): Promise<DebugSession | undefined>;
  stack(
    options?: DebugCallOptions & { readonly threadId?: number; readonly maxFrames?: number },
  ): Promise<DebugStack>;
  /** The variables of a frame (the top one unless given), or what is inside of one. */
  variables(
    options?: DebugCallOptions & {
      readonly frameId?: number;
      readonly reference?: number;
      readonly maxVariables?: number;
    },
  ): Promise<DebugVariables>;
  /** Evaluates in a frame. It can change the program: it is no read. */
  evaluate(
    expression: string,
    options?: DebugCallOptions & { readonly frameId?: number },
  ): Promise<Omit<DebugVariable, "name">>;
}
