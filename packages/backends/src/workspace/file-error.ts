import { reportToCall } from "./call-report.js";

/** Why an operation on a file was refused or failed. */
export const FILE_ERROR_KINDS = [
  "not_found",
  /** The text to replace stands there more than once. */
  "ambiguous",
  /** The file changed since the caller read it. */
  "stale",
  /** Somebody else changed or holds it at this moment, or something of another kind is there. */
  "conflict",
  "outside_workspace",
  /** Protected, special, read-only, or not this user's. */
  "denied",
  "binary",
  "too_large",
  "invalid_path",
  "is_directory",
  /** Text that cannot be stored: half of a surrogate pair, a character that the file's encoding lacks. */
  "invalid_text",
  /** The disk or the system failed. */
  "failed",
] as const;

export type FileErrorKind = (typeof FILE_ERROR_KINDS)[number];

/** Thrown inside; a backend's methods return it as `{ error, errorKind }`. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly kind: FileErrorKind;

  constructor(kind: FileErrorKind, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
  }
}

/** A failed operation, said to the call that it belongs to as well. */
export const refuse = (
  errorKind: FileErrorKind,
  error: string,
): { error: string; errorKind: FileErrorKind } => {
  reportToCall({ ok: false, kind: errorKind, message: error });
  return { error, errorKind };
};

const KIND_BY_CODE: Readonly<Record<string, FileErrorKind>> = {
  ENOENT: "not_found",
  ENOTDIR: "not_found",
  EISDIR: "is_directory",
  EEXIST: "conflict",
  ENOTEMPTY: "conflict",
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "denied",
  ENXIO: "denied",
  ETXTBSY: "conflict",
  ELOOP: "outside_workspace",
  ENAMETOOLONG: "invalid_path",
  EINVAL: "invalid_path",
};

const TEXT_BY_CODE: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "a part of the path is a file",
  EISDIR: "it is a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENXIO: "it is a special file",
  ELOOP: "it leads through a symbolic link",
  ENAMETOOLONG: "a name in it is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EMFILE: "too many files are open",
};

/** What happened, with the virtual path; the system's own message would show the real one. */
export const fileErrorOf = (error: unknown, path: string): FileError => {
  if (error instanceof FileError) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? "";
  const text = TEXT_BY_CODE[code] ?? (code === "" ? "an unexpected failure" : `the system says ${code}`);
  return new FileError(KIND_BY_CODE[code] ?? "failed", `${path}: ${text}.`, { cause: error });
};
