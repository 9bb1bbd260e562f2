import {
  declarationInAgent,
  declarationOf,
  effectsBeyond,
  UNDECLARED,
  type Effect,
  type ToolDeclaration,
} from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { RightsError } from "./errors.js";
import type { Role } from "./role.js";

/** @throws {RightsError} when no call of the tool is within the role's rights. */
export const checkWithinRights = (role: Role, tool: string, declaration: ToolDeclaration): void => {
  const beyond = effectsBeyond(role.rights, declaration);
  if (beyond.length > 0) throw new RightsError(role.name, tool, beyond);
};

const within = (allowed: readonly Effect[], { effects, lesser }: ToolDeclaration): boolean =>
  [effects, ...(lesser ? [lesser.effects] : [])].some((each) =>
    each.every((effect) => allowed.includes(effect)),
  );

const firstOfEachName = (tools: readonly StructuredTool[]): StructuredTool[] => {
  const seen = new Set<string>();
  // A tool that the provider runs may have no name, and then is like no other.
  return tools.filter(({ name }) => typeof name !== "string" || (!seen.has(name) && seen.add(name)));
};

/**
 * The tools of a role, by what they declare and by name. A role that no tool fits has none.
 *
 * @throws {RightsError} when one that it names, or one with an effect that it names, is beyond its policy.
 */
export const toolsOfRole = (role: Role, tools: readonly StructuredTool[]): StructuredTool[] => {
  const { effects, names = [], except = [] } = role.tools ?? {};
  const fits = (declaration: ToolDeclaration): boolean =>
    effects ? within(effects, declaration) : effectsBeyond(role.rights, declaration).length === 0;
  const chosen = firstOfEachName(tools).filter(
    (tool) => !except.includes(tool.name) && (names.includes(tool.name) || fits(declarationOf(tool))),
  );
  for (const tool of chosen) checkWithinRights(role, tool.name, declarationOf(tool));
  // deepagents' own tools are not in the list; a role that names one means it all the same.
  for (const name of names) {
    const builtIn = declarationInAgent({ name });
    if (builtIn !== UNDECLARED) checkWithinRights(role, name, builtIn);
  }
  return chosen;
};
