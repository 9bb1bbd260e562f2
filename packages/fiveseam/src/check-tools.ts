import { quarantineTools, type SchemaSubject } from "@fiveseam/tool-pipeline";
import type { AnySubAgent } from "deepagents";
import { ConfigError } from "./errors.js";

/** Names that deepagents reserves for its own tools; a tool of the user's with one of them would be shadowed. */
export const BUILT_IN_TOOLS = [
  "ls",
  "read_file",
  "write_file",
  "edit_file",
  "delete",
  "glob",
  "grep",
  "execute",
  "task",
];

type Named = { readonly name?: unknown };

export const checkTools = (tools: readonly Named[], option = "tools"): void => {
  const seen = new Set<string>();
  for (const { name } of tools) {
    // A tool that the provider runs may have none.
    if (typeof name !== "string") continue;
    if (BUILT_IN_TOOLS.includes(name)) {
      throw new ConfigError(option, `"${name}" is a built-in tool's name; rename yours.`);
    }
    if (seen.has(name)) throw new ConfigError(option, `Two tools are named "${name}"; rename one.`);
    seen.add(name);
  }
};

export const checkGates = (
  option: string,
  interruptOn: object | undefined,
  toolNames: readonly string[],
): void => {
  for (const name of Object.keys(interruptOn ?? {})) {
    if (toolNames.includes(name)) continue;
    throw new ConfigError(
      `${option}.${name}`,
      `${option} gates "${name}", but there is no such tool; the tools are ${toolNames.toSorted().join(", ")}.`,
    );
  }
};

export const namesOf = (tools: readonly Named[]): string[] => tools.map(({ name }) => String(name));

export const toolsOf = (delegate: AnySubAgent): readonly Named[] =>
  "tools" in delegate ? ((delegate.tools ?? []) as Named[]) : [];

/**
 * The tools without those that providers refuse, for they refuse a whole request because of one. "mcp" stands for what no
 * provider takes; what one of them takes in another form is its client's matter.
 */
export const usableTools = <Tool extends object>(
  tools: readonly Tool[],
  onQuarantined: (message: string) => void,
): Tool[] => {
  // A tool that the provider runs has no schema of ours to look at.
  const ours = tools.filter((tool) => "invoke" in tool) as unknown as (Tool & SchemaSubject)[];
  const { quarantined } = quarantineTools(ours, "mcp");
  for (const { tool, findings } of quarantined) {
    const why = findings.map(({ at, message }) => (at === "" ? message : `${at}: ${message}`)).join(" ");
    onQuarantined(`The tool "${tool.name}" was left out, since providers refuse it: ${why}`);
  }
  return tools.filter((tool) => !quarantined.some((each) => each.tool === tool));
};
