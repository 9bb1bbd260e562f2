import type { PrefixSource } from "../prefix/source.js";
import type { ContextFiles } from "../sources/context-files.js";
import { isControlFlow, reasonOf, warnWith, type OnWarning } from "../warn.js";
import { parseSkill, type SkillFacts } from "./skill-file.js";

/** A place that skills come from. */
export interface SkillSource {
  /** For messages and for the index: "project", "user", "bundled". */
  readonly label: string;
  readonly files: ContextFiles;
  /** The directory whose folders are skills; or the folder of one skill. */
  readonly directory: string;
  /** Where that directory is on the real disk, when it is: only there can a skill's scripts be run. */
  readonly realDirectory?: string;
}

export interface Skill extends SkillFacts {
  /** The label of its source. */
  readonly source: string;
  /** Its folder as the source's files know it, with "/" at the end. */
  readonly directory: string;
  /** Its folder on the real disk. */
  readonly realDirectory?: string;
}

export interface SkillCatalog {
  /** The skills there are now, by name. Of two with one name that of the earlier source counts. */
  list(): Promise<readonly Skill[]>;
  /** A skill's instructions and the files in its folder; undefined when there is no such skill. */
  read(name: string): Promise<{ skill: Skill; body: string; files: readonly string[] } | undefined>;
  /** A file of a skill's folder; undefined when there is none. The path is relative and stays in the folder. */
  file(name: string, path: string): Promise<string | undefined>;
}

export interface SkillCatalogOptions {
  /** The first wins: the workspace's before the user's before those that came with the product. */
  readonly sources: readonly SkillSource[];
  /** A SKILL.md or file that is larger is reported and skipped; default 256 KiB. */
  readonly maxFileBytes?: number;
  readonly onWarning?: OnWarning;
}

/** Files listed of one skill, and how deep. */
const MAX_FILES = 200;
const MAX_DEPTH = 4;

interface Found {
  readonly skill: Skill;
  readonly body: string;
  readonly files: ContextFiles;
}

const folderName = (directory: string): string => directory.replace(/\/+$/, "").split("/").at(-1) ?? "";

/** A relative path inside a folder, or undefined. */
export const insideFolder = (path: string): string | undefined => {
  const parts = path
    .replaceAll("\\", "/")
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  return path.startsWith("/") || path.includes("\0") || parts.length === 0 || parts.includes("..")
    ? undefined
    : parts.join("/");
};

/**
 * Skills: folders with a SKILL.md, from the workspace, the user, the product or a store. They are looked up anew each
 * time, so that one that is added or changed is there without a restart. A bad one is reported once and skipped.
 *
 * @example
 * ```ts
 * import { createSkillCatalog, storeFiles } from "@fiveseam/context";
 * import { InMemoryStore } from "@langchain/langgraph";
 *
 * const skills = createSkillCatalog({
 *   sources: [{ label: "team", files: storeFiles(new InMemoryStore(), ["team", "skills"]), directory: "/" }],
 * });
 * console.log(await skills.list());
 * ```
 */
