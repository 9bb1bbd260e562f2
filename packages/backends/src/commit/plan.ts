import type { ChangeGuard, ChangeTarget, FileReceipt } from "../workspace/change-guard.js";
import { targetOf } from "../workspace/change-target.js";
import { checkChangeable, editBytes, encodeLike } from "../workspace/changing.js";
import { hashOf, readWhole, withFile } from "../workspace/file-content.js";
import { FileError } from "../workspace/file-error.js";
import type { Place } from "../workspace/resolve.js";
import { checkNewName, parsePath, showPath } from "../workspace/virtual-path.js";
import type { WorkspaceRoot } from "../workspace/workspace-root.js";
import { checkExpected } from "./expected.js";
import type { FileChange } from "./file-change.js";

/** A file as it is, and as it will be. */
export interface PlannedFile {
  readonly place: Place;
  readonly target: ChangeTarget;
  readonly before: Buffer | null;
  after: Uint8Array | null;
  /** Permission bits of what will be there; undefined: those of what is there, or the usual ones. */
  mode: number | undefined;
}

/** Thrown where a change cannot be made, with its number. */
export class PlanError extends Error {
  constructor(
    readonly at: number,
    readonly reason: unknown,
  ) {
    super("A change cannot be made.");
  }
}

const isSame = (one: Uint8Array | null, other: Uint8Array | null): boolean =>
  one === null || other === null ? one === other : Buffer.compare(one, other) === 0;

/** What a change set makes of which files; nothing is changed yet but that directories for new files are made. */
export class Plan {
  readonly #root: WorkspaceRoot;
  readonly #guard: ChangeGuard | undefined;
  readonly #files = new Map<string, PlannedFile>();

  constructor(root: WorkspaceRoot, guard: ChangeGuard | undefined) {
    this.#root = root;
    this.#guard = guard;
  }

  /** Those that will be other than they are, in the order in which they were named. */
  get changed(): readonly PlannedFile[] {
    return [...this.#files.values()].filter(({ before, after, mode, place }) => {
      const modeChanges =
        after !== null && mode !== undefined && mode !== Number((place.stats?.mode ?? 0n) & 0o7777n);
      return !isSame(before, after) || modeChanges;
    });
  }

  async add(changes: readonly FileChange[]): Promise<void> {
    for (const [at, change] of changes.entries()) {
      try {
        await this.#add(change);
      } catch (error) {
        throw new PlanError(at, error);
      }
    }
  }

  async #add(change: FileChange): Promise<void> {
    switch (change.kind) {
      case "write": {
        const file = await this.#file(change, change.path, { make: true });
        const { content } = change;
        const existing = file.before ?? undefined;
        file.after = typeof content === "string" ? encodeLike(existing, content, file.place.shown) : content;
        if (!(file.after instanceof Uint8Array))
          throw new FileError("invalid_text", "The content must be a string or bytes.");
        if (change.mode !== undefined) file.mode = change.mode & 0o7777;
        return;
      }
      case "edit": {
        const file = await this.#file(change, change.path, {});
        const { oldString, newString, replaceAll = false } = change;
        const bytes = this.#content(file);
        file.after = editBytes(bytes, { oldString, newString, replaceAll }, file.place.shown).after;
        return;
      }
      case "delete": {
        const file = await this.#file(change, change.path, { itself: true });
        this.#content(file);
        file.after = null;
        return;
      }
      case "rename": {
        const from = await this.#file(change, change.path, { itself: true });
        const bytes = this.#content(from);
        const to = await this.#file({}, change.to, { make: true });
        if (to.after !== null)
          throw new FileError("conflict", `${to.place.shown} is there already; delete it first.`);
        to.after = bytes;
        to.mode = from.mode ?? (from.place.stats ? Number(from.place.stats.mode & 0o7777n) : undefined);
        from.after = null;
        return;
      }
      default:
        throw new FileError(
          "failed",
          `There is no change of the kind "${String((change as FileChange).kind)}".`,
        );
    }
  }

  #content(file: PlannedFile): Buffer {
    if (file.after === null) throw new FileError("not_found", `${file.place.shown}: it does not exist.`);
    return Buffer.from(file.after);
  }

  async #file(
    meant: Pick<FileChange, "expect">,
    path: string,
    options: { make?: boolean; itself?: boolean },
  ): Promise<PlannedFile> {
    const file = await this.#open(path, options);
    checkExpected(meant, file.before, file.place.shown);
    return file;
  }

  async #open(path: string, { make = false, itself = false }): Promise<PlannedFile> {
    const root = this.#root;
    const parts = parsePath(path);
    const shown = root.show(parts);
    root.protection.checkWrite(parts);
    const place = root.place(parts, {
      followLast: !itself,
      makeParents: make,
      check: (real) => root.protection.checkWrite(real),
    });
    const key = showPath(place.parts);
    const known = this.#files.get(key);
    if (known) {
      place.close();
      return known;
    }
    try {
      if (place.stats?.isSymbolicLink())
        throw new FileError("denied", `${shown} is a symbolic link; a change set holds files only.`);
      checkChangeable(root, place, shown);
      if (!place.stats && make) checkNewName(place.name);
      const target = targetOf(root, place);
      await this.#guard?.before?.(target);
      const before = place.stats ? await withFile(place, (file) => readWhole(file, root.maxFileBytes)) : null;
      const file: PlannedFile = { place, target, before, after: before, mode: undefined };
      this.#files.set(key, file);
      return file;
    } catch (error) {
      place.undoParents();
      place.close();
      throw error;
    }
  }

  /** Says to the guard what will be there. */
  async announce(): Promise<void> {
    if (this.changed.length > 0) await this.#guard?.ready?.(this.changed);
  }

  receipts(): FileReceipt[] {
    return this.changed.map(({ place, before, after }) => ({
      file: place.shown,
      hashBefore: before ? hashOf(before) : null,
      hashAfter: after ? hashOf(after) : null,
    }));
  }

  close(done: boolean): void {
    for (const { place } of [...this.#files.values()].reverse()) {
      if (!done) place.undoParents();
      place.close();
    }
  }
}
