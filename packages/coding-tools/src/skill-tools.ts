import { realpath } from "node:fs/promises";
import path from "node:path";
import type { ProcessPort } from "@fiveseam/host";
import { defineTool } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { changeLines } from "./command-bracket.js";
import { ToolInputError } from "./errors.js";
import { artifactOf, endingLine, noteLines } from "./process-report.js";
import { checkCommand, runChecked, type CommandGate } from "./shell-check.js";
import { runShell, timeoutSchema } from "./shell-run.js";
import { resolveDirectory } from "./working-directory.js";

/** A skill as the tools need it; `createSkillCatalog` of `@fiveseam/context` gives them. */
export interface SkillEntry {
  readonly name: string;
  /** Where it comes from: "project", "user". */
  readonly source: string;
  /** Its folder on the real disk; only there can its scripts be run. */
  readonly realDirectory?: string;
}

/** The skills there are. */
export interface SkillsPort {
  list(): Promise<readonly SkillEntry[]>;
  /** Instructions and the names of the other files in the folder; undefined when there is no such skill. */
  read(name: string): Promise<{ skill: SkillEntry; body: string; files: readonly string[] } | undefined>;
  /** A file of the folder; undefined when there is none. */
  file(name: string, path: string): Promise<string | undefined>;
}

const noSuchSkill = async (skills: SkillsPort, name: string): Promise<ToolInputError> => {
  const names = (await skills.list()).map((skill) => skill.name);
  return new ToolInputError(
    `There is no skill "${name}"; ${names.length > 0 ? `the skills are ${names.join(", ")}` : "there are none"}.`,
  );
};

/** The tool that reads a skill's instructions, and the files that come with it. */
export const createReadSkillTool = (skills: SkillsPort): StructuredTool =>
  defineTool({
    name: "read_skill",
    description:
      "Reads the instructions of a skill, before you do the kind of work that it is for. With `file`, reads another file of " +
      "its folder, as its instructions say.",
    schema: z.object({
      name: z.string().min(1).describe("The skill's name, as the list of skills has it."),
      file: z
        .string()
        .optional()
        .describe('Path in the skill\'s folder, for instance "references/style.md".'),
    }),
    effects: ["fs.read"],
    idempotent: true,
    async run({ name, file }) {
      const found = await skills.read(name);
      if (!found) throw await noSuchSkill(skills, name);
      if (file !== undefined) {
        const text = await skills.file(name, file);
        if (text !== undefined) return text;
        throw new ToolInputError(
          `The skill "${name}" has no file "${file}"; it has ${found.files.join(", ") || "no other files"}.`,
        );
      }
      const files = found.files.length > 0 ? [`Files of this skill: ${found.files.join(", ")}`] : [];
      return [found.body, ...files].join("\n\n");
    },
  });

/** What runs a script by the end of its name; one without any of them is run itself. */
const INTERPRETERS: Readonly<Record<string, string>> = {
  ".sh": "sh",
  ".bash": "bash",
  ".py": "python3",
  ".js": "node",
  ".cjs": "node",
  ".mjs": "node",
  ".rb": "ruby",
  ".pl": "perl",
};

const quoted = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

const scriptFile = async ({ name, realDirectory }: SkillEntry, script: string): Promise<string> => {
  if (realDirectory === undefined)
    throw new ToolInputError(
      `The skill "${name}" does not lie on the disk: its scripts cannot be run. Read them instead.`,
    );
  const folder = await realpath(realDirectory);
  const file = await realpath(path.resolve(folder, script)).catch(() => undefined);
  // A link that leads out of the folder is no file of the skill.
  if (file === undefined || path.isAbsolute(script) || !file.startsWith(folder + path.sep))
    throw new ToolInputError(`The skill "${name}" has no script "${script}" in its folder.`);
  return file;
};

/** The tool that runs a script of a skill, as a command that is judged and asked about like any other. */
export const createRunSkillScriptTool = (options: {
  process: ProcessPort;
  gate: CommandGate;
  skills: SkillsPort;
}): StructuredTool =>
  defineTool({
    name: "run_skill_script",
    description:
      "Runs a script that comes with a skill, in the workspace, and reports like run_command. Read the skill first: it " +
      "says which scripts there are and what they take.",
    schema: z.object({
      name: z.string().min(1).describe("The skill's name."),
      script: z.string().min(1).describe('Path in the skill\'s folder, for instance "scripts/check.sh".'),
      args: z
        .array(z.string())
        .max(100)
        .optional()
        .describe("Arguments, each as it is: no shell reads them."),
      cwd: z.string().optional().describe("Directory to run in, below /workspace/; default /workspace/."),
      timeout_ms: timeoutSchema,
    }),
    effects: ["exec"],
    async run({ name, script, args = [], cwd, timeout_ms }, { signal }) {
      const { process, gate, skills } = options;
      const found = await skills.read(name);
      if (!found) throw await noSuchSkill(skills, name);
      const file = await scriptFile(found.skill, script);
      const interpreter = INTERPRETERS[path.extname(file).toLowerCase()];
      const line = [...(interpreter ? [interpreter] : []), file, ...args].map(quoted).join(" ");
      const directory = await resolveDirectory(gate.root, cwd);
      const checked = await checkCommand(gate, line, directory);
      const { result, changes } = await runChecked(gate, { readOnly: false }, () =>
        runShell(process, checked.command, { cwd: directory, timeoutMs: timeout_ms, signal }),
      );
      return {
        content: [
          ...(checked.note ? [checked.note] : []),
          endingLine(result),
          ...noteLines(result),
          ...changeLines(changes),
          result.output,
        ]
          .join("\n")
          .trimEnd(),
        artifact: { ...artifactOf(checked.command, result), ...(changes ? { changes } : {}) },
      };
    },
  });
