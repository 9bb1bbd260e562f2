import type { PrefixLoad, PrefixSection, PrefixSource } from "../prefix/source.js";
import { CHARS_PER_TOKEN } from "../tokens.js";
import type { ContextFiles } from "./context-files.js";

/**
 * Where projects keep what an agent should know, relative to their root: AGENTS.md (agents.md), CLAUDE.md (Claude Code)
 * and rules of our own. A name with "/" at its end is a directory, whose `.md` files are read in the order of their names.
 */
export const DEFAULT_INSTRUCTIONS: readonly string[] = [
  "AGENTS.md",
  ".fiveseam/AGENTS.md",
  "CLAUDE.md",
  ".fiveseam/rules.md",
  ".fiveseam/rules/",
];

export interface InstructionFilesOptions {
  readonly files: ContextFiles;
  /** The directory of the project as `files` knows it, for instance "/workspace/". */
  readonly root: string;
  /** Relative to the root, or absolute where they begin with "/"; default `DEFAULT_INSTRUCTIONS`. */
  readonly paths?: readonly string[];
  /** Default 4,000. */
  readonly maxTokens?: number;
  /** Default "Project instructions". Two sources of one prompt have two titles. */
  readonly title?: string;
}

/** How deep one file may import another, and how many in all: each of a hundred may import a hundred. */
const MAX_DEPTH = 5;
const MAX_IMPORTS = 100;

const join = (directory: string, path: string): string =>
  path.startsWith("/") ? path : `${directory.replace(/\/+$/, "")}/${path}`;

const normalised = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replace(/^\uFEFF/, "")
    .trim();

/** The file that a line of CLAUDE.md imports ("@docs/style.md" alone on its line); only files beside or below it. */
const importedBy = (line: string, directory: string): string | undefined => {
  const path = /^@((?:\.\/)?[\w.-][\w./ -]*)$/.exec(line.trim())?.[1]?.replace(/^\.\//, "");
  return path === undefined || path.split("/").includes("..") ? undefined : join(directory, path);
};

interface Importing {
  /** Files that are sections themselves. */
  readonly own: ReadonlySet<string>;
  readonly unreadable: Unreadable;
  /** What may still be taken in. */
  readonly room: { files: number; chars: number };
}

type Unreadable = NonNullable<PrefixLoad["unreadable"]>;

const rethrow: Unreadable = (_id, error) => {
  throw error;
};

/** Undefined when it cannot be read: one bad file must not take the others with it. */
const orUnreadable = async <T>(
  reading: Promise<T>,
  id: string,
  unreadable: Unreadable,
): Promise<T | undefined> => {
  try {
    return await reading;
  } catch (error) {
    unreadable(id, error);
    return undefined;
  }
};

/**
 * The project's own instructions. Each file is a section; what two files say alike is said once, and a CLAUDE.md that
 * only imports AGENTS.md adds nothing.
 *
 * @example
 * ```ts
 * import { instructionFiles, storeFiles } from "@fiveseam/context";
 * import { InMemoryStore } from "@langchain/langgraph";
 *
 * // The same from a database: changed there, seen by every agent at its next turn.
 * const source = instructionFiles({ files: storeFiles(new InMemoryStore(), ["team", "rules"]), root: "/" });
 * ```
 */
export const instructionFiles = (options: InstructionFilesOptions): PrefixSource => {
  const {
    files,
    root,
    paths = DEFAULT_INSTRUCTIONS,
    maxTokens = 4_000,
    title = "Project instructions",
  } = options;

  const pathsNow = async (unreadable: Unreadable): Promise<string[]> => {
    const found: string[] = [];
    for (const each of paths) {
      const path = join(root, each);
      if (!each.endsWith("/")) found.push(path);
      else
        found.push(
          ...((await orUnreadable(files.list(path), path, unreadable)) ?? [])
            .filter((name) => name.endsWith(".md"))
            .toSorted()
            .map((name) => join(path, name)),
        );
    }
    return [...new Set(found)];
  };

  /** The text with the files in it that it imports, except those that are sections themselves. */
  const withImports = async (
    path: string,
    text: string,
    { own, unreadable, room }: Importing,
    seen: readonly string[] = [],
  ): Promise<string> => {
    if (seen.length >= MAX_DEPTH || !text.includes("@")) return text;
    const directory = path.slice(0, path.lastIndexOf("/") + 1);
    const lines: string[] = [];
    let fenced = false;
    for (const line of text.split("\n")) {
      if (line.trimStart().startsWith("```")) fenced = !fenced;
      const imported = fenced ? undefined : importedBy(line, directory);
      if (imported === undefined || seen.includes(imported)) lines.push(line);
      else if (room.files <= 0 || room.chars <= 0) lines.push(line);
      else if (!own.has(imported)) {
        room.files -= 1;
        const inner = await orUnreadable(files.read(imported), imported, unreadable);
        room.chars -= inner?.length ?? 0;
        const importing = { own, unreadable, room };
        lines.push(
          inner === undefined
            ? line
            : await withImports(imported, normalised(inner), importing, [...seen, path]),
        );
      }
    }
    return lines.join("\n").trim();
  };

  return {
    title,
    maxTokens,
    whole: ({ id }) => `the whole file is at ${id}`,
    async load({ unreadable = rethrow }) {
      const now = await pathsNow(unreadable);
      const read = await Promise.all(
        now.map(async (path) => ({
          path,
          text: normalised((await orUnreadable(files.read(path), path, unreadable)) ?? ""),
        })),
      );
      const own = new Set(read.filter(({ text }) => text !== "").map(({ path }) => path));
      const room = { files: MAX_IMPORTS, chars: maxTokens * CHARS_PER_TOKEN };
      const sections: PrefixSection[] = [];
      const said = new Set<string>();
      for (const { path, text } of read) {
        const whole = path.endsWith("/CLAUDE.md")
          ? await withImports(path, text, { own, unreadable, room })
          : text;
        if (whole === "" || said.has(whole)) continue;
        said.add(whole);
        sections.push({ id: path, text: `## ${path}\n${whole}` });
      }
      return sections;
    },
  };
};
