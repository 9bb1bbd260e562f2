import { hashOf } from "../workspace/file-content.js";
import { FileError } from "../workspace/file-error.js";
import type { FileChange } from "./file-change.js";

/** @throws {FileError} `stale` when the content is not the one that the change was meant for; null is no file. */
export const checkExpected = (
  { expect }: Pick<FileChange, "expect">,
  bytes: Uint8Array | null,
  shown: string,
): void => {
  const hash = bytes && hashOf(bytes);
  if (expect === undefined || expect === hash) return;
  const what = hash === null ? "is not there any more" : expect === null ? "is there already" : "has changed";
  throw new FileError("stale", `${shown} ${what}: the change was meant for another content.`);
};
