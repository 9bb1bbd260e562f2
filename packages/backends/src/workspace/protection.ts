import { deniedText, type FileAccess } from "../rights/file-access.js";
import { FileError } from "./file-error.js";
import { foldName, isGitName, showPath, type PathParts } from "./virtual-path.js";

/**
 * True below a `.git`, at any depth, whatever way of writing the name a file system takes for it: what is written there runs
 * as a hook or is the history itself. A `.git` file (of a worktree or a submodule) says where that is, and counts too.
 */
const isGit = (parts: PathParts): boolean => parts.some(isGitName);

export interface ProtectionOptions {
  readonly protectedPaths: readonly PathParts[];
  readonly hiddenPaths: readonly PathParts[];
  /** What whoever asks may do; each of these must cover it. */
  readonly access?: readonly FileAccess[];
  show(parts: PathParts): string;
}

/** What may not be changed, and what is not even shown. */
export class Protection {
  readonly #protected: readonly PathParts[];
  readonly #hidden: readonly PathParts[];
  readonly #show: (parts: PathParts) => string;
  readonly #access: readonly FileAccess[];
  readonly #options: ProtectionOptions;

  constructor(options: ProtectionOptions) {
    this.#options = options;
    this.#show = options.show;
    this.#access = options.access ?? [];
    this.#protected = options.protectedPaths;
    this.#hidden = options.hiddenPaths;
  }

  /** The same, and what this access does not cover. */
  restricted(access: FileAccess): Protection {
    return new Protection({ ...this.#options, access: [...this.#access, access] });
  }

  isProtected(parts: PathParts): boolean {
    return (
      isGit(parts) ||
      [...this.#protected, ...this.#hidden].some((rule) => isBelow(parts, rule)) ||
      this.#access.some((access) => !access.mayRead(showPath(parts)) || !access.mayWrite(showPath(parts)))
    );
  }

  get isRestricted(): boolean {
    return this.#access.length > 0;
  }

  /** Whether the content of a file, or the names in a directory, may be told. */
  mayRead(parts: PathParts): boolean {
    return this.#access.every((access) => access.mayRead(showPath(parts)));
  }

  /** @throws {FileError} `denied` */
  checkReadFile(parts: PathParts): void {
    const by = this.#access.find((access) => !access.mayRead(showPath(parts)));
    if (by) throw new FileError("denied", deniedText(by.who, "read", this.#show(parts)));
  }

  isHidden(parts: PathParts): boolean {
    return this.#hidden.some((rule) => isBelow(parts, rule));
  }

  /** What a walk asks of the names in a directory that is not hidden itself, worked out once for all of them. */
  within(directory: PathParts): { isHidden(name: string): boolean; mayRead(name: string): boolean } {
    const hidden = this.#hidden
      .filter((rule) => rule.length === directory.length + 1 && isBelow(directory, rule.slice(0, -1)))
      .map((rule) => foldName(rule.at(-1) as string));
    const access = this.#access;
    const prefix = directory.length === 0 ? "/" : `${showPath(directory)}/`;
    return {
      isHidden: hidden.length === 0 ? () => false : (name) => hidden.includes(foldName(name)),
      mayRead:
        access.length === 0 ? () => true : (name) => access.every((each) => each.mayRead(prefix + name)),
    };
  }

  /** @throws {FileError} `denied` */
  checkWrite(parts: PathParts): void {
    this.checkRead(parts);
    const path = showPath(parts);
    const by = this.#access.find((access) => !access.mayRead(path) || !access.mayWrite(path));
    if (by) throw new FileError("denied", deniedText(by.who, "write", this.#show(parts)));
    if (!this.isProtected(parts)) return;
    throw new FileError(
      "denied",
      `${this.#show(parts)} is protected: git's own files and what the host keeps here are not changed by file tools.`,
    );
  }

  /** @throws {FileError} `not_found`: whatever is hidden is not there. */
  checkRead(parts: PathParts): void {
    if (this.isHidden(parts)) throw new FileError("not_found", `${this.#show(parts)}: it does not exist.`);
  }
}

/** Compared as the laxest file system would: a rule must not depend on which one is below. */
const isBelow = (parts: PathParts, rule: PathParts): boolean =>
  parts.length >= rule.length && rule.every((name, at) => foldName(name) === foldName(parts[at] as string));
