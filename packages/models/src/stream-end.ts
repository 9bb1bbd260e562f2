interface Piece {
  readonly generationInfo?: Readonly<Record<string, unknown>> | undefined;
  readonly message?: {
    readonly response_metadata?: Readonly<Record<string, unknown>>;
    readonly additional_kwargs?: Readonly<Record<string, unknown>>;
    readonly tool_call_chunks?: readonly { readonly index?: number; readonly args?: string }[];
  };
}

/** Where the clients put a vendor's word that the answer is over: OpenAI's and its copies', Anthropic's, Google's. */
const WORDS = ["finish_reason", "stop_reason", "finishReason"];
/** The Responses API says it by the status of the whole. */
const RESPONSES_ENDS = new Set(["completed", "incomplete"]);

const says = (holder: Readonly<Record<string, unknown>> | undefined): boolean =>
  holder !== undefined &&
  (WORDS.some((word) => typeof holder[word] === "string") || RESPONSES_ENDS.has(String(holder["status"])));

/** Servers of whoever's making may leave the word out. */
const LAX = new Set(["local", "scripted"]);

/**
 * Whether a streamed answer came to its end. A proxy may close the connection cleanly half way, and every client takes
 * what it has for the whole: half a sentence, or half the arguments of a tool call, which LangChain then completes to
 * something that parses.
 */
export class StreamEnd {
  #announced = false;
  readonly #args = new Map<number, string>();

  see(piece: unknown): void {
    const { generationInfo, message } = (piece ?? {}) as Piece;
    this.#announced ||=
      says(generationInfo) || says(message?.response_metadata) || says(message?.additional_kwargs);
    for (const { index = 0, args = "" } of message?.tool_call_chunks ?? [])
      this.#args.set(index, (this.#args.get(index) ?? "") + args);
  }

  /** For a provider that says when an answer is over, whether it did; for others, whether its tool calls are whole. */
  isWhole(provider: string, isOurs: boolean): boolean {
    if (this.#announced) return true;
    if (isOurs && !LAX.has(provider)) return false;
    return [...this.#args.values()].every((args) => args === "" || parses(args));
  }
}

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
