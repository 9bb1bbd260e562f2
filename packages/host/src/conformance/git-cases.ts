import type { GitPort } from "../git-port.js";
import type { ConformanceCase } from "./conformance-case.js";
import type { TestRepository } from "./git-repository.js";

/** Makes a case that gets a port and the repository that it looks at. */
export type GitTest = (
  name: string,
  run: (git: GitPort, repository: TestRepository) => Promise<void>,
) => ConformanceCase;

/** Names that a naive adapter reads as options, patterns, several names, or not at all. */
const NAMES = [
  "-rf",
  "--output=x",
  "a b.txt",
  "line\nbreak.txt",
  "tab\there.txt",
  'quote"s.txt',
  "grüße/日本.txt",
  "*.ts",
  ":(top)x",
  "[a].txt",
  "HEAD",
  "c:/d\\e",
];

/** Windows has no files of most of these names. */
export const ODD_PATHS: readonly string[] =
  process.platform === "win32" ? NAMES.filter((name) => !/[<>:"|?*\\\n\t]/.test(name)) : NAMES;
