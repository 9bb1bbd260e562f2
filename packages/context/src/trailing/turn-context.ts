import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { createMiddleware, type AgentMiddleware } from "langchain";
import { conversationOf, type Conversation } from "../namespace.js";
import { CHARS_PER_TOKEN, fitting } from "../tokens.js";
import { isControlFlow, reasonOf, warnWith, type OnWarning } from "../warn.js";

/** What a note may look at. */
export interface TurnNoteCall extends Conversation {
  /** LangGraph's runtime context, as the host gave it to the run. */
  readonly context: unknown;
  /** The messages as the model is about to see them. */
  readonly messages: readonly BaseMessage[];
  readonly signal: AbortSignal | undefined;
}

/** Something that is true only now: the time, the open file, diagnostics. */
export interface TurnNote {
  /** Stands over its text. */
  readonly name: string;
  /** Most tokens, at four characters a token; default 500. */
  readonly maxTokens?: number;
  /** The text for this call, or undefined for nothing. */
  write(call: TurnNoteCall): string | undefined | Promise<string | undefined>;
}

export interface TurnContextOptions {
  readonly notes: readonly TurnNote[];
  readonly onWarning?: OnWarning;
}

/** On the message made for one call, so that no cache mark is spent on it. */
export const TRAILING = "fiveseam_trailing";

export const isTrailing = (message: BaseMessage | undefined): boolean =>
  message?.additional_kwargs?.[TRAILING] === true;

/**
 * Tells the model what is true only now, in a message behind all others that is made for one call and never stored: in
 * state it would be out of date at the next call, and anywhere before the end it would move the prefix that providers
 * bill. A wrap hook only; a note that fails is left out.
 *
 * @example
 * ```ts
 * import { turnContextMiddleware } from "@fiveseam/context";
 *
 * const middleware = turnContextMiddleware({
 *   notes: [{ name: "time", write: () => new Date().toISOString() }],
 * });
 * ```
 */
export const turnContextMiddleware = ({ notes, onWarning }: TurnContextOptions): AgentMiddleware => {
  const warn = warnWith(onWarning);

  const written = async (note: TurnNote, call: TurnNoteCall): Promise<string[]> => {
    const { name, maxTokens = 500 } = note;
    try {
      const text = (await note.write(call))?.trim();
      if (!text) return [];
      const shown = fitting(text, maxTokens * CHARS_PER_TOKEN);
      return [
        `[${name}]\n${shown}${shown.length < text.length ? `\n[cut here to fit ${maxTokens} tokens]` : ""}`,
      ];
    } catch (error) {
      if (isControlFlow(error, call.signal)) throw error;
      warn("note_failed", `The note "${name}" was left out: ${reasonOf(error)}`, error);
      return [];
    }
  };

  return createMiddleware({
    name: "FiveseamTurnContext",
    wrapModelCall: async (request, handler) => {
      const call: TurnNoteCall = {
        ...conversationOf(request.runtime.configurable),
        context: request.runtime.context,
        messages: request.messages,
        signal: request.runtime.signal,
      };
      const texts = (await Promise.all(notes.map((note) => written(note, call)))).flat();
      if (texts.length === 0) return handler(request);
      const note = new HumanMessage({
        content: `<now>\nFor this moment, not from the user:\n\n${texts.join("\n\n")}\n</now>`,
        additional_kwargs: { [TRAILING]: true, lc_source: "turn_context" },
      });
      return handler({ ...request, messages: [...request.messages, note] });
    },
  }) as AgentMiddleware;
};
