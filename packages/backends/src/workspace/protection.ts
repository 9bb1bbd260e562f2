import { FileError } from "./file-error.js";
import { foldName, type PathParts } from "./virtual-path.js";

/**
 * True below a `.git`, at any depth, whatever way of writing the name a file system takes for it: what is written there runs
 * as a hook or is the history itself. A `.git` file (of a worktree or a submodule) says where that is, and counts too.
 */
const isGit = (parts: PathParts): boolean => parts.some((name) => foldName(name) === ".git");

/** What may not be changed, and what is not even shown. */
export class Protection {
  readonly #protected: readonly PathParts[];
  readonly #hidden: readonly PathParts[];
  readonly #show: (parts: PathParts) => string;

  constructor(options: {
    protectedPaths: readonly PathParts[];
    hiddenPaths: readonly PathParts[];
    show(parts: PathParts): string;
  }) {
    this.#show = options.show;
    this.#protected = options.protectedPaths;
    this.#hidden = options.hiddenPaths;
  }

  isProtected(parts: PathParts): boolean {
    return isGit(parts) || [...this.#protected, ...this.#hidden].some((rule) => isBelow(parts, rule));
  }

  isHidden(parts: PathParts): boolean {
    return this.#hidden.some((rule) => isBelow(parts, rule));
  }

  /** @throws {FileError} `denied` */
  checkWrite(parts: PathParts): void {
    this.checkRead(parts);
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
