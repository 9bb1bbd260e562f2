import { ALL_RIGHTS, createRights, type Rights } from "@fiveseam/tool-pipeline";

/** What a role may do. `"permissive"` is said, never assumed: a role without a policy does not compile. */
export type RolePolicy = "permissive" | "read-only";

export type RoleName = "code-analyzer" | "general-purpose";

/** Every role's policy. The record is total, so a new role without one is a compile error. */
export const ROLE_POLICIES: Readonly<Record<RoleName, RolePolicy>> = {
  "code-analyzer": "read-only",
  "general-purpose": "permissive",
};

export interface Role {
  readonly name: RoleName;
  /** When to delegate to it, for the agent that delegates. */
  readonly description: string;
  /** What it is for, how it works and what its one answer must contain. */
  readonly prompt: string;
}

/** The net may be read: what it says is as foreign as what a repository says. */
const READ_ONLY_RIGHTS = createRights({ effects: ["fs.read", "net", "state"], read: "all", write: "none" });

/** What a policy comes to, for the pipeline's policy layer and for choosing a role's tools. */
export const rightsOf = (policy: RolePolicy): Rights =>
  policy === "permissive" ? ALL_RIGHTS : READ_ONLY_RIGHTS;

/** Derived from the policy, so that a prompt never promises what the files refuse. */
const rightsText = (policy: RolePolicy): string =>
  policy === "read-only"
    ? "You can read and search files under /workspace/ but not change them or run anything. Return your findings in your answer."
    : "You can read and change files under /workspace/ and use the tools you were given.";

const ONE_ANSWER =
  "You work on one brief and give one answer. Nobody can ask you back, so the answer must stand alone: what you " +
  "found or did, where (path:line), how sure you are, and what you did not look at.";

const role = (name: RoleName, description: string, purpose: string): Role => ({
  name,
  description,
  prompt: [purpose, rightsText(ROLE_POLICIES[name]), ONE_ANSWER].join("\n\n"),
});

export const ROLES: Readonly<Record<RoleName, Role>> = {
  "code-analyzer": role(
    "code-analyzer",
    "Reads code and answers a question about it: how something works, where a fault may be, what a change would " +
      "touch. It changes nothing. Give it the question, what is known (error texts, test names) and the form of answer you want.",
    "You are a code analyst. Start from the evidence in the brief, follow it through imports and calls, and read the " +
      "code itself before you name a suspect. Quote the lines that matter.",
  ),
  "general-purpose": role(
    "general-purpose",
    "Does a self-contained piece of work from start to end in its own context, with the same tools as you. Use it " +
      "to keep long side work out of this conversation.",
    "You are a coding agent doing one self-contained piece of work for another agent.",
  ),
};
