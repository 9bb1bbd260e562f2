import {
  CompositeBackend,
  type BackendProtocolV2,
  type DeleteResult,
  type EditResult,
  type FileDownloadResponse,
  type FileUploadResponse,
  type GlobResult,
  type GrepResult,
  type LsResult,
  type ReadRawResult,
  type ReadResult,
  type WriteResult,
} from "deepagents";
import { canonicalPath } from "./canonical-path.js";
import { commitInOrder } from "./commit/commit-changes.js";
import {
  isCommitting,
  pathsOf,
  type CommitResult,
  type CommittingBackend,
  type FileChange,
} from "./commit/file-change.js";
import { BackendError } from "./errors.js";
import { accessBelow, type FileAccess } from "./rights/file-access.js";
import { restrictBackend } from "./rights/with-rights.js";
import { reportToCall } from "./workspace/call-report.js";
import type { FileFailure } from "./workspace/options.js";

/** The path in its one form, with the trailing slash that it had: routes are found by comparing the beginnings of strings. */
const canonical = (path: string): string => {
  const plain = canonicalPath(path);
  return path.endsWith("/") && plain !== "/" ? `${plain}/` : plain;
};

const failure = (error: unknown): FileFailure => {
  if (!(error instanceof BackendError)) throw error;
  reportToCall({ ok: false, kind: "invalid_path", message: error.message });
  return { error: error.message, errorKind: "invalid_path" };
};

/** What a path that names no file is refused with, by `canonical` or below, is a result. */
const orFailure = async <Result>(work: () => Promise<Result>): Promise<Result | FileFailure> => {
  try {
    return await work();
  } catch (error) {
    return failure(error);
  }
};

const MAGIC = /[*?[\]{}()!\\]/;

/** An absolute pattern as a directory and a pattern below it. */
const splitPattern = (pattern: string): { directory: string; below: string } => {
  const names = pattern.split("/").filter((name) => name !== "");
  const magic = names.findIndex((name) => MAGIC.test(name));
  const at = magic < 0 ? names.length - 1 : magic;
  return { directory: `/${names.slice(0, at).join("/")}`, below: names.slice(at).join("/") };
};

/** A change, and which of the set it is. */
interface Part {
  readonly at: number;
  readonly change: FileChange;
}

/**
 * deepagents' CompositeBackend with paths brought into their one form before a route is chosen: `/docs/../workspace/x` is a
 * file of the workspace, and `//workspace/x` too. A glob may be an absolute path.
 */
export class RoutedBackend extends CompositeBackend {
  readonly #otherwise: BackendProtocolV2;
  readonly #routed: Readonly<Record<string, BackendProtocolV2>>;
  /** The longest first. */
  readonly #routes: readonly string[];

  constructor(otherwise: BackendProtocolV2, routes: Record<string, BackendProtocolV2>) {
    super(otherwise, routes);
    this.#otherwise = otherwise;
    this.#routed = routes;
    this.#routes = Object.keys(routes).sort((one, other) => other.length - one.length);
  }

