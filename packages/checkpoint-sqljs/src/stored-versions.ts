import type { ContentStore } from "./content-store.js";
import { Expander, type Stored } from "./rope.js";

/** The channels of a checkpoint and their versions as JSON. */
export const versionsOf = (
  content: ContentStore,
  { checkpoint, versions }: { checkpoint: Stored; versions: string | undefined },
  expander: Expander = new Expander(content),
): [channel: string, version: string][] => {
  if (versions !== undefined) return JSON.parse(versions) as [string, string][];
  const body = JSON.parse(expander.value(checkpoint) as string) as {
    channel_versions?: Record<string, unknown>;
  };
  return Object.entries(body.channel_versions ?? {}).map(([channel, version]) => [
    channel,
    JSON.stringify(version),
  ]);
};
