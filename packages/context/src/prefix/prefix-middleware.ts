import { SystemMessage, type BaseMessage, type HumanMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { createMiddleware, type AgentMiddleware } from "langchain";
import { z } from "zod";
import { compactionState, notHidden } from "../compaction/event.js";
import { isHuman } from "../compaction/messages.js";
import { withTextBehind } from "../message-text.js";
import { conversationOf } from "../namespace.js";
import { CHARS_PER_TOKEN } from "../tokens.js";
import { isTrailing } from "../trailing/turn-context.js";
import { isControlFlow, reasonOf, warnWith, type OnWarning } from "../warn.js";
import { composeChanges, composePrefix, knownNow, toldBy, type LoadedSource } from "./compose.js";
import type { PrefixSection, PrefixSource } from "./source.js";

export interface ContextPrefixOptions {
  /** In the order in which they stand in the prompt. */
  readonly sources: readonly PrefixSource[];
  /** Told when a source could not be read; the model call goes on without it. */
  readonly onWarning?: OnWarning;
}

/** Turns whose sources are remembered in memory; a forgotten one is read again, to the same effect. */
const MAX_TURNS = 200;
const noticeSchema = z.object({ after: z.string(), text: z.string() });
const storedSchema = z.object({
  prefix: z.string(),
  told: z.record(z.string(), z.string()),
  notices: z.array(noticeSchema),
});
type Stored = z.infer<typeof storedSchema>;

const stateSchema = z.object({
  // deepagents' own memory middleware keeps its texts under this name, and it is the one such key that a delegate is not
  // given (deepagents 1.14): a delegate has its own head, and two of them in parallel must not write one channel. Where that
  // middleware is there too, the key is its.
  memoryContents: z.unknown().optional(),
  _summarizationEvent: compactionState.shape._summarizationEvent,
});

/** @throws {TypeError} when a source of somebody else's gave something else. */
const checked = (sections: unknown): readonly PrefixSection[] => {
  const isSection = (value: unknown): boolean => {
    const { id, text } = (value ?? {}) as Partial<Record<keyof PrefixSection, unknown>>;
    return typeof id === "string" && typeof text === "string";
  };
  if (!Array.isArray(sections) || !sections.every(isSection))
    throw new TypeError("it gave something else than a list of { id, text }");
  return sections as PrefixSection[];
};

/** What somebody said: no summary, and no note for one call, whichever order the middleware stands in. */
const isSaid = (message: BaseMessage): message is HumanMessage =>
  isHuman(message) &&
  message.id !== undefined &&
  !isTrailing(message) &&
  message.additional_kwargs?.["lc_source"] === undefined;

/** The changes, each behind the message that was the last one when it was seen: there it stays, and so do the bytes. */
const withNotices = (messages: readonly BaseMessage[], notices: Stored["notices"]): BaseMessage[] =>
  messages.map((message) => {
    const own = notices.filter(({ after }) => after === message.id);
    if (own.length === 0 || !isHuman(message)) return message;
    return withTextBehind(
      message,
      `<context-changed>\n${own.map(({ text }) => text).join("\n\n")}\n</context-changed>`,
    );
  });

/**
 * Puts what the agent should know from the start (instructions, memories, skills) at the end of the system prompt, and
 * keeps those bytes for the whole conversation: a provider bills a prefix anew when one byte of it moves. What changes
 * later is said once, behind the user's message of the turn in which it was seen, and stays there. The head is written
 * anew only after a compaction has moved what came behind it anyway, or when the changes have become longer than the sources
 * together may be.
 *
 * What a conversation was told is kept in its state, so that it is the same after a restart, on another machine and on a
 * branch. A wrap hook only; it fails open.
 *
 * @example
 * ```ts
 * import { contextPrefixMiddleware, instructionFiles, backendFiles } from "@fiveseam/context";
 * import { StateBackend } from "deepagents";
 *
 * const middleware = contextPrefixMiddleware({
 *   sources: [instructionFiles({ files: backendFiles(new StateBackend()), root: "/workspace/" })],
 * });
 * ```
 */
export const contextPrefixMiddleware = (options: ContextPrefixOptions): AgentMiddleware => {
  const warn = warnWith(options.onWarning);
  const turns = new Map<string, LoadedSource[]>();
  const maxNoticeChars = options.sources.reduce((sum, { maxTokens }) => sum + maxTokens, 0) * CHARS_PER_TOKEN;

  const load = (signal: AbortSignal | undefined): Promise<LoadedSource[]> =>
    Promise.all(
      options.sources.map(async (source) => {
        try {
          const unreadable: string[] = [];
          const sections = checked(
            await source.load({
              signal,
              unreadable(id, error) {
                if (isControlFlow(error, signal)) throw error;
                unreadable.push(id);
                warn(
                  "source_unreadable",
                  `${source.title}: ${id} could not be read: ${reasonOf(error)}`,
                  error,
                );
              },
            }),
          );
          // Said here for the first time, so that what fails in it is that source's fault.
          composePrefix([{ source, sections }]);
          return { source, sections, unreadable };
        } catch (error) {
          if (isControlFlow(error, signal)) throw error;
          warn("source_unreadable", `${source.title} could not be read: ${reasonOf(error)}`, error);
          return undefined;
        }
      }),
    ).then((loaded) => loaded.filter((each) => each !== undefined));

  const forTurn = async (
    turn: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<LoadedSource[]> => {
    const known = turn === undefined ? undefined : turns.get(turn);
    if (known) return known;
    // Remembered when it is there: one that hangs until the run is stopped must not hang the next one too.
    const loaded = await load(signal);
    if (turn !== undefined) turns.set(turn, loaded);
    if (turns.size > MAX_TURNS) turns.delete(turns.keys().next().value as string);
    return loaded;
  };

  /** What the conversation is told from now on. */
  const next = (
    stored: Stored | undefined,
    loaded: LoadedSource[],
    messages: BaseMessage[],
    shown: ReadonlySet<string | undefined>,
  ): Stored => {
    const fresh = (): Stored => ({ prefix: composePrefix(loaded), told: toldBy(loaded), notices: [] });
    if (!stored) return fresh();
    if (
      stored.notices.some(({ after }) => !shown.has(after)) ||
      stored.notices.reduce((sum, { text }) => sum + text.length, 0) > maxNoticeChars
    )
      return fresh();
    // A source that cannot be read now says nothing of what it said before.
    const known = knownNow(stored.told, loaded);
    const text = composeChanges(known, loaded);
    const after = messages.findLast(isSaid)?.id;
    if (text === undefined || after === undefined) return stored;
    return {
      ...stored,
      told: {
        ...Object.fromEntries(Object.entries(stored.told).filter(([key]) => !(key in known))),
        ...toldBy(loaded),
      },
      notices: [...stored.notices, { after, text }],
    };
  };

  return createMiddleware({
    name: "FiveseamContextPrefix",
    stateSchema,
    wrapModelCall: async (request, handler) => {
      const { threadId, namespace } = conversationOf(request.runtime.configurable);
      const last = request.messages.findLast(isSaid);
      // A caller may use one message id in two threads.
      const turn = last?.id === undefined ? undefined : [threadId, namespace, last.id].join("\n");
      const { memoryContents, _summarizationEvent } = request.state;
      const parsed = storedSchema.safeParse(memoryContents);
      const stored = parsed.success ? parsed.data : undefined;
      const isOurs = parsed.success || memoryContents === undefined || memoryContents === null;
      if (!isOurs)
        warn(
          "source_unreadable",
          "The state key memoryContents is in use, by deepagents' `memory` option: the head of the prompt is made anew at each call. Use instructionFiles in its place.",
        );
      // Of the whole conversation, since a compaction may stand further in or further out.
      const shown = new Set(
        notHidden((request.state as { messages: BaseMessage[] }).messages, _summarizationEvent).map(
          ({ id }) => id,
        ),
      );
      const loaded = await forTurn(turn, request.runtime.signal);
      const told = next(stored, loaded, request.messages, shown);
      const result = await handler({
        ...request,
        messages: withNotices(request.messages, told.notices),
        ...(told.prefix === ""
          ? {}
          : { systemMessage: request.systemMessage.concat(new SystemMessage(`\n\n${told.prefix}`)) }),
      });
      // A Command would take the place of a structured answer (langchain 1.5); what was told is then worked out again.
      if (told === stored || !isOurs || "structuredResponse" in result) return result;
      return new Command({ update: { memoryContents: told } });
    },
  }) as unknown as AgentMiddleware;
};
