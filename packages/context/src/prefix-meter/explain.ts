import type { Comparison } from "./account.js";
import { excerpts } from "./excerpt.js";
import { isObject } from "./json.js";
import type { PromptSegment } from "./prompt.js";
import type { PrefixMove } from "./report.js";

/** A distributive Omit, so that the union stays one. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** A move without the one who made it, which the watched middleware tells. */
export type Unattributed = Without<PrefixMove, "origin" | "middleware">;

const place = (
  segment: PromptSegment | undefined,
  before: PromptSegment | undefined,
  after: PromptSegment | undefined,
): Pick<PrefixMove, "where" | "index" | "before" | "after" | "message"> => ({
  where: segment?.where ?? "messages",
  index: segment?.index ?? 0,
  ...excerpts(before?.text ?? "", after?.text ?? ""),
  ...(segment?.where === "messages" && segment.kind === "block"
    ? {
        message: {
          type: segment.label,
          ...(segment.messageId === undefined ? {} : { id: segment.messageId }),
        },
      }
    : {}),
});

const changedParameters = (before: string, after: string): string[] => {
  const [a, b] = [JSON.parse(before) as unknown, JSON.parse(after) as unknown];
  if (!isObject(a) || !isObject(b)) return [];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]),
  );
};

const toolMove = (
  { before, now }: Comparison,
  was: PromptSegment | undefined,
  is: PromptSegment | undefined,
): Unattributed => {
  const names = (segments: readonly PromptSegment[]): Set<string> =>
    new Set(segments.filter(({ where }) => where === "tools").map(({ label }) => label));
  const [old, current] = [names(before.segments), names(now.segments)];
  const was_ = was?.where === "tools" ? was : undefined;
  const is_ = is?.where === "tools" ? is : undefined;
  if (was_ && !current.has(was_.label))
    return { cause: "tool_removed", tool: was_.label, ...place(was_, was_, is_) };
  if (is_ && !old.has(is_.label)) return { cause: "tool_added", tool: is_.label, ...place(is_, was_, is_) };
  const same = was_?.label === is_?.label;
  const shown = is_ ?? was_;
  return {
    cause: same ? "tool_changed" : "tool_order",
    tool: shown?.label ?? "",
    ...place(shown, was_, is_),
  };
};

const messagesOf = (segments: readonly PromptSegment[], from: number): number =>
  new Set(
    segments
      .slice(from)
      .filter(({ where, kind }) => where === "messages" && kind === "block")
      .map(({ index }) => index),
  ).size;

const messageMove = ({ before, now, common }: Comparison): Unattributed => {
  const [was, is] = [before.segments[common], now.segments[common]];
  const at = place(is ?? was, was, is);
  if (!is) return { cause: "message_removed", ...at };
  const later = new Map(before.segments.slice(common).map(({ digest }, offset) => [digest, common + offset]));
  const rejoins = now.segments.findIndex((segment, index) => index >= common && later.has(segment.digest));
  const rejoined = rejoins === -1 ? undefined : later.get(now.segments[rejoins]?.digest ?? "");
  if (rejoins === common) return { cause: "message_removed", ...at };
  const gone =
    rejoined === undefined
      ? messagesOf(before.segments, common)
      : messagesOf(before.segments.slice(0, rejoined), common);
  const came =
    rejoined === undefined
      ? messagesOf(now.segments, common)
      : messagesOf(now.segments.slice(0, rejoins), common);
  return { cause: gone > came ? "summary" : "message_changed", ...at };
};

const contentMove = (comparison: Comparison): Unattributed => {
  const { before, now, common } = comparison;
  const [was, is] = [before.segments[common], now.segments[common]];
  if (was?.where === "tools" || is?.where === "tools") return toolMove(comparison, was, is);
  const [wasSystem, isSystem] = [was, is].map((each) => each?.where === "system");
  if (was?.kind === "parameters" && is?.kind === "parameters" && was.where === is.where)
    return {
      cause: "parameters",
      parameters: changedParameters(was.text, is.text),
      ...place(is, was, is),
    };
  if (wasSystem || isSystem) {
    const [old, current] = [wasSystem ? was : undefined, isSystem ? is : undefined];
    return { cause: "system_changed", ...place(current ?? old, old, current) };
  }
  return messageMove(comparison);
};

/**
 * True when what differs was the last message of the request before and another speaker's message is in its place: it
 * was made for one call, as a trailing note is.
 */
const isTransient = ({ before, now, common }: Comparison): boolean => {
  const [was, is] = [before.segments[common], now.segments[common]];
  return (
    was?.where === "messages" &&
    was.kind === "block" &&
    was.index === before.segments.at(-1)?.index &&
    is !== undefined &&
    is.label !== was.label
  );
};

const providerMove = ({ before, now, served, rules, common }: Comparison): Unattributed | undefined => {
  const first = now.segments.slice(served.reusedSegments).find(({ kind }) => kind === "block");
  const at = place(first, undefined, first);
  if (served.refused) return { cause: "mark_limit", marks: now.marks, maxMarks: rules.maxMarks, ...at };
  if (before.seed !== now.seed)
    return { cause: "cache_key_changed", ...at, ...excerpts(before.seed, now.seed) };
  if (served.expired && served.expired.segments <= common) {
    const { idleMs, lifetimeMs } = served.expired;
    return { cause: "expired", idleMs, lifetimeMs, ...at };
  }
  if (served.outOfReach && Number.isFinite(served.outOfReach.blocks))
    return { cause: "lookback", blocks: served.outOfReach.blocks, maxBlocks: rules.lookbackBlocks, ...at };
  return undefined;
};

/** Names the first thing that made tokens be billed again. */
export const explain = (comparison: Comparison): Unattributed => {
  const { before, now, served, rules, common } = comparison;
  const byProvider = providerMove(comparison);
  if (byProvider) return byProvider;
  const differs = common < before.segments.length;
  if (differs && before.keptSegments > common && !isTransient(comparison)) return contentMove(comparison);
  const first = now.segments.slice(served.reusedSegments).find(({ kind }) => kind === "block");
  if (before.keptSegments > common && isTransient(comparison)) {
    const note = before.segments[common];
    return { cause: "mark_missing", transient: true, ...place(note, note, now.segments[common]) };
  }
  const markedUpTo =
    rules.matching === "steps"
      ? before.segments.length
      : before.segments.findLastIndex(({ mark }) => mark !== undefined) + 1;
  const prefixTokens = before.segments.slice(0, markedUpTo).reduce((sum, { tokens }) => sum + tokens, 0);
  if (markedUpTo > 0 && prefixTokens < rules.minTokens)
    return {
      cause: "below_minimum",
      prefixTokens,
      minTokens: rules.minTokens,
      ...place(first, undefined, first),
    };
  return { cause: "mark_missing", transient: false, ...place(first, undefined, first) };
};
