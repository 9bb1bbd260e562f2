import { isGraphBubbleUp } from "@langchain/langgraph";
import type { BackendProtocolV2 } from "deepagents";
import { FILE_ERROR_KINDS, FileError, type FileErrorKind } from "../workspace/file-error.js";
import { hashOf } from "../workspace/file-content.js";
import { checkExpected } from "./expected.js";
import { isCommitting, pathsOf, type CommitResult, type FileChange } from "./file-change.js";

interface Before {
  readonly path: string;
  readonly bytes: Uint8Array | null;
}

/** What `uploadFiles` and `downloadFiles` answer instead of a kind. */
const KIND_BY_ANSWER: Readonly<Record<string, FileErrorKind>> = {
  file_not_found: "not_found",
  permission_denied: "denied",
  is_directory: "is_directory",
  invalid_path: "invalid_path",
};

const answered = (path: string, answer: string): FileError =>
  new FileError(KIND_BY_ANSWER[answer] ?? "failed", `${path}: ${answer}`);

/** Throws what a backend refused, with the kind where it tells one: deepagents' own backends only give a text. */
const check = ({ error, errorKind }: { error?: string; errorKind?: unknown }): void => {
  if (error === undefined) return;
  throw new FileError(FILE_ERROR_KINDS.find((kind) => kind === errorKind) ?? "failed", error);
};

const bytesOf = async (backend: BackendProtocolV2, path: string): Promise<Uint8Array | null> => {
  const [answer] = (await backend.downloadFiles?.([path])) ?? [];
  if (answer && answer.error !== "file_not_found") {
    if (answer.error) throw answered(path, answer.error);
    return answer.content;
  }
  if (answer) return null;
  const { data } = await backend.readRaw(path);
  const content: unknown = (data as { content?: unknown } | undefined)?.content;
  if (content instanceof Uint8Array) return content;
  return typeof content === "string" ? Buffer.from(content) : null;
};

const put = async (backend: BackendProtocolV2, path: string, bytes: Uint8Array | null): Promise<void> => {
  if (bytes === null) {
    return check((await backend.delete?.(path)) ?? { error: "Files cannot be deleted here." });
  }
  const text = Buffer.from(bytes).toString();
  const isText = Buffer.from(text).equals(bytes);
  if (!isText && backend.uploadFiles) {
    const [answer] = await backend.uploadFiles([[path, bytes]]);
    if (answer?.error) throw answered(path, answer.error);
    return;
  }
  check(await backend.write(path, text));
};

const one = async (backend: BackendProtocolV2, change: FileChange): Promise<void> => {
  switch (change.kind) {
    case "write": {
      const { content } = change;
      if (typeof content !== "string") return put(backend, change.path, content);
      return check(await backend.write(change.path, content));
    }
    case "edit": {
      const { path, oldString, newString, replaceAll } = change;
      return check(await backend.edit(path, oldString, newString, replaceAll));
    }
    case "delete":
      return put(backend, change.path, null);
    case "rename": {
      const bytes = await bytesOf(backend, change.path);
      if (bytes === null) throw new FileError("not_found", `${change.path}: it does not exist.`);
      if ((await bytesOf(backend, change.to)) !== null)
        throw new FileError("conflict", `${change.to} is there already; delete it first.`);
      await put(backend, change.to, bytes);
      return put(backend, change.path, null);
    }
  }
};

const failure = (error: unknown, failedAt: number): CommitResult => ({
  error: error instanceof Error ? error.message : String(error),
  errorKind: error instanceof FileError ? error.kind : "failed",
  failedAt,
});

/** Makes the files what they were. */
const putBack = async (backend: BackendProtocolV2, before: readonly Before[]): Promise<void> => {
  for (const { path, bytes } of [...before].reverse()) {
    const now = await bytesOf(backend, path);
    if (bytes === null ? now !== null : !now || Buffer.compare(bytes, now) !== 0)
      await put(backend, path, bytes);
  }
};

/**
 * One after the other, and back again when one fails, or when `last` does, which comes after them.
 *
 * @param last a part of the change set that is all or nothing in itself.
 */
export const commitInOrder = async (
  backend: BackendProtocolV2,
  changes: readonly FileChange[],
  last?: () => Promise<CommitResult>,
): Promise<CommitResult> => {
  const before: Before[] = [];
  for (const [at, change] of changes.entries()) {
    try {
      for (const path of pathsOf(change)) {
        if (!before.some((each) => each.path === path))
          before.push({ path, bytes: await bytesOf(backend, path) });
      }
      checkExpected(change, before.find((each) => each.path === change.path)?.bytes ?? null, change.path);
    } catch (error) {
      return failure(error, at);
    }
  }
  for (const [at, change] of changes.entries()) {
    try {
      await one(backend, change);
    } catch (error) {
      await putBack(backend, before);
      // A question to the user: the change set is made anew once it is answered.
      if (isGraphBubbleUp(error)) throw error;
      return failure(error, at);
    }
  }
  const end = await ended(last, () => putBack(backend, before));
  if (end.error !== undefined) return end;
  const receipts = await Promise.all(
    before.map(async ({ path, bytes }) => {
      const after = await bytesOf(backend, path);
      return { file: path, hashBefore: bytes && hashOf(bytes), hashAfter: after && hashOf(after) };
    }),
  );
  return { receipts: [...receipts, ...end.receipts], atomic: false };
};

const ended = async (
  last: (() => Promise<CommitResult>) | undefined,
  takeBack: () => Promise<void>,
): Promise<CommitResult> => {
  if (!last) return { receipts: [], atomic: false };
  try {
    const result = await last();
    if (result.error !== undefined) await takeBack();
    return result;
  } catch (error) {
    await takeBack();
    throw error;
  }
};

/**
 * Several changes as one: all or nothing where the backend can do that (`WorkspaceBackend`, and `createCodingBackend` for files
 * of one route), and else in their order, taken back when one of them fails. `atomic` of the result tells which it was.
 *
 * @example
 * ```ts
 * import { commitChanges, WorkspaceBackend } from "@fiveseam/backends";
 *
 * const result = await commitChanges(new WorkspaceBackend({ root: process.cwd() }), [
 *   { kind: "rename", path: "/src/a.ts", to: "/src/b.ts" },
 *   { kind: "edit", path: "/src/index.ts", oldString: "./a.js", newString: "./b.js" },
 * ]);
 * console.log(result.error ?? result.receipts);
 * ```
 */
export const commitChanges = (
  backend: BackendProtocolV2,
  changes: readonly FileChange[],
): Promise<CommitResult> =>
  isCommitting(backend) ? backend.commit(changes) : commitInOrder(backend, changes);
