import { FileChangeError } from "../errors.js";
import { bytesOf, hashOf, utf8Text } from "../files/file-bytes.js";
import { readText } from "../read-text.js";
import type { ToolFiles } from "../tool-files.js";

/** A file's text, and what tells it from any other. */
export interface SourceText {
  readonly text: string;
  /** The byte-order mark, when it is a part of what is written back. */
  readonly mark: string;
  /** Of its bytes. */
  readonly hash: string;
}

/** Parsing and placing take a second or two for it. */
const MAX_CHARS = 1_000_000;

/**
 * Reads a text for an edit. UTF-8 is taken from the very bytes that are hashed; what else there is, the backend decodes.
 *
 * @throws {FileChangeError} `not_found`, `too_large`, or what the backend refuses it with.
 * @throws {ToolInputError} when it is no text.
 */
export const readSource = async (files: ToolFiles, path: string): Promise<SourceText> => {
  const bytes = await bytesOf(files, path);
  if (!bytes) throw new FileChangeError("not_found", `${path} does not exist.`);
  const whole = utf8Text(bytes) ?? (await readText(files, path));
  if (whole.length > MAX_CHARS)
    throw new FileChangeError("too_large", `${path} is too large to be parsed: use edit_file.`);
  const mark = whole.startsWith("\ufeff") ? "\ufeff" : "";
  return { text: whole.slice(mark.length), mark, hash: hashOf(bytes) };
};
