import type { BackendProtocolV2 } from "deepagents";

/** What somebody may do with files. Asked with canonical virtual paths, as the backend that asks names them. */
export interface FileAccess {
  /** Who it is, for messages. */
  readonly who: string;
  mayRead(path: string): boolean;
  mayWrite(path: string): boolean;
}

/** A backend that enforces an access itself: on the file that a path really leads to, at the moment it is used. */
export interface RestrictableBackend extends BackendProtocolV2 {
  /** The same files for somebody who may do no more than this. */
  restrict(access: FileAccess): BackendProtocolV2;
}

export const isRestrictable = (backend: BackendProtocolV2): backend is RestrictableBackend =>
  typeof (backend as Partial<RestrictableBackend>).restrict === "function";

/** The same access, asked by a backend whose root is at `prefix`. */
export const accessBelow = (access: FileAccess, prefix: string): FileAccess => {
  const base = prefix.replace(/\/+$/, "");
  const outer = (path: string): string => (path === "/" && base !== "" ? base : base + path);
  return {
    who: access.who,
    mayRead: (path) => access.mayRead(outer(path)),
    mayWrite: (path) => access.mayWrite(outer(path)),
  };
};

/** What both cover. */
export const accessOfBoth = (one: FileAccess, other: FileAccess): FileAccess => ({
  who: other.who,
  mayRead: (path) => one.mayRead(path) && other.mayRead(path),
  mayWrite: (path) => one.mayWrite(path) && other.mayWrite(path),
});

/** What the model is told, so that it goes on without the file. */
export const deniedText = (who: string, what: "read" | "write", shown: string): string =>
  what === "read"
    ? `Denied: ${who} may not read ${shown}. Go on without it, or report that you need it.`
    : `Denied: ${who} may not change ${shown}. Report what you would change.`;
