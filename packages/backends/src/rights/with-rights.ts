import type {
  BackendProtocolV2,
  FileDownloadResponse,
  FileInfo,
  FileUploadResponse,
  LsResult,
} from "deepagents";
import { canonicalPath, isWithin } from "../canonical-path.js";
import { commitChanges } from "../commit/commit-changes.js";
import { isCommitting, pathsOf, type CommitResult, type FileChange } from "../commit/file-change.js";
import { BackendError } from "../errors.js";
import { reportToCall } from "../workspace/call-report.js";
import type { ChangeGuard, GuardedBackend } from "../workspace/change-guard.js";
import type { FileFailure } from "../workspace/options.js";
import { accessOfBoth, deniedText, isRestrictable, type FileAccess } from "./file-access.js";

export interface RightsOptions {
  /** Whether a canonical path may be read, or written; for instance `covers` of `@fiveseam/tool-pipeline` with rights. */
  covers(access: { readonly read: string } | { readonly write: string }): boolean;
  /** Who is refused, for the message; for instance a role's name. Default "this agent". */
  who?: string;
  /**
   * Prefixes that may be read and written whatever the rights say. deepagents itself stores large tool results and old
   * history through the backend, so a delegate needs `HARNESS_ROUTES` even when it may write nothing.
   */
  except?: readonly string[];
}

const accessOf = ({ covers, who = "this agent", except = [] }: RightsOptions): FileAccess => {
  const excepted = (path: string): boolean => except.some((prefix) => isWithin(path, prefix));
  return {
    who,
    mayRead: (path) => excepted(path) || covers({ read: path }),
    mayWrite: (path) => excepted(path) || covers({ write: path }),
  };
};

/** The one form of a path; undefined when it has none, and the backend says what is wrong with it. */
const canonical = (path: unknown): string | undefined => {
  if (typeof path !== "string") return undefined;
  try {
    return canonicalPath(path.startsWith("/") ? path : `/${path}`);
  } catch (error) {
    if (error instanceof BackendError) return undefined;
    throw error;
  }
};

/**
 * A backend that reads and changes no more than somebody may: the one place where file rights are enforced. A path is brought
 * into its one form first, so that `./`, `//` and `..` mean nothing; and `WorkspaceBackend` enforces the rights itself, on the
 * file that a path really leads to while it is held, so that no symbolic link gets past them. A change needs the right to
 * read as well. `ls`, `glob` and `grep` answer with what may be read; a directory is deleted only when all in it may be
 * changed. Commands (`execute`) are not passed on.
 *
 * @example
 * ```ts
 * import { HARNESS_ROUTES, withRights, WorkspaceBackend } from "@fiveseam/backends";
 *
 * const files = withRights(new WorkspaceBackend({ root: process.cwd() }), {
 *   covers: (access) => "read" in access || access.write.startsWith("/docs/"),
 *   who: "doc-writer",
 *   except: HARNESS_ROUTES,
 * });
 * const result = await files.write("/docs/../src/index.ts", "");
 * console.log(result.error); // says that doc-writer may not change it
 * ```
 */
export function withRights(backend: GuardedBackend, options: RightsOptions): GuardedBackend;
export function withRights(
  backend: BackendProtocolV2,
  options: RightsOptions,
): BackendProtocolV2 & { readonly routePrefixes?: readonly string[] };
export function withRights(backend: BackendProtocolV2, options: RightsOptions): BackendProtocolV2 {
  return restrictBackend(backend, accessOf(options));
}

