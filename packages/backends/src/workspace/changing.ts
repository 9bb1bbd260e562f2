import { lstatSync, type BigIntStats } from "node:fs";
import type { EditResult, WriteResult } from "deepagents";
import { applyEdit } from "../edit/apply-edit.js";
import type { ChangeGuard, FileReceipt } from "./change-guard.js";
import { targetOf } from "./change-target.js";
import { binaryError, checkRegular, hashOf, readWhole, withFile } from "./file-content.js";
import { FileError } from "./file-error.js";
import type { HeldLock } from "./file-locks.js";
import { uniformEnding, withEnding } from "./line-endings.js";
import { replaceFile } from "./replace-file.js";
import type { Place } from "./resolve.js";
import { decodeText, detectFormat, encodeText, UTF8 } from "./text-codec.js";
import { checkNewName, parsePath, showPath, type PathParts } from "./virtual-path.js";
import { identityOf, type WorkspaceRoot } from "./workspace-root.js";

/** Does something to one file under its lock, which goes by the real file and not by the name that was given. */
const changeFile = async <R extends { path?: string }>(
  root: WorkspaceRoot,
  parts: PathParts,
  options: { makeParents: boolean; guard: ChangeGuard | undefined },
  work: (
    place: Place,
    put: (bytes: Uint8Array) => Promise<void>,
  ) => Promise<{ receipt: FileReceipt; result: R }>,
): Promise<R & { metadata: Record<string, unknown> }> => {
  const shown = root.show(parts);
  const resolve = {
    makeParents: options.makeParents,
    check: (real: PathParts) => root.protection.checkWrite(real),
  };
  root.protection.checkWrite(parts);
  // The key first: the place itself is found again under the lock.
  const key = root.keyOf(parts);
  return root.locks.hold(key, shown, async (lock) => {
    const place = root.place(parts, resolve);
    let done = false;
    try {
      checkChangeable(root, place, shown);
      const target = targetOf(root, place);
      await options.guard?.before?.(target);
      const put = async (bytes: Uint8Array): Promise<void> => {
        await options.guard?.ready?.([{ target, after: bytes }]);
        await replace(root, place, bytes, lock);
      };
      const { receipt, result } = await work(place, put);
      done = true;
      options.guard?.after?.(receipt);
      return { ...result, metadata: { ...receipt } };
    } finally {
      if (!done) place.undoParents();
      place.close();
    }
  });
};

/** @throws {FileError} when what is there is no regular file of one name. */
export const checkChangeable = (root: WorkspaceRoot, place: Place, shown: string): void => {
  if (place.name === "") throw new FileError("is_directory", `${shown} is a directory.`);
  if (place.stats) checkRegular(place.stats, shown);
  if (place.stats && place.stats.nlink > 1n && !root.breakLinks)
    throw new FileError(
      "denied",
      `${shown} has other names (hard links), which the change would reach or leave behind.`,
    );
};

/** @throws {FileError} `conflict` when what is there is no longer what was seen. */
export const confirmUnchanged = (place: Place): void => {
  let now: BigIntStats | undefined;
  try {
    now = lstatSync(place.directory.at(place.name), { bigint: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  if (identityOf(now) !== identityOf(place.stats))
    throw new FileError("conflict", `${place.shown} was changed by somebody else at this moment.`);
};

const replace = async (
  root: WorkspaceRoot,
  place: Place,
  bytes: Uint8Array,
  lock: HeldLock,
): Promise<void> => {
  await replaceFile(place, bytes, lock, { fsync: root.fsync, confirm: () => confirmUnchanged(place) });
};

/** Puts bytes in the place of a file, or where there is none. */
export const putFile = async (
  root: WorkspaceRoot,
  filePath: string,
  guard: ChangeGuard | undefined,
  contentOf: (existing: Buffer | undefined, shown: string) => Uint8Array,
): Promise<WriteResult> => {
  const parts = parsePath(filePath);
  const shown = root.show(parts);
  // Seen before anything waits: whoever comes in between has changed what the caller means to replace.
  const seen = root.identity(parts);
  return changeFile(root, parts, { makeParents: true, guard }, async (place, put) => {
    if (identityOf(place.stats) !== seen)
      throw new FileError("conflict", `${shown} was changed by somebody else at this moment; read it again.`);
    if (!place.stats) checkNewName(place.name);
    const existing = place.stats
      ? await withFile(place, async (opened) =>
          Number(opened.stats.size) > root.maxFileBytes ? undefined : readWhole(opened, root.maxFileBytes),
        )
      : undefined;
    const bytes = contentOf(existing, shown);
    await put(bytes);
    const receipt: FileReceipt = {
      file: place.shown,
      hashBefore: existing ? hashOf(existing) : null,
      hashAfter: hashOf(bytes),
    };
    return { receipt, result: { path: showPath(parts), filesUpdate: null } };
  });
};

/** A new text in the encoding, with the mark and the line endings, of the file that it replaces. */
export const encodeLike = (existing: Buffer | undefined, content: string, shown: string): Uint8Array => {
  const known = existing ? detectFormat(existing) : undefined;
  const format = known ?? UTF8;
  const plain = content.replace(/^\ufeff/, "");
  const bom = content.length > plain.length || format.bom;
  // A binary file has no line endings to keep.
  const crlf = existing && known && uniformEnding(decodeText(existing, known)) === "\r\n";
  return encodeText(crlf ? withEnding(plain, "\r\n") : plain, { ...format, bom }, shown);
};

/** Writes a text. */
export const writeText = async (
  root: WorkspaceRoot,
  filePath: string,
  content: string,
  guard: ChangeGuard | undefined,
): Promise<WriteResult> => {
  if (typeof content !== "string") throw new FileError("invalid_text", "The content must be a string.");
  return putFile(root, filePath, guard, (existing, shown) => encodeLike(existing, content, shown));
};

export interface TextEdit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
}

const checkStrings = ({ oldString, newString }: TextEdit): void => {
  if (typeof oldString !== "string" || typeof newString !== "string")
    throw new FileError("invalid_text", "old_string and new_string must be strings.");
};

/** The bytes of a file after an edit, and how it was done. */
export const editBytes = (bytes: Buffer, edit: TextEdit, shown: string) => {
  checkStrings(edit);
  const format = detectFormat(bytes);
  if (!format) throw binaryError(shown, bytes, bytes.length);
  const { text, ...how } = applyEdit(decodeText(bytes, format), { ...edit, path: shown });
  return { after: encodeText(text, format, shown), ...how };
};

/** Replaces a text in a file. */
export const editText = async (
  root: WorkspaceRoot,
  filePath: string,
  edit: TextEdit,
  guard: ChangeGuard | undefined,
): Promise<EditResult> => {
  checkStrings(edit);
  const parts = parsePath(filePath);
  const shown = root.show(parts);
  return changeFile(root, parts, { makeParents: false, guard }, async (place, put) => {
    if (!place.stats) throw new FileError("not_found", `${shown}: it does not exist.`);
    const bytes = await withFile(place, (opened) => readWhole(opened, root.maxFileBytes));
    const { after, strategy, span, occurrences } = editBytes(bytes, edit, shown);
    if (!bytes.equals(after)) await put(after);
    const receipt: FileReceipt = {
      file: place.shown,
      hashBefore: hashOf(bytes),
      hashAfter: hashOf(after),
      strategy,
      span,
    };
    return { receipt, result: { path: showPath(parts), filesUpdate: null, occurrences } };
  });
};
