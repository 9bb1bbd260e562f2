// What the harness runs: deepagents' own backend for files.
import { FilesystemBackend } from "deepagents";

export const virtualPrefix = "";
export const createBackend = (root) => new FilesystemBackend({ rootDir: root, virtualMode: true });
