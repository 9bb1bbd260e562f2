import { HARNESS_ROUTES, readOnly } from "@fiveseam/backends";
import { covers, declarationOf, toolPipelineMiddleware, type Pipeline } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import {
  createFilesystemMiddleware,
  type BackendProtocolV2,
  type FilesystemMiddlewareOptions,
  type FilesystemPermission,
  type FsToolName,
  type SubAgent,
} from "deepagents";
import type { AgentMiddleware } from "langchain";
import { rightsOf, ROLE_POLICIES, ROLES, type RoleName, type RolePolicy } from "./roles.js";

export interface CodingSubagentsOptions {
  /** The files that the main agent sees; a read-only role gets them through a read-only decorator of its own. */
  backend: BackendProtocolV2;
  /** The main agent's tools; a role gets those whose declared effects fit its policy. */
  tools: readonly StructuredTool[];
  /** The pipeline around every tool call; the main agent's, so that one set of layers sees everything. */
  pipeline: Pipeline;
  /** Further middleware of each delegate, made anew for each because deepagents shares none. */
  middleware?: (role: RoleName) => readonly AgentMiddleware[];
  /** What a role runs on; the main agent's model where it is left out. */
  models?: Partial<Record<RoleName, NonNullable<SubAgent["model"]>>>;
  /** Approval gates of the main agent, which hold for delegates too. */
  interruptOn?: SubAgent["interruptOn"];
  /** File rules of the main agent, which hold for delegates too. */
  permissions?: readonly FilesystemPermission[];
}

/** File tools that only read, as deepagents names them. */
const READ_TOOLS: readonly FsToolName[] = ["ls", "read_file", "glob", "grep"];

const toolsFor = (policy: RolePolicy, tools: readonly StructuredTool[]): StructuredTool[] =>
  tools.filter((tool) => declarationOf(tool).effects.every((effect) => covers(rightsOf(policy), effect)));

const filesFor = (
  name: RoleName,
  policy: RolePolicy,
  { backend, permissions }: CodingSubagentsOptions,
): FilesystemMiddlewareOptions => {
  const rules = permissions ? { permissions: [...permissions] } : {};
  return policy === "permissive"
    ? { backend, ...rules }
    : { backend: readOnly(backend, { except: HARNESS_ROUTES, who: name }), tools: READ_TOOLS, ...rules };
};

/**
 * The specialists as deepagents takes them, with every list explicit: deepagents lets a delegate inherit the parent's
 * tools when its own are left out, hands it none of the parent's middleware, and adds a general-purpose delegate that
 * can do everything unless one of that name is passed.
 *
 * @example
 * ```ts
 * import { createCodingBackend } from "@fiveseam/backends";
 * import { createCodingSubagents } from "@fiveseam/subagents";
 * import { createPipeline, toolPipelineMiddleware } from "@fiveseam/tool-pipeline";
 * import { createDeepAgent } from "deepagents";
 *
 * const backend = createCodingBackend({ workspace: process.cwd() });
 * const pipeline = createPipeline();
 * const agent = createDeepAgent({
 *   model: "anthropic:claude-sonnet-4-6",
 *   backend,
 *   middleware: [toolPipelineMiddleware(pipeline)],
 *   subagents: createCodingSubagents({ backend, tools: [], pipeline }),
 * });
 * ```
 */
export const createCodingSubagents = (options: CodingSubagentsOptions): SubAgent[] =>
  (Object.keys(ROLES) as RoleName[]).map((name) => {
    const policy = ROLE_POLICIES[name];
    return {
      name,
      description: ROLES[name].description,
      systemPrompt: ROLES[name].prompt,
      ...(options.models?.[name] === undefined ? {} : { model: options.models[name] }),
      tools: toolsFor(policy, options.tools),
      // Left out when empty: even an empty gate costs a node and a checkpoint a step.
      ...(options.interruptOn && Object.keys(options.interruptOn).length > 0
        ? { interruptOn: { ...options.interruptOn } }
        : {}),
      middleware: [
        // Replaces deepagents' own by its name.
        createFilesystemMiddleware(filesFor(name, policy, options)) as unknown as AgentMiddleware,
        toolPipelineMiddleware(options.pipeline, { agent: name, role: name, rights: rightsOf(policy) }),
        ...(options.middleware?.(name) ?? []),
      ],
    };
  });
