import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import path from "node:path";
import { FileError } from "./file-error.js";

/** Opens a directory for nothing but naming what is in it (Linux; Node does not list it). */
const O_PATH = 0o10000000;
const DIRECTORY = constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** How a directory is held between the check and the use. */
export type Confinement =
  /** By an open descriptor of each directory on the way (Linux): whatever is swapped meanwhile, the operation stays in it. */
  | "descriptors"
  /** By its path, checked again right before and after the use: what is swapped in between is noticed, not prevented. */
  | "paths";

/** What this system can do. */
export const systemConfinement = (): Confinement => {
  if (process.platform !== "linux") return "paths";
  try {
    const fd = openSync("/", O_PATH | DIRECTORY);
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === "/" ? "descriptors" : "paths";
    } finally {
      closeSync(fd);
    }
  } catch {
    return "paths";
  }
};

/** A directory that was reached without following a symbolic link, held open until `close`. */
export interface Directory {
  /** Where it really is. */
  readonly real: string;
  /** A path that names an entry of this very directory. */
  at(name: string): string;
  /** A path of the directory itself, for listing it. */
  readonly self: string;
  /** Opens a directory in it. Fails with ENOTDIR or ELOOP when it is something else. */
  enter(name: string): Directory;
  /** Makes a directory in it. */
  make(name: string): void;
  /**
   * @throws {FileError} `conflict` when it is no longer where it was.
   */
  verify(): void;
  close(): void;
}

class DescriptorDirectory implements Directory {
  readonly self: string;
  #open = true;

  constructor(
    readonly fd: number,
    readonly real: string,
  ) {
    this.self = `/proc/self/fd/${fd}`;
  }

  at(name: string): string {
    // The number of a closed descriptor may by now be that of anything.
    if (!this.#open) throw new TypeError("The directory is closed.");
    return `${this.self}/${name}`;
  }

  enter(name: string): Directory {
    return new DescriptorDirectory(openSync(this.at(name), O_PATH | DIRECTORY), path.join(this.real, name));
  }

  make(name: string): void {
    mkdirSync(this.at(name));
  }

  verify(): void {
    if (readlinkSync(this.self) !== this.real)
      throw new FileError("conflict", "A directory on the way was moved or removed meanwhile.");
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.fd);
  }
}

class PathDirectory implements Directory {
  readonly #identity: string;

  constructor(readonly real: string) {
    this.#identity = PathDirectory.identityOf(real);
  }

  static identityOf(real: string): string {
    const found = lstatSync(real, { bigint: true });
    if (!found.isDirectory()) throw Object.assign(new Error("not a directory"), { code: "ENOTDIR" });
    return `${found.dev}:${found.ino}`;
  }

  get self(): string {
    return this.real;
  }

  at(name: string): string {
    return path.join(this.real, name);
  }

  enter(name: string): Directory {
    return new PathDirectory(this.at(name));
  }

  make(name: string): void {
    mkdirSync(this.at(name));
  }

  verify(): void {
    // The identity alone would not notice a parent that is a link now.
    if (PathDirectory.identityOf(this.real) !== this.#identity || realpathSync(this.real) !== this.real)
      throw new FileError("conflict", "A directory on the way was replaced meanwhile.");
  }

  close(): void {}
}

/** Opens the root of a workspace. */
export const openRoot = (real: string, confinement: Confinement): Directory => {
  if (confinement === "paths") return new PathDirectory(real);
  const fd = openSync(real, O_PATH | DIRECTORY);
  if (fstatSync(fd).isDirectory()) return new DescriptorDirectory(fd, real);
  closeSync(fd);
  throw Object.assign(new Error("not a directory"), { code: "ENOTDIR" });
};
