import type { Part } from "./rope.js";

/** The checkpoint that writes belong to; undefined in a `put`, which comes after the reducers. */
export type Step = string | undefined;

interface Message {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
}

/** What a message was when it was written out, as far as it is cheap to compare. */
interface Entry extends Message {
  readonly part: Part;
  /** The step whose call wrote it out. */
  readonly step: Step;
  /** Not written out again. */
  readonly settled: boolean;
}

interface Group {
  readonly members: readonly object[];
  readonly entries: readonly Entry[];
  readonly part: Part;
}

/** By shape: two copies of LangChain in one program have two classes. */
export const isMessage = (value: object): boolean =>
  (value as { lc_serializable?: unknown }).lc_serializable === true &&
  typeof (value as { toJSON?: unknown }).toJSON === "function" &&
  (typeof (value as { _getType?: unknown })._getType === "function" ||
    typeof (value as { getType?: unknown }).getType === "function") &&
  "content" in value;

/**
 * Which message objects are stored already. LangGraph hands over the whole conversation at every step, in the same
 * objects; all but the newest need not be written out again.
 *
 * Trust is earned: the reducer sets the `id` of a message between `putWrites` and `put`, so a message is written out in
 * full until a `put` has had it, or until it came out the same in two steps (LangGraph runs ahead of a slow disk: then
 * writes of many steps come before the first put). Afterwards its id, name, content and tool calls are compared (by
 * reference); whoever changes anything else of an old message in place, or reaches into its content, is not noticed.
 */
export class MessageCache {
  readonly #entries = new WeakMap<object, Entry>();
  /** By the first message of the group; none of them is kept alive longer than that one. */
  readonly #groups = new WeakMap<object, Group>();

  known(message: object): Part | undefined {
    const entry = this.#entries.get(message);
    return entry && isTrusted(message, entry) ? entry.part : undefined;
  }

  remember(message: object, part: Part, step: Step): Part {
    const { id, name, content, tool_calls } = message as Message;
    const entry = this.#entries.get(message);
    const same = entry !== undefined && entry.part.text === part.text && sameParts(entry.part, part);
    // The same text again: keep the part, whose number is known.
    const kept = same ? entry.part : part;
    const settled = step === undefined || (same && entry.step !== step);
    this.#entries.set(message, { id, name, content, tool_calls, part: kept, step, settled });
    return kept;
  }

  /** The part for these elements of a list, if they are the messages of a known group and still trusted. */
  group(list: readonly unknown[], from: number, size: number): Part | undefined {
    const first = list[from];
    const group = typeof first === "object" && first !== null ? this.#groups.get(first) : undefined;
    if (!group || group.members.length !== size) return undefined;
    for (let index = 0; index < size; index += 1) {
      const message = list[from + index];
      const entry = group.entries[index]!;
      if (message !== group.members[index] || !isTrusted(message as object, entry)) return undefined;
    }
    return group.part;
  }

  rememberGroup(list: readonly unknown[], from: number, size: number, part: Part): void {
    const members: object[] = [];
    const entries: Entry[] = [];
    for (let index = from; index < from + size; index += 1) {
      const message = list[index];
      const entry = typeof message === "object" && message !== null ? this.#entries.get(message) : undefined;
      if (!entry?.settled) return;
      members.push(message as object);
      entries.push(entry);
    }
    this.#groups.set(members[0]!, { members, entries, part });
  }
}

const isTrusted = (message: Message, entry: Entry): boolean =>
  entry.settled &&
  message.id === entry.id &&
  message.name === entry.name &&
  message.content === entry.content &&
  message.tool_calls === entry.tool_calls;

const sameParts = (one: Part, other: Part): boolean =>
  one.children.length === other.children.length &&
  one.children.every((child, index) => child === other.children[index]);
