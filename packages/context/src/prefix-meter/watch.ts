import { AsyncLocalStorage } from "node:async_hooks";
import type { AgentMiddleware } from "langchain";
import { handedOn, type ModelRequest, type WrapModelCall } from "./model-request.js";
import type { Observation, Snapshot } from "./observation.js";

interface Seen {
  name: string;
  before: Snapshot;
  after?: Snapshot;
  open: boolean;
}

/** One model call on its way through the watched middleware. */
class Passage {
  readonly seen = new Map<string, Seen>();
  #parts: readonly unknown[] = [];
  #snapshot: Snapshot | undefined;

  /** Most middleware hands a request on as it is, so that its snapshot is the one before. */
  snapshot(request: ModelRequest, take: (request: ModelRequest) => Snapshot): Snapshot {
    const { systemMessage, toolChoice, modelSettings, tools, messages } = request;
    const parts = [systemMessage, toolChoice, modelSettings, tools.length, ...tools, ...messages];
    const same = parts.length === this.#parts.length && parts.every((part, at) => part === this.#parts[at]);
    if (same && this.#snapshot) return this.#snapshot;
    this.#snapshot = take(request);
    this.#parts = parts;
    return this.#snapshot;
  }
}

/** Sees requests before and after each watched middleware. */
export class Watcher {
  readonly #passages = new AsyncLocalStorage<Passage>();
  readonly #take: (request: ModelRequest) => Snapshot;
  readonly #onFault: (error: unknown) => void;
  #lists = 0;

  constructor(take: (request: ModelRequest) => Snapshot, onFault: (error: unknown) => void) {
    this.#take = take;
    this.#onFault = onFault;
  }

  /** What the watched middleware did to the request that is being sent, outermost first. */
  observations(): Observation[] {
    const passage = this.#passages.getStore();
    if (!passage) return [];
    return [...passage.seen].flatMap(([key, { name, before, after }]) =>
      after ? [{ key, name, before, after }] : [],
    );
  }

  /** The same list, with the model call hook of each member watched. */
  watch<const T extends readonly AgentMiddleware[]>(list: T): T {
    this.#lists += 1;
    const prefix = this.#lists;
    return list.map((member, at) => this.#watched(member, `${prefix}.${at}`)) as unknown as T;
  }

  #watched(member: AgentMiddleware, key: string): AgentMiddleware {
    const { name, wrapModelCall: original } = member;
    if (!original) return member;
    const wrapModelCall: WrapModelCall = (request, handler) => {
      const outer = this.#passages.getStore();
      // The same middleware already under way means a call within a call: another agent, another request.
      const passage = outer && !outer.seen.get(key)?.open ? outer : new Passage();
      const seen = this.#safely(() => {
        const entry: Seen = { name, before: passage.snapshot(request, this.#take), open: true };
        passage.seen.set(key, entry);
        return entry;
      });
      const watched: typeof handler = (given) => {
        this.#safely(() => {
          if (seen) seen.after = passage.snapshot(handedOn(request, given), this.#take);
        });
        return handler(given);
      };
      return this.#passages.run(passage, async () => {
        try {
          return await original.call(member, request, watched);
        } finally {
          if (seen) seen.open = false;
        }
      });
    };
    // Copied with its prototype and its symbols: langchain knows its middleware by one.
    const copy = Object.create(
      Object.getPrototypeOf(member) as object,
      Object.getOwnPropertyDescriptors(member),
    );
    return Object.defineProperty(copy, "wrapModelCall", {
      value: wrapModelCall,
      enumerable: true,
      configurable: true,
      writable: true,
    }) as AgentMiddleware;
  }

  #safely<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      this.#onFault(error);
      return undefined;
    }
  }
}
