import { createHash } from "node:crypto";
import { createTwoFilesPatch } from "diff";
import type { PlannedChange } from "../workspace/change-guard.js";
import { hashOf } from "../workspace/file-content.js";
import { decodeText, detectFormat } from "../workspace/text-codec.js";

/** A file that a change would make, change or delete. */
export interface ProposedFile {
  /** As the agent knows it, symbolic links resolved. */
  readonly file: string;
  /** A rename is a deletion and a creation of the same content. */
  readonly kind: "create" | "change" | "delete";
  /** SHA-256 in hex of what is there, null for nothing and for what is too large to be looked at. */
  readonly hashBefore: string | null;
  readonly hashAfter: string | null;
}

/** What a change would do: all of it, or nothing. */
export interface ProposedChange {
  /** The same for the same change of the same contents. */
  readonly id: string;
  readonly files: readonly ProposedFile[];
  /** Links and special files that go with a directory. */
  readonly others: number;
}

/** A change that waits for a decision. */
export interface Proposal extends ProposedChange {
  readonly files: readonly (ProposedFile & {
    /** Unified, with three lines around each change; undefined for binary files and for texts above 1 MB. */
    readonly diff: string | undefined;
  })[];
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
export const diffOf = (
  file: string,
  before: Uint8Array | null,
  after: Uint8Array | null,
): string | undefined => {
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

const proposed = (file: string, before: Buffer | undefined, after: Uint8Array | null): ProposedFile => ({
  file,
  kind: after === null ? "delete" : "change",
  hashBefore: before ? hashOf(before) : null,
  hashAfter: after && hashOf(after),
});

/** Goes through the files that planned changes come to; the content is null for a new one, undefined for a very large one. */
const eachFile = async (
  changes: readonly PlannedChange[],
  visit: (file: ProposedFile, before: Buffer | null | undefined, after: Uint8Array | null) => void,
): Promise<number> => {
  let others = 0;
  for (const { target, after } of changes) {
    const mount = target.file.slice(0, target.file.length - target.path.length);
    let known = false;
    others += await target.eachFile(async ({ path, content }) => {
      known = true;
      visit(proposed(mount + path, content, after), content, after);
    });
    if (known || after === null) continue;
    visit({ ...proposed(target.file, undefined, after), kind: "create" }, null, after);
  }
  return others;
};

const idOf = (files: readonly ProposedFile[], others: number): string => {
  const facts = files.map(({ file, kind, hashBefore, hashAfter }) => [file, kind, hashBefore, hashAfter]);
  return createHash("sha256")
    .update(JSON.stringify([facts, others]))
    .digest("hex")
    .slice(0, 32);
};

/** What planned changes come to. */
export const changeOf = async (changes: readonly PlannedChange[]): Promise<ProposedChange> => {
  const files: ProposedFile[] = [];
  const others = await eachFile(changes, (file) => files.push(file));
  return { id: idOf(files, others), files, others };
};

/** The same with diffs, for somebody to decide on. */
export const proposalOf = async (changes: readonly PlannedChange[]): Promise<Proposal> => {
  const files: Proposal["files"][number][] = [];
  const others = await eachFile(changes, (file, before, after) => {
    files.push({ ...file, diff: before === undefined ? undefined : diffOf(file.file, before, after) });
  });
  return { id: idOf(files, others), files, others };
};
