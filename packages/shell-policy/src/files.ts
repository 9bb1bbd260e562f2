import type { WriteKind } from "./call.js";
import { isKnown, showField } from "./field.js";
import {
  absolute,
  hitsRootSet,
  isBlockDevice,
  isGuarded,
  isHarmlessDevice,
  isInside,
  isSecret,
  isSystemFile,
  isBelow,
  isVital,
  withoutGlobs,
  type Places,
} from "./paths.js";
import type { Scope } from "./scope.js";
import { allow, ask, deny, reads, type Judgement } from "./verdict.js";

/** Judges reading the content of a path. */
export const judgeRead = (field: string, scope: Scope, places: Places): Judgement => {
  const path = absolute(field, scope.cwd) ?? field;
  if (/^\/dev\/(?:tcp|udp)\//.test(path)) return ask("network", "it opens a connection");
  if (isSecret(withoutGlobs(path), places) || isSecret(path, places))
    return ask("secrets.read", `it shows what is in ${showField(field)}, which holds keys`, true);
  return reads();
};

/** Judges writing to a path, emptying it, removing it, or moving it away. */
export const judgeWrite = (
  field: string,
  scope: Scope,
  places: Places,
  how: WriteKind = "write",
): Judgement => {
  const shown = showField(field);
  const path = absolute(field, scope.cwd);
  if (path === undefined || !isKnown(path)) {
    if (path !== undefined && isVital(path)) return deny("vital", `it changes ${shown}`);
    if (how === "remove" || how === "move-away")
      return ask("dynamic", "what it removes is not known before it runs");
    return allow("write.dynamic", "it writes a file");
  }
  if (isHarmlessDevice(path))
    return how === "remove" || how === "move-away"
      ? ask("remove", `it deletes ${shown}`)
      : reads("device", "it writes to no file");
  if (isBelow(path, "/dev/shm")) return allow("write", "it writes to scratch memory");
  if (/^\/dev\/(?:tcp|udp)\//.test(path)) return ask("network", "it sends data over the network");
  if (isBlockDevice(path)) return deny("device", `it overwrites the disk ${shown}`);
  if (isVital(path))
    return deny("vital", `it changes ${shown}, without which nobody gets in or anybody does`);
  if ((how === "remove" || how === "move-away") && isSystemFile(path))
    return deny("vital", `it removes ${shown}, a part of the system`);
  if (isGuarded(path))
    return ask("guarded", `it changes ${shown}, which decides what runs or what is allowed`);
  if (how === "remove") return ask("remove", `it deletes ${shown}`);
  if (!isInside(path, places)) return ask("outside", `it changes ${shown}, outside the workspace`);
  if (how === "empty") return ask("empty", `it empties ${shown}`);
  return allow("write", "it changes files of the workspace");
};

/** Remembers what a text has written: to run it later in the same text is to run what nobody has looked at. */
export const noteWritten = (field: string, scope: Scope): void => {
  const path = absolute(field, scope.cwd);
  if (path !== undefined) scope.written.add(path);
};

/** What is copied or moved from what a text has written is the same under another name, or by its own in a directory. */
export const noteCopied = (sources: readonly string[], target: string, scope: Scope): void => {
  for (const source of sources) {
    const from = absolute(source, scope.cwd);
    if (from === undefined || !scope.written.has(from)) continue;
    noteWritten(target, scope);
    noteWritten(`${target}/${from.slice(from.lastIndexOf("/") + 1)}`, scope);
  }
};

/** Judges removing a path with all that is below it. */
export const judgeRecursiveRemoval = (field: string, scope: Scope, places: Places): Judgement => {
  const path = absolute(field, scope.cwd);
  if (path !== undefined && isKnown(path) && hitsRootSet(path, places))
    return deny("remove.root", `it removes ${showField(field)}, which is the system or somebody's home`);
  return judgeWrite(field, scope, places, "remove");
};

/** Judges moving something away from where it is. */
export const judgeMoveAway = (field: string, target: string, scope: Scope, places: Places): Judgement => {
  const path = absolute(field, scope.cwd);
  if (path !== undefined && isKnown(path) && hitsRootSet(path, places))
    return deny("remove.root", `it moves away ${showField(field)}, which is the system or somebody's home`);
  const away = judgeWrite(field, scope, places, "move-away");
  if (away.verdict !== "allow") return away;
  const to = absolute(target, scope.cwd);
  if (
    path !== undefined &&
    to !== undefined &&
    isBelow(path, places.workspace) &&
    !isBelow(to, places.workspace)
  )
    return ask("move-out", `it moves ${showField(field)} out of the workspace`);
  return allow("write", "it changes files of the workspace");
};
