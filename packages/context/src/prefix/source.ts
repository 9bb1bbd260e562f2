/** A piece of what the model is told at the head of every conversation. */
export interface PrefixSection {
  /** What it is known by in its source: a path, a key, a name. */
  readonly id: string;
  /** All of it, as the model reads it. Must not depend on the time or on anything else that moves by itself. */
  readonly text: string;
}

/** What a source is asked with. */
export interface PrefixLoad {
  readonly signal?: AbortSignal | undefined;
  /**
   * Says that one section could not be read, so that only that one is left out; an id with "/" at its end stands for all that
   * begin with it. What was told of it before still counts.
   */
  readonly unreadable?: ((id: string, error: unknown) => void) | undefined;
}

/**
 * Where a part of the prompt's head comes from: project instructions, memories, the index of skills, something of the
 * product's own. Asked once a user turn.
 */
export interface PrefixSource {
  /** The heading over its sections. */
  readonly title: string;
  /** One or two sentences under the heading that say what to do with them. */
  readonly intro?: string;
  /** Most tokens of all its sections together, at four characters a token; what is cut says so. */
  readonly maxTokens: number;
  /** Where the whole of a section is to be had when it was cut: "the whole file is at /workspace/AGENTS.md". */
  whole?(section: PrefixSection): string;
  /** The sections as they are now, in an order that does not change by itself. What it throws leaves all of them out. */
  load(call: PrefixLoad): Promise<readonly PrefixSection[]>;
}
