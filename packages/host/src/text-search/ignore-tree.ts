import { readFile } from "node:fs/promises";
import path from "node:path";
import { decide, parseIgnoreFile, type PathRule } from "./ignore-rules.js";

/** The .gitignore files of a tree, each read once, when it is first needed. Made anew for each search. */
export class IgnoreTree {
  readonly #rules = new Map<string, Promise<readonly PathRule[]>>();
  readonly #below = new Map<string, Promise<boolean>>();

  /** The rules of one directory. */
  rules(directory: string): Promise<readonly PathRule[]> {
    let rules = this.#rules.get(directory);
    if (!rules) {
      rules = readFile(path.join(directory, ".gitignore"), "utf8").then(parseIgnoreFile, () => []);
      this.#rules.set(directory, rules);
    }
    return rules;
  }

  /** Says of a directory that has been listed that it has no .gitignore, which saves the attempt to read it. */
  noRules(directory: string): void {
    if (!this.#rules.has(directory)) this.#rules.set(directory, Promise.resolve([]));
  }

  /** Whether the entry itself is ignored by the files from its own directory up to `top`; the deepest that decides wins. */
  async entryIgnored(entry: string, isDirectory: boolean, top: string): Promise<boolean> {
    for (let directory = path.dirname(entry); ; directory = path.dirname(directory)) {
      const rules = await this.rules(directory);
      if (rules.length > 0) {
        const verdict = decide(rules, relative(directory, entry), isDirectory);
        if (verdict) return verdict === "ignored";
      }
      if (directory === top || directory === path.dirname(directory)) return false;
    }
  }

  /** Whether the entry, or a directory between `base` and it, is ignored. */
  async ignoredBelow(base: string, entry: string, isDirectory: boolean, top: string): Promise<boolean> {
    if (entry === base) return false;
    const parent = path.dirname(entry);
    if (parent !== base) {
      const key = `${top}\0${base}\0${parent}`;
      let above = this.#below.get(key);
      if (!above) {
        above = this.ignoredBelow(base, parent, true, top);
        this.#below.set(key, above);
      }
      if (await above) return true;
    }
    return this.entryIgnored(entry, isDirectory, top);
  }
}

/** With `/` on every system. */
export const relative = (from: string, to: string): string =>
  path.sep === "/" ? path.relative(from, to) : path.relative(from, to).split(path.sep).join("/");
