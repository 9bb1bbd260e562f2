import { createHash } from "node:crypto";
import { createTwoFilesPatch } from "diff";
import type { FileBefore, PlannedChange } from "../workspace/change-guard.js";
import { hashOf } from "../workspace/file-content.js";
import { decodeText, detectFormat } from "../workspace/text-codec.js";

/** A file that a change would make, change or delete. */
export interface ProposedFile {
  /** As the agent knows it. */
  readonly file: string;
  readonly kind: "create" | "change" | "delete";
  /** SHA-256 in hex of what is there, null for nothing and for what is too large to be looked at. */
  readonly hashBefore: string | null;
  readonly hashAfter: string | null;
  /** Unified, with three lines around each change; undefined for binary files and for texts above 1 MB. */
  readonly diff: string | undefined;
}

/** A change that waits for a decision: all of it is made, or nothing. */
export interface Proposal {
  /** The same for the same change of the same contents. */
  readonly id: string;
  readonly files: readonly ProposedFile[];
  /** Links and special files that go with a directory. */
  readonly others: number;
}

const MAX_DIFF_BYTES = 1024 * 1024;
/** A diff that would take longer is not worth waiting for: the whole text is shown as replaced. */
const DIFF_MS = 2_000;

const textOf = (bytes: Uint8Array | null): string | undefined => {
  if (bytes === null) return "";
  if (bytes.length > MAX_DIFF_BYTES) return undefined;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = detectFormat(buffer);
  return format && decodeText(buffer, format);
};

/** Unified, as `git apply` reads it; undefined when one of them is no text, or is too large. */
const diffOf = (file: string, before: Uint8Array | null, after: Uint8Array | null): string | undefined => {
  const [old, now] = [textOf(before), textOf(after)];
  if (old === undefined || now === undefined) return undefined;
  const names = [before === null ? "/dev/null" : file, after === null ? "/dev/null" : file] as const;
  const options = { context: 3, timeout: DIFF_MS };
  return (
    createTwoFilesPatch(...names, old, now, undefined, undefined, options) ??
    `--- ${names[0]}\n+++ ${names[1]}\n${marked("-", old)}${marked("+", now)}`
  ).replace(/^=+\n/, "");
};

const marked = (mark: string, text: string): string =>
  text === "" ? "" : `${text.replace(/\n$/, "").replace(/^/gm, mark)}\n`;

const proposed = (mount: string, { path, content }: FileBefore, after: Uint8Array | null): ProposedFile => ({
  file: mount + path,
  kind: after === null ? "delete" : "change",
  hashBefore: content ? hashOf(content) : null,
  hashAfter: after && hashOf(after),
  diff: content && diffOf(mount + path, content, after),
});

/** What planned changes come to, for somebody to decide on. */
export const proposalOf = async (changes: readonly PlannedChange[]): Promise<Proposal> => {
  const files: ProposedFile[] = [];
  let others = 0;
  for (const { target, after } of changes) {
    const mount = target.file.slice(0, target.file.length - target.path.length);
    const known = files.length;
    others += await target.eachFile(async (before) => {
      files.push(proposed(mount, before, after));
    });
    if (files.length > known || after === null) continue;
    const { file } = target;
    files.push({
      file,
      kind: "create",
      hashBefore: null,
      hashAfter: hashOf(after),
      diff: diffOf(file, null, after),
    });
  }
  const facts = files.map(({ file, kind, hashBefore, hashAfter }) => [file, kind, hashBefore, hashAfter]);
  const id = createHash("sha256")
    .update(JSON.stringify([facts, others]))
    .digest("hex")
    .slice(0, 32);
  return { id, files, others };
};
