import { existsSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { HostError } from "./errors.js";

/** Asks git for a setting of one file, which is no repository's for that. */
export type SettingOf = (file: string, name: string) => Promise<string | undefined>;

/**
 * The work tree that a directory lies in: the nearest at or above it that has a `.git`. It is told to git in so many
 * words, for a repository that was unpacked from somewhere could otherwise name any directory as its own (core.worktree),
 * and git would show and overwrite the files there.
 *
 * A `.git` that leads out of the work tree is refused as "denied" unless what it leads to knows of it, as it does for
 * linked work trees and submodules: else whoever made the directory could have another repository read and written.
 *
 * Nothing is returned where there is none, or where git is to say itself what is wrong.
 */
export const workTreeOf = async (root: string, settingOf: SettingOf): Promise<string | undefined> => {
  const start = await real(root);
  if (start === undefined) return undefined;
  for (let top = start; ; top = path.dirname(top)) {
    const found = await gitDirectoryIn(top);
    if (found !== undefined) {
      // Within the repository's own files there is no work tree, and git says so.
      if (isWithin(found, start)) return undefined;
      if (await isOf(top, found, settingOf)) return top;
      throw new HostError(
        "denied",
        `${path.join(top, ".git")} leads to ${found}, which is not known to be this directory's repository; a person ` +
          `who trusts it can run: git config --file ${path.join(found, "config")} core.worktree ${top}`,
      );
    }
    if (top === path.dirname(top)) return undefined;
  }
};

/** As git looks for it: a directory that is no repository is passed over. */
const gitDirectoryIn = async (top: string): Promise<string | undefined> => {
  const entry = path.join(top, ".git");
  const kind = await stat(entry).catch(() => undefined);
  if (kind?.isDirectory()) return existsSync(path.join(entry, "HEAD")) ? real(entry) : undefined;
  if (!kind?.isFile()) return undefined;
  const target = /^gitdir: ([^]+)$/.exec((await text(entry)) ?? "")?.[1]?.replace(/[\r\n]+$/, "");
  return target === undefined ? undefined : real(path.resolve(top, target));
};

const isOf = async (top: string, directory: string, settingOf: SettingOf): Promise<boolean> => {
  const shared = await text(path.join(directory, "commondir"));
  if (shared !== undefined) {
    // A linked work tree: `<repository>/worktrees/<name>`, whose file `gitdir` names the `.git` that leads to it.
    const common = await real(path.resolve(directory, shared.trimEnd()));
    const back = await text(path.join(directory, "gitdir"));
    return (
      common === path.dirname(path.dirname(directory)) &&
      path.basename(path.dirname(directory)) === "worktrees" &&
      back !== undefined &&
      (await real(path.dirname(path.resolve(directory, back.trimEnd())))) === top
    );
  }
  if (isWithin(top, directory)) return true;
  for (const name of ["config", "config.worktree"]) {
    const file = path.join(directory, name);
    const named = existsSync(file) ? await settingOf(file, "core.worktree") : undefined;
    if (named !== undefined && (await real(path.resolve(directory, named))) === top) return true;
  }
  return false;
};

const isWithin = (directory: string, file: string): boolean => {
  const way = path.relative(directory, file);
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
};

const real = (file: string): Promise<string | undefined> => realpath(file).catch(absent);
const text = (file: string): Promise<string | undefined> => readFile(file, "utf8").catch(absent);

/** What cannot be found or read is none; git, which reads the same, has the word on it. */
const absent = (): undefined => undefined;
