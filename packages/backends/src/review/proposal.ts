import { createHash } from "node:crypto";
import { createTwoFilesPatch } from "diff";
import type { PlannedChange } from "../workspace/change-guard.js";
import { hashOf } from "../workspace/file-content.js";
import { textContentOf } from "../workspace/text-codec.js";

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
  /** Links, with what they lead to, and special files that go too. */
  readonly others: readonly string[];
}

/** A change that waits for a decision. */
export interface Proposal extends ProposedChange {
  readonly files: readonly (ProposedFile & {
    /** Unified, with three lines around each change; undefined for binary files, texts above 1 MB, and behind 100 files or 256 kB. */
    readonly diff: string | undefined;
  })[];
}

const MAX_DIFF_BYTES = 1024 * 1024;
/** A diff that would take longer is not worth waiting for: the whole text is shown as replaced. */
const DIFF_MS = 2_000;
/** Nobody reads more, and whoever asks keeps it: the rest is shown by its names. */
const MAX_DIFFS = 100;
const MAX_DIFFS_CHARS = 256 * 1024;

const textOf = (bytes: Uint8Array | null): string | undefined => {
  if (bytes === null) return "";
  if (bytes.length > MAX_DIFF_BYTES) return undefined;
  return textContentOf(bytes)?.text;
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
): Promise<readonly string[]> => {
  const others: string[] = [];
  for (const { target, after } of changes) {
    let known = false;
    await target.eachFile(
      async ({ file, content }) => {
        known = true;
        visit(proposed(file, content, after), content, after);
      },
      (file, leadsTo) => others.push(leadsTo === undefined ? file : `${file} -> ${leadsTo}`),
    );
    if (known || after === null) continue;
    visit({ ...proposed(target.file, undefined, after), kind: "create" }, null, after);
  }
  return others;
};

const idOf = (files: readonly ProposedFile[], others: readonly string[]): string => {
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
  let chars = 0;
  const others = await eachFile(changes, (file, before, after) => {
    const isShown = before !== undefined && files.length < MAX_DIFFS && chars < MAX_DIFFS_CHARS;
    const diff = isShown ? diffOf(file.file, before, after) : undefined;
    chars += diff?.length ?? 0;
    files.push({ ...file, diff });
  });
  return { id: idOf(files, others), files, others };
};