export const createSkillCatalog = (options: SkillCatalogOptions): SkillCatalog => {
  const { sources, maxFileBytes = 256 * 1024 } = options;
  const warn = warnWith(options.onWarning);
  const told = new Set<string>();
  const report = (message: string): undefined => {
    if (told.has(message)) return undefined;
    told.add(message);
    warn("skill_skipped", message);
    return undefined;
  };

  const readFolder = async (source: SkillSource, directory: string): Promise<Found | undefined> => {
    const path = `${directory}SKILL.md`;
    const text = await source.files.read(path);
    if (text === undefined) return undefined;
    if (Buffer.byteLength(text) > maxFileBytes) {
      return report(`The skill at ${path} is skipped: it is larger than ${maxFileBytes} bytes.`);
    }
    const parsed = parseSkill(text, folderName(directory));
    if (!parsed.ok) {
      return report(`The skill at ${path} is skipped: ${parsed.why}.`);
    }
    for (const remark of parsed.remarks) report(`The skill at ${path} is used, but ${remark}.`);
    const below = directory.slice(source.directory.replace(/\/*$/, "/").length);
    return {
      skill: {
        ...parsed.facts,
        source: source.label,
        directory,
        ...(source.realDirectory === undefined
          ? {}
          : { realDirectory: `${source.realDirectory.replace(/[\\/]+$/, "")}/${below}` }),
      },
      body: parsed.body,
      files: source.files,
    };
  };

  const findIn = async (source: SkillSource): Promise<Found[]> => {
    const directory = source.directory.replace(/\/*$/, "/");
    try {
      const names = await source.files.list(directory);
      const folders = names.includes("SKILL.md")
        ? [directory]
        : names.filter((name) => name.endsWith("/")).map((name) => `${directory}${name}`);
      const found = await Promise.all(
        folders.map((folder) =>
          readFolder(source, folder).catch((error: unknown) => {
            if (isControlFlow(error, undefined)) throw error;
            return report(`The skill at ${folder} is skipped: it cannot be read: ${reasonOf(error)}`);
          }),
        ),
      );
      return found.filter((each) => each !== undefined);
    } catch (error) {
      if (isControlFlow(error, undefined)) throw error;
      report(`The skills of ${source.label} in ${directory} cannot be read: ${reasonOf(error)}`);
      return [];
    }
  };

  const find = async (): Promise<Map<string, Found>> => {
    const all = (await Promise.all(sources.map(findIn))).flat();
    const byName = new Map<string, Found>();
    for (const each of all) {
      const first = byName.get(each.skill.name);
      if (!first) byName.set(each.skill.name, each);
      else if (first.skill.source === each.skill.source)
        report(`The skill at ${each.skill.directory} is skipped: ${first.skill.directory} has its name.`);
    }
    return new Map([...byName].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  };

  const filesOf = async ({ skill, files }: Found): Promise<string[]> => {
    const found: string[] = [];
    const walk = async (below: string, depth: number): Promise<void> => {
      for (const name of [...(await files.list(`${skill.directory}${below}`))].toSorted()) {
        if (found.length >= MAX_FILES) return;
        if (!name.endsWith("/")) found.push(`${below}${name}`);
        else if (depth < MAX_DEPTH) await walk(`${below}${name}`, depth + 1);
      }
    };
    await walk("", 1);
    return found.filter((name) => name !== "SKILL.md");
  };

  return {
    list: async () => [...(await find()).values()].map(({ skill }) => skill),
    async read(name) {
      const found = (await find()).get(name);
      return found && { skill: found.skill, body: found.body, files: await filesOf(found) };
    },
    async file(name, path) {
      const inside = insideFolder(path);
      const found = inside === undefined ? undefined : (await find()).get(name);
      const text = await found?.files.read(`${found.skill.directory}${inside}`);
      if (text === undefined || Buffer.byteLength(text) <= maxFileBytes) return text;
      throw new RangeError(`${path} is larger than ${maxFileBytes} bytes.`);
    },
  };
};

/**
 * The index of skills for the head of the prompt: names and what they are for. Their instructions are read when needed,
 * with the `read_skill` tool of `@fiveseam/coding-tools` or a tool of your own.
 *
 * @example
 * ```ts
 * import { createSkillCatalog, skillIndex } from "@fiveseam/context";
 *
 * const source = skillIndex(createSkillCatalog({ sources: [] }));
 * ```
 */
export const skillIndex = (
  catalog: Pick<SkillCatalog, "list">,
  { maxTokens = 2_000, readWith = "read_skill" }: { maxTokens?: number; readWith?: string } = {},
): PrefixSource => ({
  title: "Skills",
  intro: `Instructions for certain kinds of work. When one fits the task, read it first with ${readWith}.`,
  maxTokens,
  whole: ({ id }) => `${readWith} has ${id}`,
  load: async () =>
    (await catalog.list()).map(({ name, description }) => ({ id: name, text: `- ${name}: ${description}` })),
});
