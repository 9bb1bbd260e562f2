import { createHash } from "node:crypto";
import { toStoredText } from "./stored-text.js";

export const DATABASE_SUFFIX = ".sqlite";

/**
 * The file of a thread: a readable part for people and a hash for uniqueness. Only `[a-z0-9-]`, so it is the same on
 * every platform and on disks that ignore case, and short whatever the id is. The id itself is stored inside the file.
 */
export const threadFileName = (threadId: string): string => {
  const readable = threadId
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-|-$/g, "");
  const hash = createHash("sha256").update(toStoredText(threadId), "utf8").digest("hex").slice(0, 32);
  return `${readable === "" ? "thread" : readable}-${hash}${DATABASE_SUFFIX}`;
};
