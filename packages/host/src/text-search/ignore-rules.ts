import { bytesOf, compileGlob } from "./glob.js";

/** One line of a .gitignore, or one glob of a query. */
export interface PathRule {
  /** `!` */
  negated: boolean;
  directoriesOnly: boolean;
  matcher: RegExp;
}

/** White space to Rust; JavaScript's trimEnd has no U+0085, and has U+FEFF. */
const TRAILING_SPACE = /[\t-\r \u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]+$/;

/** Reads a line as git does where ripgrep agrees, and as ripgrep does where not (braces are alternatives). */
export const parseRule = (given: string): PathRule | undefined => {
  let line = given.replace(/\r$/, "");
  if (line.startsWith("#")) return undefined;
  if (!line.endsWith("\\ ")) line = line.replace(TRAILING_SPACE, "");
  if (line === "") return undefined;
  let negated = false;
  let anchored = false;
  if (line.startsWith("\\!") || line.startsWith("\\#")) line = line.slice(1);
  else {
    if (line.startsWith("!")) {
      negated = true;
      line = line.slice(1);
    }
    if (line.startsWith("/")) {
      anchored = true;
      line = line.slice(1);
    }
  }
  const directoriesOnly = line.endsWith("/");
  if (directoriesOnly) line = line.slice(0, -1).replace(/\\$/, "");
  if (!anchored && !line.includes("/") && line !== "**") line = `**/${line}`;
  // What is in a folder, and not the folder.
  if (line.endsWith("/**")) line += "/*";
  const matcher = compileGlob(line);
  return matcher && { negated, directoriesOnly, matcher };
};

export const parseIgnoreFile = (text: string): PathRule[] =>
  text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .map(parseRule)
    .filter((rule) => rule !== undefined);

/** What the last rule that matches says; undefined when none does. `path` is relative to the rules' directory. */
export const decide = (
  rules: readonly PathRule[],
  path: string,
  directory: boolean,
): "ignored" | "kept" | undefined => {
  if (rules.length === 0) return undefined;
  const bytes = bytesOf(path);
  for (let at = rules.length - 1; at >= 0; at -= 1) {
    const rule = rules[at] as PathRule;
    if ((directory || !rule.directoriesOnly) && rule.matcher.test(bytes))
      return rule.negated ? "kept" : "ignored";
  }
  return undefined;
};