/** Narrows a backend: by itself where it can do that, and by the names of files wherever. */
export const restrictBackend = (backend: BackendProtocolV2, access: FileAccess): BackendProtocolV2 => {
  const inner = (isRestrictable(backend) ? backend.restrict(access) : backend) as GuardedBackend;

  const may = (what: "read" | "write", path: string): boolean => {
    const plain = canonical(path);
    if (plain === undefined) return true;
    // What is not to be read is not to be changed either: an edit tells what stands in a file.
    return access.mayRead(plain) && (what === "read" || access.mayWrite(plain));
  };
  const refusal = (what: "read" | "write", path: string): FileFailure => {
    const message = deniedText(access.who, what, path);
    reportToCall({ ok: false, kind: "denied", message });
    return { error: message, errorKind: "denied" };
  };
  const hasReadable = async (directory: string): Promise<boolean> => {
    const { files = [] } = await inner.glob("**/*", directory);
    return files.some(({ path }) => may("read", path));
  };
  const isShown = (file: FileInfo): boolean | Promise<boolean> =>
    may("read", file.path) || (file.is_dir === true && hasReadable(file.path));

  const ls = async (path: string): Promise<LsResult> => {
    const result = await inner.ls(path);
    if (!result.files) return result;
    const files: FileInfo[] = [];
    for (const file of result.files) if (await isShown(file)) files.push(file);
    if (files.length === 0 && !may("read", path)) return refusal("read", path);
    return { ...result, files };
  };

  const remove = async (path: string, guard?: ChangeGuard) => {
    if (!may("write", path)) return refusal("write", path);
    if (!inner.delete) return { error: "Files cannot be deleted here." };
    if (!isRestrictable(backend)) {
      // What is below a path that is no directory is nothing.
      const { files = [], truncated } = await inner.glob("**/*", path);
      const kept = files.find((file) => !may("write", file.path));
      if (kept || truncated) return refusal("write", kept?.path ?? path);
    }
    return inner.delete(path, guard);
  };

  const commit = async (changes: readonly FileChange[], guard?: ChangeGuard): Promise<CommitResult> => {
    for (const [failedAt, change] of changes.entries()) {
      const path = pathsOf(change).find((each) => !may("write", each));
      if (path !== undefined) return { ...refusal("write", path), failedAt };
    }
    return isCommitting(inner) ? inner.commit(changes, guard) : commitChanges(inner, changes);
  };

  const wrapped: BackendProtocolV2 = {
    ls,
    read: (path, offset, limit) =>
      may("read", path) ? inner.read(path, offset, limit) : refusal("read", path),
    readRaw: (path) => (may("read", path) ? inner.readRaw(path) : refusal("read", path)),
    async grep(pattern, path, glob, maxCount) {
      const result = await inner.grep(pattern, path, glob, maxCount);
      if (!result.matches) return result;
      // A file has many matches, and is asked about once.
      const readable = new Map<string, boolean>();
      const isReadable = (file: string): boolean => {
        let known = readable.get(file);
        if (known === undefined) readable.set(file, (known = may("read", file)));
        return known;
      };
      return { ...result, matches: result.matches.filter((match) => isReadable(match.path)) };
    },
    async glob(pattern, path) {
      const result = await inner.glob(pattern, path);
      return result.files
        ? { ...result, files: result.files.filter((file) => may("read", file.path)) }
        : result;
    },
    write: (path: string, content: string, guard?: ChangeGuard) =>
      may("write", path) ? inner.write(path, content, guard) : refusal("write", path),
    edit: (path: string, oldString: string, newString: string, replaceAll?: boolean, guard?: ChangeGuard) =>
      may("write", path) ? inner.edit(path, oldString, newString, replaceAll, guard) : refusal("write", path),
    delete: remove,
    uploadFiles: (files: [string, Uint8Array][], guard?: ChangeGuard) =>
      byPosition(
        files,
        ([path]) => may("write", path),
        (allowed) => inner.uploadFiles?.(allowed, guard) ?? [],
        ([path]): FileUploadResponse => ({ path, error: "permission_denied" }),
      ),
    downloadFiles: (paths) =>
      byPosition(
        paths,
        (path) => may("read", path),
        (allowed) => inner.downloadFiles?.(allowed) ?? [],
        (path): FileDownloadResponse => ({ path, content: null, error: "permission_denied" }),
      ),
  };
  const { routePrefixes, guarded } = backend as { routePrefixes?: readonly string[]; guarded?: true };
  return Object.assign(wrapped, {
    ...(routePrefixes ? { routePrefixes } : {}),
    ...(guarded ? { guarded } : {}),
    commit,
    restrict: (narrower: FileAccess) => restrictBackend(backend, accessOfBoth(access, narrower)),
  });
};

/** Asks for what is allowed, and answers in the order of the question: a backend may answer with another form of a path. */
const byPosition = async <Q, A>(
  asked: readonly Q[],
  isAllowed: (question: Q) => boolean,
  ask: (allowed: Q[]) => A[] | Promise<A[]>,
  refused: (question: Q) => A,
): Promise<A[]> => {
  const verdicts = asked.map(isAllowed);
  const allowed = asked.filter((_, at) => verdicts[at]);
  const answers = allowed.length > 0 ? await ask(allowed) : [];
  let next = 0;
  return asked.map((question, at) => (verdicts[at] ? answers[next++] : undefined) ?? refused(question));
};
