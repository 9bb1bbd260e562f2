import { ALL_RIGHTS, type Effect, type Rights } from "@fiveseam/tool-pipeline";

/**
 * What a role may do: rights, as `createRights` of `@fiveseam/tool-pipeline` makes them, or `"permissive"` where nothing is
 * fenced. That is said, never assumed.
 */
export type RolePolicy = "permissive" | Rights;

/** Which of the tools a role gets. Nothing here widens its policy. */
export interface RoleTools {
  /** Every tool whose declared effects are all among these. Default: every tool that the policy allows. */
  readonly effects?: readonly Effect[];
  /** These tools besides, where they are there. */
  readonly names?: readonly string[];
  /** Never these. */
  readonly except?: readonly string[];
}

/** A specialist as a product describes it. */
export interface RoleDefinition<Name extends string = string> {
  /** What the delegating agent calls it, `subagent_type` of `task`. */
  readonly name: Name;
  /** For the agent that delegates: when to do so, and what the brief has to say. */
  readonly description: string;
  /** For the specialist: what it is for and how it works. Without paths: what it may touch is derived from the policy. */
  readonly purpose: string;
  /** For the specialist: what its one answer has to contain. */
  readonly answer: string;
  readonly policy: RolePolicy;
  readonly tools?: RoleTools;
  /** The class of model it asks for; default the one that its provider's models suggest. */
  readonly tier?: "power" | "fast";
  /** Directories of skills. A role has those that it names and no others. */
  readonly skills?: readonly string[];
  readonly limits?: {
    /** Stops the delegate when it has worked for so long. */
    readonly deadlineMs?: number;
  };
}

/** A specialist, with the rights that its policy comes to. */
export interface Role<Name extends string = string> extends RoleDefinition<Name> {
  readonly rights: Rights;
}

export const rightsOf = (policy: RolePolicy): Rights => (policy === "permissive" ? ALL_RIGHTS : policy);

const TEXTS = ["name", "description", "purpose", "answer"] as const;

/**
 * Makes a role of a product's own. One without a policy does not compile, and does not run either.
 *
 * @throws {TypeError} when a text is missing or the policy is none.
 *
 * @example
 * ```ts
 * import { defineRole } from "@fiveseam/subagents";
 * import { createRights } from "@fiveseam/tool-pipeline";
 *
 * const translator = defineRole({
 *   name: "translator",
 *   description: "Translates the documentation. Give it the files and the language.",
 *   purpose: "You translate documentation. Keep code, names and links as they are.",
 *   answer: "Say which files you wrote and which passages you were not sure of.",
 *   policy: createRights({ effects: ["fs.read", "fs.write"], read: "all", write: ["/workspace/docs/**"] }),
 * });
 * ```
 */
export const defineRole = <const Name extends string>(definition: RoleDefinition<Name>): Role<Name> => {
  for (const text of TEXTS) {
    if (typeof definition[text] !== "string" || definition[text].trim() === "")
      throw new TypeError(`A role needs \`${text}\`: a text that is not empty.`);
  }
  const policy: unknown = definition.policy;
  if (policy !== "permissive" && !Array.isArray((policy as Rights | undefined)?.effects)) {
    throw new TypeError(
      `The role "${definition.name}" needs a \`policy\`: "permissive", or rights that createRights made.`,
    );
  }
  return Object.freeze({ ...definition, rights: rightsOf(definition.policy) });
};
