import type {
  DebugBreakpoint,
  DebugConfiguration,
  DebugFrame,
  DebugPort,
  DebugSession,
  DebugVariable,
} from "../debug-port.js";
import { HostError } from "../errors.js";

/** Where the program stands still, and what is seen there. */
export interface FakeDebugStop {
  readonly reason: string;
  readonly frames: readonly DebugFrame[];
  /** By frame id. */
  readonly variables?: Readonly<Record<number, readonly DebugVariable[]>>;
  /** What is inside of a variable, by its reference. */
  readonly inside?: Readonly<Record<number, readonly DebugVariable[]>>;
  /** Results by expression. */
  readonly evaluations?: Readonly<Record<string, string>>;
}

/**
 * A debugger of a program that stops where the script says: each step but "pause" goes on to the next stop, and after
 * the last one the program ends.
 */
export const createFakeDebug = (stops: readonly FakeDebugStop[]): DebugPort => {
  let at = -1;
  let session: Omit<DebugSession, "threads" | "stopReason"> | undefined;
  let count = 0;
  const breakpoints = new Map<string, readonly DebugBreakpoint[]>();

  const shown = (): DebugSession | undefined => {
    const stop = stops[at];
    if (!session) return undefined;
    const threads = [{ id: 1, name: "main", state: stop ? ("stopped" as const) : ("running" as const) }];
    return { ...session, threads, ...(stop ? { stopReason: stop.reason } : {}) };
  };
  const stopped = (options: { session?: string; threadId?: number } = {}): FakeDebugStop => {
    if (!session) throw new HostError("unavailable", "no debug session is active; start one first");
    if (options.session !== undefined && options.session !== session.id)
      throw new HostError("not_found", `there is no debug session "${options.session}"`);
    if (options.threadId !== undefined && options.threadId !== 1)
      throw new HostError("not_found", `there is no thread ${options.threadId}`);
    const stop = stops[at];
    if (!stop) throw new HostError("busy", "the program runs; pause it first");
    return stop;
  };
  const end = (): void => {
    session = undefined;
    at = -1;
  };
  const frameOf = (stop: FakeDebugStop, frameId: number | undefined): number => {
    const id = frameId ?? stop.frames[0]?.id ?? 0;
    if (!stop.frames.some((frame) => frame.id === id))
      throw new HostError("not_found", `there is no frame ${id}`);
    return id;
  };

  return {
    async sessions({ signal } = {}) {
      signal?.throwIfAborted();
      const one = shown();
      return one ? [one] : [];
    },
    async start(configuration: DebugConfiguration, { signal } = {}) {
      signal?.throwIfAborted();
      if (session) throw new HostError("busy", "a debug session is active; stop it first");
      count += 1;
      session = { id: `session-${count}`, name: configuration.name, type: configuration.type ?? "fake" };
      at = 0;
      return shown() as DebugSession;
    },
    async stop({ signal, ...options } = {}) {
      signal?.throwIfAborted();
      if (session && stops[at] === undefined) return end();
      stopped(options);
      end();
    },
    async breakpoints({ signal } = {}) {
      signal?.throwIfAborted();
      return [...breakpoints.values()].flat();
    },
    async setBreakpoints(path, given, { signal } = {}) {
      signal?.throwIfAborted();
      const set = given.map((each) => ({ ...each, path }));
      breakpoints.set(path, set);
      return set;
    },
    async control(step, { signal, ...options } = {}) {
      signal?.throwIfAborted();
      stopped(options);
      if (step === "pause") return shown();
      at += 1;
      if (at >= stops.length) end();
      return shown();
    },
    async stack({ signal, maxFrames = 50, ...options } = {}) {
      signal?.throwIfAborted();
      const { frames } = stopped(options);
      return { frames: frames.slice(0, maxFrames), truncated: frames.length > maxFrames };
    },
    async variables({ signal, frameId, reference, maxVariables = 100, ...options } = {}) {
      signal?.throwIfAborted();
      const stop = stopped(options);
      const frame = frameOf(stop, frameId);
      const all = reference === undefined ? (stop.variables?.[frame] ?? []) : stop.inside?.[reference];
      if (!all) throw new HostError("not_found", `nothing is known under reference ${reference}`);
      return { variables: all.slice(0, maxVariables), truncated: all.length > maxVariables };
    },
    async evaluate(expression, { signal, frameId, ...options } = {}) {
      signal?.throwIfAborted();
      const stop = stopped(options);
      frameOf(stop, frameId);
      const known = stop.evaluations ?? {};
      const value = Object.hasOwn(known, expression) ? known[expression] : undefined;
      if (value === undefined) throw new HostError("failed", `the script has no value for ${expression}`);
      return { value, reference: 0 };
    },
  };
};
