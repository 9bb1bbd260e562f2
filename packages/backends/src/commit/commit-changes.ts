import type { BackendProtocolV2 } from "deepagents";
import type { FileErrorKind } from "../workspace/file-error.js";
import { hashOf } from "../workspace/file-content.js";
import { isCommitting, pathsOf, type CommitResult, type FileChange } from "./file-change.js";

interface Before {
  readonly path: string;
  readonly bytes: Uint8Array | null;
}

const bytesOf = async (backend: BackendProtocolV2, path: string): Promise<Uint8Array | null> => {
  const [answer] = (await backend.downloadFiles?.([path])) ?? [];
  if (answer && answer.error !== "file_not_found") {
    if (answer.error) throw new Error(`${path}: ${answer.error}`);
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
    const { error } = (await backend.delete?.(path)) ?? { error: "Files cannot be deleted here." };
    if (error !== undefined) throw new Error(error);
    return;
  }
  const text = Buffer.from(bytes).toString();
  const isText = Buffer.from(text).equals(bytes);
  if (!isText && backend.uploadFiles) {
    const [answer] = await backend.uploadFiles([[path, bytes]]);
    if (answer?.error) throw new Error(`${path}: ${answer.error}`);
    return;
  }
  const { error } = await backend.write(path, text);
  if (error !== undefined) throw new Error(error);
};

const one = async (backend: BackendProtocolV2, change: FileChange): Promise<void> => {
  switch (change.kind) {
    case "write": {
      const { content } = change;
      if (typeof content !== "string") return put(backend, change.path, content);
      const { error } = await backend.write(change.path, content);
      if (error !== undefined) throw new Error(error);
      return;
    }
    case "edit": {
      const { path, oldString, newString, replaceAll } = change;
      const { error } = await backend.edit(path, oldString, newString, replaceAll);
      if (error !== undefined) throw new Error(error);
      return;
    }
    case "delete":
      return put(backend, change.path, null);
    case "rename": {
      const bytes = await bytesOf(backend, change.path);
      if (bytes === null) throw new Error(`${change.path}: it does not exist.`);
      if ((await bytesOf(backend, change.to)) !== null) throw new Error(`${change.to} is there already.`);
      await put(backend, change.to, bytes);
      return put(backend, change.path, null);
    }
  }
};

const failure = (error: unknown, errorKind: FileErrorKind, failedAt: number): CommitResult => ({
  error: error instanceof Error ? error.message : String(error),
  errorKind,
  failedAt,
});

/** One after the other, and back again when one fails. */
export const commitInOrder = async (
  backend: BackendProtocolV2,
  changes: readonly FileChange[],
): Promise<CommitResult> => {
  const before: Before[] = [];
  for (const [at, change] of changes.entries()) {
    try {
      for (const path of pathsOf(change)) {
        if (!before.some((each) => each.path === path))
          before.push({ path, bytes: await bytesOf(backend, path) });
      }
    } catch (error) {
      return failure(error, "failed", at);
    }
    const { expect } = change;
    const bytes = before.find((each) => each.path === change.path)?.bytes ?? null;
    if (expect !== undefined && expect !== (bytes && hashOf(bytes)))
      return failure(new Error(`${change.path} is not what the change was meant for.`), "stale", at);
  }
  for (const [at, change] of changes.entries()) {
    try {
      await one(backend, change);
    } catch (error) {
      for (const { path, bytes } of [...before].reverse()) {
        const now = await bytesOf(backend, path);
        if (bytes === null ? now !== null : !now || Buffer.compare(bytes, now) !== 0)
          await put(backend, path, bytes);
      }
      return failure(error, "failed", at);
    }
  }
  const receipts = await Promise.all(
    before.map(async ({ path, bytes }) => {
      const after = await bytesOf(backend, path);
      return { file: path, hashBefore: bytes && hashOf(bytes), hashAfter: after && hashOf(after) };
    }),
  );
  return { receipts, atomic: false };
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
