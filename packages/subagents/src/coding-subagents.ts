import { HARNESS_ROUTES, withRights } from "@fiveseam/backends";
import {
  ALL_RIGHTS,
  covers,
  declarationInAgent,
  intersect,
  toolPipelineMiddleware,
  type Pipeline,
} from "@fiveseam/tool-pipeline";
import { RunnableLambda } from "@langchain/core/runnables";
import type { StructuredTool } from "@langchain/core/tools";
import {
  createFilesystemMiddleware,
  type BackendProtocolV2,
  type CompiledSubAgent,
  type FilesystemMiddlewareOptions,
  type FilesystemPermission,
  type FsToolName,
  type SubAgent,
} from "deepagents";
import type { AgentMiddleware } from "langchain";
import { withCallRights } from "./call-rights.js";
import { DelegationError } from "./errors.js";
import type { Role } from "./role.js";
import { rolePrompt } from "./role-prompt.js";
import { checkWithinRights, toolsOfRole } from "./role-tools.js";
import { ROLES } from "./roles.js";
import { planModeMiddleware, rightsOfRun } from "./run-mode.js";

export interface CodingSubagentsOptions {
  /**
   * The roles on offer; default all of `ROLES`. One that is left out does not exist. Put a product's own beside them:
   * `[...Object.values(ROLES), translator]`.
   */
  roles?: readonly Role[];
  /** The files that the main agent sees; each role gets them with its own rights. */
  backend: BackendProtocolV2;
  /**
   * The main agent's tools; a role gets those whose declared effects fit its policy. A function says for each role which are
   * looked at.
   */
  tools: readonly StructuredTool[] | ((role: string) => readonly StructuredTool[]);
  /** The pipeline around every tool call; the main agent's, so that one set of layers sees everything. */
  pipeline: Pipeline;
  /** Middleware outside of the pipeline, made anew for each delegate. */
  outer?: (role: string) => readonly AgentMiddleware[];
  /** Further middleware of each delegate, made anew for each because deepagents shares none. */
  middleware?: (role: string) => readonly AgentMiddleware[];
  /** What a role runs on, by its name; the main agent's model where it is left out. */
  models?: Readonly<Record<string, SubAgent["model"]>>;
  /** The main agent's directories of skills, which general-purpose has too. Other roles have those that they name. */
  skills?: readonly string[];
  /** Approval gates of the main agent, which hold for delegates too. */
  interruptOn?: SubAgent["interruptOn"];
  /** File rules of the main agent, which hold for delegates too. */
  permissions?: readonly FilesystemPermission[];
}

const GENERAL_PURPOSE = "general-purpose";

/** The file tools as deepagents names them; `execute` is there only when the backend can. */
const FILE_TOOLS: readonly FsToolName[] = [
  "ls",
  "read_file",
  "glob",
  "grep",
  "write_file",
  "edit_file",
  "delete",
  "execute",
];

const filesFor = (
  { name, rights }: Role,
  { backend, permissions }: CodingSubagentsOptions,
): FilesystemMiddlewareOptions => {
  const files = withCallRights(backend);
  const rules = permissions ? { permissions: [...permissions] } : {};
  if (rights === ALL_RIGHTS) return { backend: files, ...rules };
  return {
    backend: withRights(files, {
      covers: (access) => covers(rights, access),
      who: name,
      except: HARNESS_ROUTES,
    }),
    tools: FILE_TOOLS.filter((tool) =>
      declarationInAgent({ name: tool }).effects.every((effect) => covers(rights, effect)),
    ),
    ...rules,
  };
};

const build = (role: Role, options: CodingSubagentsOptions): SubAgent => {
  const { name, rights } = role;
  const given = typeof options.tools === "function" ? options.tools(name) : options.tools;
  const tools = toolsOfRole(role, given);
  const further = options.middleware?.(name) ?? [];
  for (const brought of further.flatMap((each) => (each.tools ?? []) as { name?: unknown }[]))
    checkWithinRights(role, String(brought.name), declarationInAgent(brought));
  const model = options.models?.[name];
  const skills = [...(name === GENERAL_PURPOSE ? (options.skills ?? []) : []), ...(role.skills ?? [])];
  const { interruptOn = {} } = options;
  return {
    name,
    description: role.description,
    systemPrompt: rolePrompt(
      role,
      tools.map((tool) => tool.name),
    ),
    ...(model === undefined ? {} : { model }),
    tools,
    ...(skills.length > 0 ? { skills } : {}),
    // Left out when empty: even an empty gate costs a node and a checkpoint a step.
    ...(Object.keys(interruptOn).length > 0 ? { interruptOn: { ...interruptOn } } : {}),
    middleware: [
      // Replaces deepagents' own by its name.
      createFilesystemMiddleware(filesFor(role, options)) as unknown as AgentMiddleware,
      ...(options.outer?.(name) ?? []),
      toolPipelineMiddleware(options.pipeline, {
        agent: name,
        role: name,
        rights: (context) => intersect(rights, rightsOfRun(context)),
      }),
      planModeMiddleware(),
      ...further,
    ],
  };
};

/** Stands where deepagents would put a general-purpose of its own, which may do everything: it does nothing. */
const absentGeneralPurpose = (): CompiledSubAgent => ({
  name: GENERAL_PURPOSE,
  description: "Switched off here; choose another.",
  runnable: RunnableLambda.from((): never => {
    throw new DelegationError(
      "off",
      GENERAL_PURPOSE,
      "The delegate general-purpose is switched off here. Choose another, or do it yourself.",
    );
  }),
});

/**
 * The specialists as deepagents takes them, with every list explicit: deepagents lets a delegate inherit the parent's
 * tools when its own are left out, hands it none of the parent's middleware, and adds a general-purpose delegate that
 * can do everything unless one of that name is passed.
 *
 * @throws {RightsError} when a role would hold a tool that can do more than its policy allows.
 * @throws {RangeError} when two roles have one name.
 *
 * @example
 * ```ts
 * import { createCodingBackend } from "@fiveseam/backends";
 * import { createCodingSubagents, rightsOfRun } from "@fiveseam/subagents";
 * import { createPipeline, toolPipelineMiddleware } from "@fiveseam/tool-pipeline";
 * import { createDeepAgent } from "deepagents";
 *
 * const backend = createCodingBackend({ workspace: process.cwd() });
 * const pipeline = createPipeline();
 * const agent = createDeepAgent({
 *   model: "anthropic:claude-sonnet-4-6",
 *   backend,
 *   middleware: [toolPipelineMiddleware(pipeline, { rights: rightsOfRun })],
 *   subagents: createCodingSubagents({ backend, tools: [], pipeline }),
 * });
 * ```
 */
export const createCodingSubagents = (options: CodingSubagentsOptions): (SubAgent | CompiledSubAgent)[] => {
  const { roles = Object.values(ROLES) } = options;
  const twice = roles.find(({ name }, at) => roles.findIndex((other) => other.name === name) < at);
  if (twice) throw new RangeError(`Two roles are named "${twice.name}"; rename one.`);
  const built = roles.map((role) => build(role, options));
  return roles.some(({ name }) => name === GENERAL_PURPOSE) ? built : [...built, absentGeneralPurpose()];
};
