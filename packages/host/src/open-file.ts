import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { HostError } from "./errors.js";

/** Opens a file to read it, and nothing but a file: a pipe would be waited for, and a device has no end. */
export const openFile = async (file: string): Promise<FileHandle> => {
  // Windows has no such flag, and no such pipes among its files.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if ((await handle.stat()).isFile()) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  throw new HostError("failed", `${file} is no file`);
};
