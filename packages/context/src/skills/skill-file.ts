import { parse } from "yaml";
import { fitting } from "../tokens.js";

/** A skill as its SKILL.md describes it (agentskills.io). */
export interface SkillFacts {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly allowedTools: readonly string[];
}

export type ParsedSkill =
  | {
      readonly ok: true;
      readonly facts: SkillFacts;
      readonly body: string;
      readonly remarks: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

/** The specification's limits: a name of 64 characters, a description of 1,024. */
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;
const NAME = /^[\p{Ll}\p{Nd}]+(?:-[\p{Ll}\p{Nd}]+)*$/u;
const FRONT_MATTER = /^\uFEFF?---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/;

const bad = (why: string): ParsedSkill => ({ ok: false, why });
const oneLine = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value).replace(/\s+/g, " ").trim() : "";

/** Reads the text of a SKILL.md that lies in a folder of the given name. Never throws. */
export const parseSkill = (text: string, folder: string): ParsedSkill => {
  const normal = text.replaceAll("\r\n", "\n");
  const found = FRONT_MATTER.exec(normal);
  if (!found) return bad('it does not begin with front matter between two lines of "---"');
  let front: unknown;
  try {
    // Aliases are not expanded without bound: a small file must not become a large one. Warnings would be printed.
    front = parse(found[1] as string, { maxAliasCount: 20, logLevel: "error" });
  } catch (error) {
    return bad(`its front matter is no YAML: ${(error as Error).message.split("\n")[0]}`);
  }
  if (typeof front !== "object" || front === null || Array.isArray(front))
    return bad("its front matter is no mapping");
  const fields = front as Record<string, unknown>;
  const name = oneLine(fields["name"]);
  const description = oneLine(fields["description"]);
  if (name === "") return bad("its front matter has no `name`");
  if (description === "") return bad("its front matter has no `description`");
  if (name.length > MAX_NAME || !NAME.test(name))
    return bad(
      `its name "${name.slice(0, MAX_NAME)}" is not lower-case letters and digits with single hyphens, 64 at most`,
    );
  const tools = fields["allowed-tools"];
  const license = oneLine(fields["license"]);
  const compatibility = oneLine(fields["compatibility"]);
  return {
    ok: true,
    facts: {
      name,
      description: fitting(description, MAX_DESCRIPTION),
      ...(license ? { license } : {}),
      ...(compatibility ? { compatibility } : {}),
      allowedTools: (Array.isArray(tools) ? tools.map(oneLine) : oneLine(tools).split(" ")).filter(
        (tool) => tool !== "",
      ),
    },
    body: normal.slice(found[0].length).trim(),
    remarks: [
      ...(name === folder
        ? []
        : [`its name is "${name}" and its folder "${folder}"; the specification wants them alike`]),
      ...(description.length > MAX_DESCRIPTION
        ? [`its description is longer than ${MAX_DESCRIPTION} characters and was cut`]
        : []),
    ],
  };
};
