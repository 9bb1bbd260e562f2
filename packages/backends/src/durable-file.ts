import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";

/** Writes what is on the disk when this returns, for the user alone. */
export const writeDurably = (file: string, flags: "a" | "w", bytes: string | Uint8Array): void => {
  const fd = openSync(file, flags, 0o600);
  try {
    const data = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    for (let at = 0; at < data.length;) at += writeSync(fd, data, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

/** The same for a whole file, which is the old or the new one whenever the process ends. */
export const replaceDurably = (file: string, bytes: string | Uint8Array): void => {
  writeDurably(`${file}.new`, "w", bytes);
  renameSync(`${file}.new`, file);
};
