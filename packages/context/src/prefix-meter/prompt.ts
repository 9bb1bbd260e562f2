import { createHash } from "node:crypto";
import type { CountTokens } from "./tokens.js";
import { blockTokens } from "./tokens.js";

/** The part of a prompt, in the order in which providers render them. */
export type PromptZone = "tools" | "system" | "messages";

/** One block of a prompt: a tool, a system block, a content block of a message, or parameters that act like one. */
export interface PromptSegment {
  where: PromptZone;
  /** Index of the tool, the system block or the message in what was sent. */
  index: number;
  kind: "block" | "parameters";
  /** Name of the tool, role of the message. */
  label: string;
  /** What a provider compares, as a digest. */
  digest: string;
  /** What a reader is shown. */
  text: string;
  tokens: number;
  messageId?: string;
  /** There is a cache mark at the end of this block; `lifetime` as the request names it. */
  mark?: { lifetime?: string };
}

/** A request as a provider's cache sees it. */
export interface Prompt {
  provider: "anthropic" | "openai";
  model: string;
  /** What keeps caches apart: provider, model, key parameters. */
  seed: string;
  segments: readonly PromptSegment[];
  /** Marks that the request asked for, the automatic one included. */
  marks: number;
  /** The lifetime that the request names for all it keeps. */
  lifetime?: string;
}

/** How blocks are counted. */
export interface Counting {
  countTokens: CountTokens;
  imageTokens: number;
}

export const digestOf = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 22);

/** A segment for a block; `shown` is its text where the block is only a text. */
export const segmentOf = (
  given: Pick<PromptSegment, "where" | "index" | "label"> & {
    block: unknown;
    shown?: string;
    messageId?: string | undefined;
    mark?: { lifetime?: string } | undefined;
  },
  counting: Counting,
): PromptSegment => {
  const json = JSON.stringify(given.block) ?? "";
  return {
    where: given.where,
    index: given.index,
    kind: "block",
    label: given.label,
    digest: digestOf(`${given.where}\n${given.label}\n${json}`),
    text: given.shown ?? json,
    tokens: blockTokens(given.block, counting.countTokens, counting.imageTokens),
    ...(given.messageId === undefined ? {} : { messageId: given.messageId }),
    ...(given.mark === undefined ? {} : { mark: given.mark }),
  };
};

/** Parameters that invalidate what follows them, as a segment of no tokens. */
export const parametersOf = (
  where: "system" | "messages",
  values: Readonly<Record<string, unknown>>,
): PromptSegment => {
  const text = JSON.stringify(values);
  return {
    where,
    index: 0,
    kind: "parameters",
    label: "parameters",
    digest: digestOf(text),
    text,
    tokens: 0,
  };
};

/** The prompt with a mark on its last markable block, unless that one is marked already. */
export const markLast = (
  segments: readonly PromptSegment[],
  lifetime: string | undefined,
  markable: (segment: PromptSegment) => boolean = () => true,
): PromptSegment[] => {
  const last = segments.findLastIndex((segment) => segment.kind === "block" && markable(segment));
  return segments.map((segment, index) =>
    index === last && segment.mark === undefined
      ? { ...segment, mark: lifetime === undefined ? {} : { lifetime } }
      : segment,
  );
};
