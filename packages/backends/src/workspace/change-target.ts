import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import type { ChangeTarget, FileBefore } from "./change-guard.js";
import type { Directory } from "./directory.js";
import { hashOf, readWhole, withFile } from "./file-content.js";
import { placeIn, type Place } from "./resolve.js";
import { showPath, type PathParts } from "./virtual-path.js";
import type { WorkspaceRoot } from "./workspace-root.js";

/** A place as a guard sees it. Good as long as the place is open. */
export const targetOf = (root: WorkspaceRoot, place: Place): ChangeTarget => {
  const before = (at: Place): Promise<FileBefore> =>
    withFile(at, async (file) => ({
      path: showPath(at.parts),
      file: root.show(at.parts),
      mode: Number(file.stats.mode & 0o7777n),
      content:
        Number(file.stats.size) > root.maxFileBytes ? undefined : await readWhole(file, root.maxFileBytes),
    }));

  const below = async (
    parent: Directory,
    name: string,
    parts: PathParts,
    visit: (file: FileBefore) => Promise<void>,
    other: ((file: string, leadsTo: string | undefined) => void) | undefined,
  ): Promise<number> => {
    const stats = lstatSync(parent.at(name), { bigint: true });
    if (stats.isFile()) {
      await visit(await before(placeIn(parent, { name, parts, stats, shown: root.show(parts) })));
      return 0;
    }
    if (!stats.isDirectory()) {
      other?.(root.show(parts), stats.isSymbolicLink() ? readlinkSync(parent.at(name)) : undefined);
      return 1;
    }
    const directory = parent.enter(name);
    let others = 0;
    try {
      for (const entry of readdirSync(directory.self)) {
        if (entry.includes("\ufffd")) others += 1;
        else others += await below(directory, entry, [...parts, entry], visit, other);
      }
    } finally {
      directory.close();
    }
    return others;
  };

  return {
    file: place.shown,
    path: showPath(place.parts),
    hash: async () =>
      place.stats?.isFile()
        ? withFile(place, async (file) => hashOf(await readWhole(file, root.maxFileBytes)))
        : null,
    eachFile: async (visit, other) =>
      place.stats ? below(place.directory, place.name, place.parts, visit, other) : 0,
  };
};
