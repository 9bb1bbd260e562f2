import { createHash } from "node:crypto";
import { FileChangeError } from "../errors.js";
import type { ToolFiles } from "../tool-files.js";

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Why a download was refused, in the words of the file tools. */
const KIND: Readonly<Record<string, string>> = { permission_denied: "denied" };

/**
 * What a file holds; undefined when there is none.
 *
 * @throws {FileChangeError} when it cannot be read.
 */
export const bytesOf = async (files: ToolFiles, path: string): Promise<Uint8Array | undefined> => {
  const [answer] = (await files.downloadFiles?.([path])) ?? [];
  if (!answer) {
    const { data } = await files.readRaw(path);
    if (!data) return undefined;
    const { content } = data;
    if (content instanceof Uint8Array) return content;
    return Buffer.from(typeof content === "string" ? content : content.join("\n"));
  }
  if (answer.content) return answer.content;
  if (answer.error === "file_not_found") return undefined;
  const code = KIND[answer.error ?? ""] ?? answer.error ?? "failed";
  throw new FileChangeError(
    code,
    `${path} cannot be read: ${(answer.error ?? "no reason is given").replaceAll("_", " ")}.`,
  );
};

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of UTF-8 bytes, a byte-order mark included; undefined for any others. */
export const utf8Text = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
};
