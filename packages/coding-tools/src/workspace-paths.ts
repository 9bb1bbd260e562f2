import path from "node:path";
import { ALL_RIGHTS, covers, currentCall } from "@fiveseam/tool-pipeline";
import { ToolDeniedError, ToolInputError } from "./errors.js";

/** Where the model sees the workspace. */
export const WORKSPACE = "/workspace";

/** A model's path, `/workspace/src/a.ts` or `src/a.ts`, as ports take it: relative to the root, `.` for the root itself. */
export const toHostPath = (given: string): string => {
  if (given.includes("\0")) throw new ToolInputError("The path contains a NUL character.");
  const inside = given === WORKSPACE || given.startsWith(`${WORKSPACE}/`);
  if (path.posix.isAbsolute(given) && !inside) {
    throw new ToolInputError(`"${given}" is outside the workspace; use a path under ${WORKSPACE}/.`);
  }
  const relative = path.posix.normalize(inside ? `.${given.slice(WORKSPACE.length)}` : given);
  if (relative === ".." || relative.startsWith("../")) {
    throw new ToolInputError(`"${given}" leaves the workspace; use a path under ${WORKSPACE}/.`);
  }
  return relative.length > 1 ? relative.replace(/\/$/, "") : relative;
};

/** A port's path as the model knows it. A file outside the root, a library's for instance, keeps its own. */
export const toVirtualPath = (given: string): string =>
  path.posix.isAbsolute(given) || /^[A-Za-z]:[\\/]/.test(given)
    ? given
    : `${WORKSPACE}/${given === "." ? "" : given}`;

/**
 * A model's path as the agent's file tools take it: `/docs/a.md` stays what it is, `src/a.ts` is below the workspace.
 *
 * @throws {ToolInputError} when the path has a NUL or leaves the workspace.
 */
export const toBackendPath = (given: string): string => {
  if (!path.posix.isAbsolute(given)) return toVirtualPath(toHostPath(given));
  if (given.includes("\0")) throw new ToolInputError("The path contains a NUL character.");
  return path.posix.normalize(given);
};

/** True when whoever makes the call that we are in may read the file. */
export const mayRead = (virtual: string): boolean => {
  const call = currentCall();
  return call === undefined || covers(call.rights, { read: virtual });
};

/** @throws {ToolDeniedError} when the caller may not read the file. */
export const checkReadable = (virtual: string): void => {
  if (!mayRead(virtual)) throw new ToolDeniedError(`You may not read ${virtual} here.`);
};

/** @throws {ToolDeniedError} when the caller may not change the file. What may not be read may not be changed either. */
export const checkWritable = (virtual: string): void => {
  const rights = currentCall()?.rights;
  if (rights && !(covers(rights, { read: virtual }) && covers(rights, { write: virtual })))
    throw new ToolDeniedError(`You may not change ${virtual} here. Report what you would change.`);
};

/** True when the rights of whoever calls leave nothing out. */
export const readsEverything = (): boolean => reachesEverything("read");

const reachesEverything = (access: "read" | "write"): boolean => {
  const rights = currentCall()?.rights;
  return !rights || JSON.stringify(rights[access]) === JSON.stringify(ALL_RIGHTS[access]);
};

/** True when whoever calls may read and change every file. */
export const changesEverything = (): boolean => reachesEverything("read") && reachesEverything("write");

/** For tools whose answer cannot be told apart by file. */
export const checkReadsEverything = (tool: string): void => {
  if (!reachesEverything("read"))
    throw new ToolDeniedError(`${tool} shows files beyond those that you may read here.`);
};

/** For tools that change whatever files they have to. */
export const checkWritesEverything = (tool: string): void => {
  if (!reachesEverything("write"))
    throw new ToolDeniedError(`${tool} changes files beyond those that you may write here.`);
};
