import type {
  DeleteResult,
  EditResult,
  FileDownloadResponse,
  FileUploadResponse,
  GlobResult,
  GrepResult,
  LsResult,
  ReadRawResult,
  ReadResult,
  WriteResult,
} from "deepagents";
import { commitFiles } from "../commit/commit-files.js";
import type { CommitResult, FileChange } from "../commit/file-change.js";
import { observeTree, type Observation, type ObservationLimits } from "../exec/observation.js";
import type { FileAccess } from "../rights/file-access.js";
import { unreported } from "./call-report.js";
import type { ChangeGuard, GuardedBackend } from "./change-guard.js";
import { editText, putFile, writeText } from "./changing.js";
import { deleteEntry } from "./deleting.js";
import type { FileFailure, WorkspaceBackendOptions } from "./options.js";
import { listDirectory, readBytes, readData, readLines } from "./reading.js";
import { globFiles, grepFiles } from "./searching.js";
import { parsePath } from "./virtual-path.js";
import { openWorkspace, type WorkspaceRoot } from "./workspace-root.js";

const DEFAULT_LIMIT = 500;

/** The operations on the files of a workspace. */
class WorkspaceFiles implements GuardedBackend {
  readonly guarded = true;
  readonly #root: WorkspaceRoot;

  protected constructor(root: WorkspaceRoot) {
    this.#root = root;
  }

  /**
   * The same files for somebody who may do no more than this; each operation is checked on the file that it really reaches.
   * For decorators: `withRights` is what to use.
   */
  restrict(access: FileAccess): GuardedBackend {
    return new WorkspaceFiles(this.#root.restricted(access));
  }

  ls(directory: string): Promise<LsResult> {
    return this.#root.result(directory, () => listDirectory(this.#root, directory));
  }

  read(filePath: string, offset = 0, limit = DEFAULT_LIMIT): Promise<ReadResult> {
    return this.#root.result(filePath, () => readLines(this.#root, filePath, offset, limit));
  }

  readRaw(filePath: string): Promise<ReadRawResult> {
    return this.#root.result(filePath, () => readData(this.#root, filePath));
  }

  /** @param guard for decorators; deepagents' tools give none. */
  write(filePath: string, content: string, guard?: ChangeGuard): Promise<WriteResult> {
    return this.#root.result(filePath, () => writeText(this.#root, filePath, content, guard));
  }

  /** @param guard for decorators; deepagents' tools give none. */
  edit(
    filePath: string,
    oldString: string,
    newString: string,
    replaceAll = false,
    guard?: ChangeGuard,
  ): Promise<EditResult> {
    const edit = { oldString, newString, replaceAll };
    return this.#root.result(filePath, () => editText(this.#root, filePath, edit, guard));
  }

  /** @param guard for decorators; deepagents' tools give none. */
  delete(filePath: string, guard?: ChangeGuard): Promise<DeleteResult> {
    return this.#root.result(filePath, () => deleteEntry(this.#root, filePath, guard));
  }

  /**
   * Several changes as one: checked first, then all or nothing, also when the process is killed in between; what is left half
   * done then is brought to its end by whoever uses the workspace next.
   *
   * @param guard for decorators.
   */
  commit(changes: readonly FileChange[], guard?: ChangeGuard): Promise<CommitResult> {
    return this.#root.result("", () => commitFiles(this.#root, changes, guard));
  }

  /** For `withStaging`. */
  locate(path: string): Promise<{ path: string } | FileFailure> {
    return unreported(() =>
      this.#root.result(path, () => Promise.resolve({ path: this.#root.keyOf(parsePath(path)) })),
    );
  }

  /** For decorators that keep files of their own: whether a path of the real file system lies in here and is not hidden. */
  contains(realPath: string): boolean {
    return this.#root.contains(realPath);
  }

  /** For `bracketExec`. */
  observe(previous: Observation | undefined, limits: ObservationLimits): Promise<Observation> {
    return observeTree(this.#root, previous, limits);
  }

  /** For `bracketExec`: what a command changed is on the disk already, and decorators remember it. */
  record(): Promise<void> {
    return Promise.resolve();
  }

  /** Files below a directory that match a pattern, without those that .gitignore names. */
  glob(pattern: string, directory = "/"): Promise<GlobResult> {
    return this.#root.result(pattern, () => globFiles(this.#root, pattern, directory));
  }

  /**
   * Lines that hold the pattern, which is literal text.
   *
   * @param glob names of files: without a slash matched with the name alone.
   * @param maxCount most matches in the answer; default 2,000.
   */
  grep(
    pattern: string,
    directory: string | null = "/",
    glob: string | null = null,
    maxCount: number | null = null,
  ): Promise<GrepResult> {
    const at = directory ?? "/";
    return this.#root.result(at, () => grepFiles(this.#root, pattern, at, glob, maxCount));
  }

  /** @param guard for decorators. */
  async uploadFiles(files: [string, Uint8Array][], guard?: ChangeGuard): Promise<FileUploadResponse[]> {
    const responses: FileUploadResponse[] = [];
    for (const [filePath, content] of files) {
      const result = await this.#root.result(filePath, () =>
        putFile(this.#root, filePath, guard, () => content),
      );
      responses.push({ path: filePath, error: codeOf(result) });
    }
    return responses;
  }

  async downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    const responses: FileDownloadResponse[] = [];
    for (const filePath of paths) {
      const result = await this.#root.result(filePath, () => readBytes(this.#root, filePath));
      responses.push({
        path: filePath,
        content: "content" in result ? result.content : null,
        error: codeOf(result),
      });
    }
    return responses;
  }
}

/**
 * Real files below one directory, by deepagents' backend protocol. Nothing outside the directory is read or changed, whatever
 * links and races there are; every change is whole or not there at all; and a file keeps its encoding, byte-order mark, line
 * endings and mode. A failed operation returns `{ error, errorKind }` and throws nothing.
 *
 * @example
 * ```ts
 * import { WorkspaceBackend } from "@fiveseam/backends";
 *
 * const files = new WorkspaceBackend({ root: process.cwd() });
 * const { content, totalLines } = await files.read("/package.json");
 * console.log(totalLines, content);
 * ```
 */
export class WorkspaceBackend extends WorkspaceFiles {
  /** @throws {BackendError} `invalid_option` when the root is no directory, or an option is none. */
  constructor(options: WorkspaceBackendOptions) {
    super(openWorkspace(options));
  }
}

const codeOf = (result: object): FileUploadResponse["error"] => {
  switch ((result as Partial<FileFailure>).errorKind) {
    case undefined:
      return null;
    case "not_found":
      return "file_not_found";
    case "is_directory":
      return "is_directory";
    case "invalid_path":
    case "outside_workspace":
      return "invalid_path";
    default:
      return "permission_denied";
  }
};
