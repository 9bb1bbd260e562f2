import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { byCodeUnit, type CandidateRequest, type CandidateSource } from "./candidates.js";

/** Walks the tree, in order, and proposes every file that is not hidden or ignored. */
export const jsCandidates: CandidateSource = {
  engine: "javascript",
  ordered: true,
  async *candidates({ scope, base, signal }: CandidateRequest) {
    const { tree } = scope;
    async function* walk(directory: string): AsyncGenerator<string> {
      signal.throwIfAborted();
      let entries: Dirent[];
      try {
        entries = await readdir(directory, { withFileTypes: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === undefined) throw error;
        return;
      }
      if (!entries.some(({ name }) => name === ".gitignore")) tree.noRules(directory);
      entries.sort((a, b) => byCodeUnit(a.name, b.name));
      for (const entry of entries) {
        const { name } = entry;
        if (name === ".git" || (!scope.hidden && name.startsWith("."))) continue;
        // Neither symbolic links nor pipes, sockets and devices.
        const isDirectory = entry.isDirectory();
        if (!isDirectory && !entry.isFile()) continue;
        const full = path.join(directory, name);
        if (scope.ignore && (await tree.entryIgnored(full, isDirectory, base.ignoreTop))) continue;
        if (isDirectory) yield* walk(full);
        else yield full;
      }
    }
    yield* walk(base.path);
  },
};
