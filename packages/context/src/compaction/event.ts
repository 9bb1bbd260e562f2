import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { z } from "zod";

/**
 * Where a conversation was compacted. The keys and the first three fields are deepagents' own (1.14): its forks read them,
 * and it hands them to no other delegate, for indexes mean nothing in another list of messages.
 */
const eventSchema = z.object({
  /** Messages before it are in the summary. */
  cutoffIndex: z.number(),
  summaryMessage: z.custom<HumanMessage>((value) => HumanMessage.isInstance(value)),
  /** Where what was taken out can be read; null when it could not be kept. */
  filePath: z.string().nullable(),
  /** Results of tools before this index are shown as removed. */
  strippedBefore: z.number().optional(),
  /** Results that are not stripped are cut to so many characters. */
  clippedTo: z.number().optional(),
  /** Messages before it are in a history file. */
  keptBefore: z.number().optional(),
  /** The id of the last message before the cutoff, where it has one. */
  lastHidden: z.string().optional(),
  /** How many messages there were. */
  at: z.number().optional(),
  tier: z.union([z.literal(1), z.literal(2), z.literal(3)]).optional(),
});

export type CompactionEvent = z.infer<typeof eventSchema>;

export const compactionState = z.object({
  _summarizationEvent: eventSchema.optional(),
  _summarizationSessionId: z.string().optional(),
});

/**
 * The event, when the messages are those that it was made for: a branch may be shorter than that, and messages may have been
 * taken out or put in place of others since.
 */
export const eventInForce = (
  event: CompactionEvent | undefined,
  messages: readonly BaseMessage[],
): CompactionEvent | undefined => {
  if (!event) return undefined;
  const { cutoffIndex, lastHidden } = event;
  const stands =
    cutoffIndex <= messages.length &&
    (lastHidden === undefined || messages[cutoffIndex - 1]?.id === lastHidden);
  return stands ? event : undefined;
};

/** The messages of a conversation that a compaction has not hidden. */
export const notHidden = (
  messages: readonly BaseMessage[],
  event: CompactionEvent | undefined,
): readonly BaseMessage[] => messages.slice(eventInForce(event, messages)?.cutoffIndex ?? 0);
