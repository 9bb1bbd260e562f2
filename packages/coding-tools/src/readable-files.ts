import { HostError, type TextSearchOptions, type TextSearchPort, type TextSearchScope } from "@fiveseam/host";
import { ToolDeniedError, ToolInputError } from "./errors.js";
import { mayRead, toVirtualPath } from "./workspace-paths.js";

const MAX_FILES = 50_000;

/**
 * The files of a search that whoever calls may read. Whether the others exist is not told: a path that may not be read is
 * refused in the same words whether something is there or not.
 *
 * @throws {ToolDeniedError} when a path is named that may not be read and holds nothing that may.
 */
export const readableFiles = async (
  port: TextSearchPort,
  scope: TextSearchScope,
  options: TextSearchOptions,
): Promise<string[]> => {
  const named = (scope.paths ?? []).filter((path) => !mayRead(toVirtualPath(path)));
  const refuse = (): never => {
    throw new ToolDeniedError(`You may not read ${named.map(toVirtualPath).join(", ")} here.`);
  };
  const listed = await port.files({ ...scope, maxFiles: MAX_FILES }, options).catch((error: unknown) => {
    if (named.length > 0 && error instanceof HostError && error.code === "not_found") return refuse();
    throw error;
  });
  if (listed.truncated)
    throw new ToolInputError(`There are more than ${MAX_FILES} files: name a \`path\`, or closer globs.`);
  const readable = listed.files.filter((file) => mayRead(toVirtualPath(file)));
  if (readable.length === 0 && named.length > 0) refuse();
  return readable;
};
