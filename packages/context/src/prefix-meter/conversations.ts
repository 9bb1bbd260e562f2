import { commonPrefix, type LastRequest } from "./account.js";
import type { Prompt, PromptSegment } from "./prompt.js";
import type { Observation } from "./observation.js";

/** A conversation's last request and what the watched middleware made of it. */
export interface Conversation {
  id: string;
  turns: number;
  last?: LastRequest;
  observations?: readonly Observation[];
}

/** Texts longer than this are kept for excerpts up to here; digests are of the whole. */
const MAX_TEXT_CHARS = 20_000;

/** Characters kept of one request, from its beginning. */
const MAX_REQUEST_CHARS = 1_000_000;

/** Keeps of the texts only what the caps allow. */
export const withinCaps = (segments: readonly PromptSegment[]): PromptSegment[] => {
  let left = MAX_REQUEST_CHARS;
  return segments.map((segment) => {
    const text = segment.text.slice(0, Math.min(MAX_TEXT_CHARS, left));
    left -= text.length;
    // A slice keeps the whole text alive in V8; a copy does not.
    return {
      ...segment,
      text: text.length < segment.text.length ? Buffer.from(text).toString() : segment.text,
    };
  });
};

const messageDigests = (segments: readonly PromptSegment[]): string[] =>
  segments.filter(({ where, kind }) => where === "messages" && kind === "block").map(({ digest }) => digest);

/** At most `maxConversations`, the longest unused forgotten first. */
export class Conversations {
  readonly #known = new Map<string, Conversation>();
  readonly #max: number;
  #made = 0;

  constructor(maxConversations: number) {
    this.#max = maxConversations;
  }

  /**
   * The conversation of a request. With a key (given, or LangGraph's thread and namespace) it is that one, unless the
   * request has nothing at all in common with it: then it is a side conversation, for instance a summary made within the
   * run. Without a key it is the one with a message in common, the longest common prefix first.
   */
  pick(key: string | undefined, given: boolean, prompt: Prompt): Conversation {
    if (key !== undefined && given) return this.#touch(key);
    const digests = new Set(
      prompt.segments.filter(({ kind }) => kind === "block").map(({ digest }) => digest),
    );
    const messages = new Set(messageDigests(prompt.segments));
    const prefix = key === undefined ? "conversation" : key;
    let best: { id: string; common: number } | undefined;
    let mine = 0;
    for (const { id, last } of this.#known.values()) {
      if (id !== prefix && !id.startsWith(`${prefix}#`)) continue;
      mine += 1;
      const theirs = last?.segments ?? [];
      const related =
        key === undefined
          ? messageDigests(theirs).some((digest) => messages.has(digest))
          : theirs.some(({ digest }) => digests.has(digest));
      const common = commonPrefix(theirs, prompt.segments);
      if (related && (best === undefined || common >= best.common)) best = { id, common };
    }
    if (best) return this.#touch(best.id);
    if (key !== undefined && mine === 0) return this.#touch(key);
    this.#made += 1;
    return this.#touch(`${prefix}#${this.#made}`);
  }

  #touch(id: string): Conversation {
    const found = this.#known.get(id) ?? { id, turns: 0 };
    this.#known.delete(id);
    this.#known.set(id, found);
    if (this.#known.size > this.#max) this.#known.delete(this.#known.keys().next().value as string);
    return found;
  }
}
