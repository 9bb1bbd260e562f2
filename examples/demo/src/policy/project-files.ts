import { tokenize } from "./tokens.js";

/** Where the agent sees the project. */
export const ROOT = "/workspace/";

const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx)$/;
const TEST =
  /(?:^|\/)(?:__tests__|tests?|specs?)\/|[._-](?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)test\.[cm]?[jt]sx?$|(?:^|\/)test-[^/]*$/;

export const isSourceFile = (path: string): boolean =>
  SOURCE.test(path) && !/(?:^|\/)(?:node_modules|\.git|dist|coverage)\//.test(path);
export const isTestFile = (path: string): boolean => TEST.test(path.slice(ROOT.length));

/** The paths in an answer of `glob` or `ls`. */
export const pathsIn = (answer: string): readonly string[] =>
  answer
    .split("\n")
    .map((line) => line.replace(/ \(.*\)$/, "").trim())
    .filter((line) => line.startsWith("/") && isSourceFile(line))
    .map((path) => (path.startsWith(ROOT) ? path : ROOT + path.slice(1)));

/**
 * The file that a path of the test runner means. The runner knows the real folder and the agent does not, so the
 * longest end of the path that is a known file is taken.
 */
export const knownPath = (runnerPath: string, known: ReadonlySet<string>): string | undefined => {
  const parts = runnerPath
    .replaceAll("\\", "/")
    .replace(/^[A-Za-z]:/, "")
    .split("/")
    .filter(Boolean);
  for (let skip = 0; skip < parts.length; skip += 1) {
    const candidate = ROOT + parts.slice(skip).join("/");
    if (known.has(candidate)) return candidate;
  }
  return undefined;
};

const joined = (folder: string, relative: string): string => {
  const parts = folder.split("/");
  for (const part of relative.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
};

const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.mjs", "/index.cjs", "/index.ts"];

/** The project files that a source imports or requires by a relative path. */
export const importsOf = (path: string, source: string, known: ReadonlySet<string>): readonly string[] => {
  const folder = path.slice(0, path.lastIndexOf("/"));
  const tokens = tokenize(source);
  const found = tokens.flatMap((token, index) => {
    const before = tokens[index - 1]?.text;
    const called = before === "(" && ["require", "import"].includes(tokens[index - 2]?.text ?? "");
    if (token.kind !== "string" || !(called || before === "from" || before === "import")) return [];
    const wanted = token.text.slice(1, -1);
    if (!wanted.startsWith(".")) return [];
    const target = joined(folder, wanted);
    // TypeScript sources name the file that they will be compiled to.
    const endings = [...ENDINGS.map((ending) => target + ending), target.replace(/\.([cm]?)js$/, ".$1ts")];
    return endings.find((candidate) => known.has(candidate)) ?? [];
  });
  return [...new Set(found)];
};
