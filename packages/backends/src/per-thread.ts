import { createHash } from "node:crypto";
import { getConfig } from "@langchain/langgraph";
import type { BackendProtocolV2 } from "deepagents";
import type { RestrictableBackend } from "./rights/file-access.js";
import { restrictBackend } from "./rights/with-rights.js";

/** The LangGraph thread that the current call belongs to; "" outside a graph. */
const currentThread = (): string => {
  try {
    const { thread_id } = (getConfig()?.configurable ?? {}) as { thread_id?: unknown };
    return typeof thread_id === "string" ? thread_id : "";
  } catch {
    return "";
  }
};

/**
 * A backend that is another one for each thread. deepagents names large results by the call's id alone, which is unique
 * in a thread at best, so threads that share a directory would read and overwrite each other's.
 */
export const perThread = (make: (name: string) => BackendProtocolV2): RestrictableBackend => {
  const made = new Map<string, BackendProtocolV2>();
  const own = (): BackendProtocolV2 => {
    const thread = currentThread();
    const name = createHash("sha256").update(thread).digest("hex").slice(0, 32);
    const known = made.get(name);
    if (known) return known;
    const backend = make(name);
    made.set(name, backend);
    return backend;
  };
  return {
    restrict: (access) => perThread((name) => restrictBackend(make(name), access)),
    ls: (path) => own().ls(path),
    read: (path, offset, limit) => own().read(path, offset, limit),
    readRaw: (path) => own().readRaw(path),
    write: (path, content) => own().write(path, content),
    edit: (path, oldString, newString, replaceAll) => own().edit(path, oldString, newString, replaceAll),
    grep: (pattern, path, glob, maxCount) => own().grep(pattern, path, glob, maxCount),
    glob: (pattern, path) => own().glob(pattern, path),
    delete: (path) => own().delete?.(path) ?? { error: "Files cannot be deleted here." },
    uploadFiles: (files) =>
      own().uploadFiles?.(files) ?? files.map(([path]) => ({ path, error: "permission_denied" as const })),
    downloadFiles: (paths) =>
      own().downloadFiles?.(paths) ??
      paths.map((path) => ({ path, content: null, error: "file_not_found" as const })),
  };
};
