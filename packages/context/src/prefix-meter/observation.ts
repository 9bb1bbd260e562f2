import type { Prompt, PromptZone } from "./prompt.js";
import type { MoveOrigin } from "./report.js";

/** The digests of a request at one point of the middleware stack, by zone. */
export type Snapshot = Readonly<Record<PromptZone, readonly string[]>>;

/** What one watched middleware was given and what it handed on. */
export interface Observation {
  key: string;
  name: string;
  before: Snapshot;
  after: Snapshot;
}

export const snapshotOf = (prompt: Prompt): Snapshot => {
  const zone = (where: PromptZone): string[] =>
    prompt.segments.filter((segment) => segment.where === where).map(({ digest }) => digest);
  return { tools: zone("tools"), system: zone("system"), messages: zone("messages") };
};

/** Where two snapshots part in a zone; never where one only goes on, in the messages. */
const partsAt = (before: Snapshot, now: Snapshot, where: PromptZone): number => {
  const [a, b] = [before[where], now[where]];
  const at = a.findIndex((digest, index) => digest !== b[index]);
  if (at !== -1) return at;
  return where !== "messages" && b.length > a.length ? a.length : Number.POSITIVE_INFINITY;
};

/**
 * Who moved a zone between two requests: the first middleware whose output had moved there, or before, while its input
 * had not.
 */
export const whoMoved = (
  before: readonly Observation[] | undefined,
  now: readonly Observation[],
  where: PromptZone,
): { origin: MoveOrigin; middleware?: string } => {
  const pairs = now.flatMap((observation) => {
    const earlier = before?.find(({ key }) => key === observation.key);
    if (!earlier) return [];
    return [
      {
        name: observation.name,
        given: partsAt(earlier.before, observation.before, where),
        made: partsAt(earlier.after, observation.after, where),
      },
    ];
  });
  const [first, last] = [pairs[0], pairs.at(-1)];
  if (!first || !last) return { origin: "unwatched" };
  const moved = last.made;
  if (moved === Number.POSITIVE_INFINITY) return { origin: "after_watched" };
  if (first.given <= moved) return { origin: "before_watched" };
  const culprit = pairs.find(({ given, made }) => made <= moved && given > made);
  return culprit ? { origin: "middleware", middleware: culprit.name } : { origin: "unwatched" };
};