  /** The same routes for somebody who may do no more than this; what is enforced by a backend itself is handed to it. */
  restrict(access: FileAccess): RoutedBackend {
    const narrower = (backend: BackendProtocolV2, prefix: string): BackendProtocolV2 =>
      restrictBackend(backend, accessBelow(access, prefix));
    return new RoutedBackend(
      narrower(this.#otherwise, "/"),
      Object.fromEntries(
        Object.entries(this.#routed).map(([route, backend]) => [route, narrower(backend, route)]),
      ),
    );
  }

  /** As one where all files are of one route that can do it, and else in order: `atomic` of the result tells. */
  async commit(changes: readonly FileChange[]): Promise<CommitResult> {
    let plain: FileChange[];
    try {
      plain = changes.map((change) => ({
        ...change,
        path: canonical(change.path),
        ...(change.kind === "rename" ? { to: canonical(change.to) } : {}),
      }));
    } catch (error) {
      return failure(error);
    }
    const routes = [...new Set(plain.flatMap(pathsOf).map((path) => this.#routeOf(path)))];
    const whole = routes.find((route) => this.#committing(route) !== undefined);
    if (whole === undefined) return commitInOrder(this, plain);
    if (routes.length === 1) return this.#commitTo(whole, plain);
    const parts = await this.#apart(plain);
    const own = parts.filter(({ change }) => this.#routeOf(change.path) === whole);
    const rest = parts.filter((part) => !own.includes(part));
    let failed: readonly Part[] = rest;
    const result = await commitInOrder(
      this,
      rest.map(({ change }) => change),
      // Last, for it is what asks the user, and what takes itself back when it fails.
      () => {
        failed = own;
        return this.#commitTo(
          whole,
          own.map(({ change }) => change),
        );
      },
    );
    const { failedAt } = result as { failedAt?: number };
    const at = failedAt === undefined ? undefined : failed[failedAt]?.at;
    return result.error === undefined || at === undefined ? result : { ...result, failedAt: at };
  }

  #routeOf(path: string): string {
    return this.#routes.find((route) => path.startsWith(route)) ?? "/";
  }

  #committing(route: string): CommittingBackend | undefined {
    const backend = this.#routed[route];
    return backend && isCommitting(backend) ? backend : undefined;
  }

  #commitTo(route: string, changes: readonly FileChange[]): Promise<CommitResult> {
    const backend = this.#committing(route) as CommittingBackend;
    const below = (path: string): string => path.slice(route.length - 1);
    return backend.commit(
      changes.map((change) => ({
        ...change,
        path: below(change.path),
        ...(change.kind === "rename" ? { to: below(change.to) } : {}),
      })),
    );
  }

  /** The changes with their numbers; a rename from one route to another is a new file there and none here. */
  async #apart(changes: readonly FileChange[]): Promise<Part[]> {
    const parts: Part[] = [];
    for (const [at, change] of changes.entries()) {
      if (change.kind !== "rename" || this.#routeOf(change.path) === this.#routeOf(change.to)) {
        parts.push({ at, change });
        continue;
      }
      const [answer] = await this.downloadFiles([change.path]);
      const { path, to, expect } = change;
      const content = answer?.content;
      // What is not there to be moved is refused where it should be.
      if (content) parts.push({ at, change: { kind: "write", path: to, content, expect: null } });
      parts.push({ at, change: { kind: "delete", path, ...(expect === undefined ? {} : { expect }) } });
    }
    return parts;
  }

  override async ls(path: string): Promise<LsResult> {
    return orFailure(() => super.ls(canonical(path)));
  }

  override async read(filePath: string, offset?: number, limit?: number): Promise<ReadResult> {
    return orFailure(() => super.read(canonical(filePath), offset, limit));
  }

  override async readRaw(filePath: string): Promise<ReadRawResult> {
    return orFailure(() => super.readRaw(canonical(filePath)));
  }

  override async write(filePath: string, content: string): Promise<WriteResult> {
    return orFailure(() => super.write(canonical(filePath), content));
  }

  override async edit(
    filePath: string,
    oldString: string,
    newString: string,
    replaceAll?: boolean,
  ): Promise<EditResult> {
    return orFailure(() => super.edit(canonical(filePath), oldString, newString, replaceAll));
  }

  override async delete(filePath: string): Promise<DeleteResult> {
    return orFailure(() => super.delete(canonical(filePath)));
  }

  override async grep(
    pattern: string,
    path?: string,
    glob?: string | null,
    maxCount?: number | null,
  ): Promise<GrepResult> {
    return orFailure(() => super.grep(pattern, canonical(path ?? "/"), glob, maxCount));
  }

  override async glob(pattern: string, path = "/"): Promise<GlobResult> {
    return orFailure(() => {
      if (!pattern.startsWith("/")) return super.glob(pattern, canonical(path));
      const { directory, below } = splitPattern(pattern);
      return super.glob(below, canonical(directory));
    });
  }

  override async uploadFiles(files: [string, Uint8Array][]): Promise<FileUploadResponse[]> {
    return super.uploadFiles(files.map(([path, content]) => [canonical(path), content]));
  }

  override async downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    return super.downloadFiles(paths.map(canonical));
  }
}
