import type { ToolFiles } from "./tool-files.js";
import { ToolInputError } from "./errors.js";

/** A text file of the backend, as one string. */
export const readText = async (backend: ToolFiles, virtual: string): Promise<string> => {
  const { error, data } = await backend.readRaw(virtual);
  if (error !== undefined || !data) throw new ToolInputError(error ?? `${virtual} could not be read.`);
  const { content } = data;
  if (typeof content === "string") return content;
  if (content instanceof Uint8Array) throw new ToolInputError(`${virtual} is no text.`);
  // The older form of state files.
  return content.join("\n");
};

/** A text file's lines, without their ends. */
export const readLines = async (backend: ToolFiles, virtual: string): Promise<string[]> =>
  (await readText(backend, virtual)).split(/\r\n|\n|\r/);
