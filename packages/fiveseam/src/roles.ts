import { ROLES, type Role } from "@fiveseam/subagents";
import { createMiddleware, type AgentMiddleware } from "langchain";
import { ConfigError } from "./errors.js";
import type { CodingAgentOptions } from "./options.js";

const BUILT_IN: readonly Role[] = Object.values(ROLES);

type RoleOptions = Pick<CodingAgentOptions, "roles" | "delegates" | "subagents" | "roleModels">;

/** Every name that `task` could know, switched off or not. */
const checkNames = ({ roles = [], subagents = [], delegates, roleModels = {} }: RoleOptions): void => {
  const names = new Set(BUILT_IN.map(({ name }) => name));
  for (const [option, given] of Object.entries({ roles, subagents })) {
    for (const [at, { name }] of given.entries()) {
      if (names.has(name))
        throw new ConfigError(
          `${option}.${at}.name`,
          `A delegate named "${name}" exists already; choose another name.`,
        );
      names.add(name);
    }
  }
  const known = (option: string, name: string, all: Iterable<string>): void => {
    if (![...all].includes(name))
      throw new ConfigError(`${option}.${name}`, `There is no "${name}"; there are ${[...all].join(", ")}.`);
  };
  for (const name of Object.keys(delegates || {})) known("delegates", name, names);
  const roleNames = [...BUILT_IN, ...roles].map(({ name }) => name);
  for (const name of Object.keys(roleModels)) known("roleModels", name, roleNames);
};

/** Which delegates an agent has: the built-in roles and the product's own, without what is switched off. */
export interface Delegates {
  readonly roles: readonly Role[];
  readonly subagents: NonNullable<CodingAgentOptions["subagents"]>;
  /** False when nothing is delegated at all: then there is no `task`. */
  readonly any: boolean;
}

/** @throws {ConfigError} when two delegates have one name, or a name means none. */
export const chooseDelegates = (options: RoleOptions): Delegates => {
  checkNames(options);
  const { delegates, roles = [], subagents = [] } = options;
  if (delegates === false) return { roles: [], subagents: [], any: false };
  const isOn = ({ name }: { name: string }): boolean => delegates?.[name] !== false;
  return { roles: [...BUILT_IN, ...roles].filter(isOn), subagents: subagents.filter(isOn), any: true };
};

/** Takes the place of deepagents' middleware that brings `task`, which cannot be left out otherwise. */
export const withoutTask = (): AgentMiddleware =>
  createMiddleware({ name: "subAgentMiddleware" }) as AgentMiddleware;
