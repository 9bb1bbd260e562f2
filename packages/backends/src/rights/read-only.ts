import type { BackendProtocolV2 } from "deepagents";
import { withRights } from "./with-rights.js";

export interface ReadOnlyOptions {
  /**
   * Prefixes that stay writable. deepagents itself stores large tool results and old history through the backend, so
   * a delegate keeps these even when it has no tool to write with.
   */
  except?: readonly string[];
  /** Who is refused, for the message; for instance a role's name. */
  who?: string;
}

/**
 * A backend through which nothing can be changed: `withRights` for somebody who may read everything and write nothing. Every
 * write, edit, delete and upload outside `except` is refused with a text the model can act on; commands (`execute`) are not
 * passed on at all.
 *
 * @example
 * ```ts
 * import { readOnly } from "@fiveseam/backends";
 * import { FilesystemBackend } from "deepagents";
 *
 * const files = readOnly(new FilesystemBackend({ rootDir: process.cwd(), virtualMode: true }));
 * const result = await files.write("/notes.txt", "hello");
 * console.log(result.error); // says that it may not be changed
 * ```
 */
export const readOnly = (
  backend: BackendProtocolV2,
  options: ReadOnlyOptions = {},
): BackendProtocolV2 & { readonly routePrefixes?: readonly string[] } =>
  withRights(backend, { ...options, covers: (access) => "read" in access });
