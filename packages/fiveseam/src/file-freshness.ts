import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import path from "node:path";
import { canonicalPath, WORKSPACE_ROUTE, type FreshnessLedger } from "@fiveseam/backends";
import type { Conversation, FileFreshness } from "@fiveseam/context";
import type { BackendProtocolV2 } from "deepagents";

interface Seen {
  readonly stamp: string;
  readonly hash: string;
}

/** Files whose digest is remembered as long as they are not touched. */
const MAX_FILES = 5_000;

/** As the ledger names an agent: by its thread and its place in it. */
export const agentKey = ({ threadId, namespace }: Conversation): string => `${threadId ?? ""}\n${namespace}`;

/**
 * Says whether files are as an agent saw them last. A file is read again only when its size or its times have moved.
 *
 * @param files the workspace without the decorators that take a reading for the agent's own
 */
export const fileFreshness = (
  workspace: string,
  ledger: Pick<FreshnessLedger, "seenBy">,
  files: Pick<BackendProtocolV2, "downloadFiles">,
): ((file: string, agent: Conversation) => Promise<FileFreshness>) => {
  const digests = new Map<string, Seen>();

  const hashNow = async (file: string): Promise<string | null | undefined> => {
    const inWorkspace = file.slice(WORKSPACE_ROUTE.length - 1);
    const found = await stat(path.join(workspace, inWorkspace), { bigint: true }).catch(() => undefined);
    if (!found) return null;
    const stamp = `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
    const known = digests.get(file);
    if (known?.stamp === stamp) return known.hash;
    const [answer] = (await files.downloadFiles?.([inWorkspace])) ?? [];
    if (!answer?.content) return undefined;
    const hash = createHash("sha256").update(answer.content).digest("hex");
    digests.delete(file);
    digests.set(file, { stamp, hash });
    if (digests.size > MAX_FILES) digests.delete(digests.keys().next().value as string);
    return hash;
  };

  return async (given, agent) => {
    const file = canonicalPath(given);
    if (!file.startsWith(WORKSPACE_ROUTE)) return "unknown";
    const seen = ledger.seenBy(agentKey(agent), file);
    if (seen === undefined) return "unknown";
    const now = await hashNow(file);
    if (now === undefined) return "unknown";
    if (now === seen) return "fresh";
    return now === null ? "deleted" : "changed";
  };
};
