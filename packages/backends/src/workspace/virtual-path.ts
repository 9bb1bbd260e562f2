import { FileError } from "./file-error.js";

/** A virtual path in parts, none of them `.`, `..` or empty; `[]` is the root. */
export type PathParts = readonly string[];

export const showPath = (parts: PathParts): string => `/${parts.join("/")}`;

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
/** True when the text holds half of a surrogate pair, which no encoding can say. */
export const hasLoneSurrogate = (text: string): boolean => LONE_SURROGATE.test(text);

const MAX_NAME_BYTES = 255;

const refuse = (path: string, why: string): never => {
  throw new FileError(
    "invalid_path",
    `"${path.replaceAll("\0", "\\0").slice(0, 300)}" is no path here: ${why}.`,
  );
};

/**
 * Splits a virtual path. `.`, empty names and a trailing slash mean nothing, `..` goes up, but not above the root. Nothing is
 * decoded: `%2e%2e` is a name.
 *
 * @throws {FileError} `invalid_path` for a NUL, half a surrogate pair, a backslash, a drive letter or a name that is too long;
 *   `outside_workspace` for a path that climbs above the root.
 */
export const parsePath = (path: unknown): string[] => {
  if (typeof path !== "string") throw new FileError("invalid_path", "The path must be a string.");
  if (path.includes("\0")) refuse(path, "it contains a NUL character");
  if (hasLoneSurrogate(path)) refuse(path, "it contains half of a surrogate pair");
  // A Windows path would otherwise become one long name in the root.
  if (path.includes("\\")) refuse(path, 'names are separated by "/"');
  const parts: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (parts.pop() === undefined) {
        throw new FileError("outside_workspace", `"${path.slice(0, 300)}" leads out of the workspace.`);
      }
      continue;
    }
    if (/^[A-Za-z]:$/.test(name)) refuse(path, "there are no drive letters");
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) refuse(path, "a name in it is longer than 255 bytes");
    parts.push(name);
  }
  return parts;
};

const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/**
 * Refuses names that Windows reads as a device or as another name: whoever checks the repository out there could not, or
 * would get another file. Only for files that are made.
 */
export const checkNewName = (name: string): void => {
  if (RESERVED.test(name)) refuse(name, "it is a reserved device name on Windows");
  if (/[. ]$/.test(name)) refuse(name, "it ends with a dot or a space, which Windows drops");
};

// Characters that HFS+ ignores in names, as git's own check lists them (utf8.c, next_hfs_char).
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** The name as the laxest of file systems sees it: for comparing with names that are protected. */
export const foldName = (name: string): string => {
  const folded =
    name
      .replace(IGNORED, "")
      .split(":")[0]
      ?.replace(/[. ]+$/, "")
      .normalize("NFC")
      .toLowerCase() ?? "";
  // The short name that NTFS gives it.
  return folded === "git~1" ? ".git" : folded;
};

/** True of `.git`, whatever way of writing it a file system takes for the name. */
export const isGitName = (name: string): boolean => {
  const first = name.charCodeAt(0);
  // Nothing that begins with another ASCII character folds to it; this is asked of every file of a tree.
  if (first < 0x80 && first !== 0x2e && first !== 0x47 && first !== 0x67) return false;
  return foldName(name) === ".git";
};
