import { createChatModel, type ModelChoice } from "@fiveseam/models";
import { planModeMiddleware, rightsOfRun } from "@fiveseam/subagents";
import { toolPipelineMiddleware, type Pipeline } from "@fiveseam/tool-pipeline";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { StructuredTool } from "@langchain/core/tools";
import type { AnySubAgent, SubAgent } from "deepagents";
import type { AgentMiddleware } from "langchain";
import { checkTools } from "./check-tools.js";
import { ConfigError } from "./errors.js";
import type { CodingAgentOptions, DelegateOption } from "./options.js";

interface Surroundings {
  /** What a delegate gets that names no tools of its own. */
  readonly tools: readonly StructuredTool[];
  readonly pipeline: Pipeline;
  readonly interruptOn: CodingAgentOptions["interruptOn"];
  /** Without the tools that providers refuse. */
  usable(tools: readonly StructuredTool[]): StructuredTool[];
  /** Limits on what it delegates in turn, where a middleware of its own brings `task`. */
  readonly delegation: AgentMiddleware;
  /** What stands outside of the pipeline and what inside, for a delegate that runs on the model. */
  around(model: BaseChatModel | undefined): { outer: AgentMiddleware[]; inner: AgentMiddleware[] };
}

const build = async (
  delegate: DelegateOption,
  option: string,
  { tools, pipeline, interruptOn, usable, delegation, around }: Surroundings,
): Promise<AnySubAgent> => {
  const { trusted, ...spec } = delegate;
  if ("runnable" in spec || "graphId" in spec) {
    if (trusted) return spec as AnySubAgent;
    throw new ConfigError(
      option,
      `The delegate "${spec.name}" is compiled or remote: its tools bypass the pipeline. Pass { trusted: true } in it ` +
        "when you accept that, or give its prompt and tools instead.",
    );
  }
  const own = spec as SubAgent;
  // "provider:model" means the same here as for the agent, and fails here as well when it cannot be made.
  const model = own.model === undefined ? undefined : await createChatModel(own.model as ModelChoice);
  const { outer, inner } = around(model);
  checkTools(own.tools ?? [], `${option}.tools`);
  return {
    ...own,
    ...(model ? { model } : {}),
    tools: own.tools ? usable(own.tools as StructuredTool[]) : [...tools],
    // The agent's gates hold for every delegate; its own can only add to them.
    ...(interruptOn || own.interruptOn ? { interruptOn: { ...own.interruptOn, ...interruptOn } } : {}),
    middleware: [
      ...outer,
      toolPipelineMiddleware(pipeline, { agent: own.name, rights: rightsOfRun }),
      planModeMiddleware(),
      delegation,
      ...(own.middleware ?? []),
      ...inner,
    ],
  } as AnySubAgent;
};

/** The user's delegates, with the pipeline around their tools and every list explicit. */
export const delegatesOf = (
  given: readonly DelegateOption[],
  surroundings: Surroundings,
): Promise<AnySubAgent[]> =>
  Promise.all(given.map((delegate, at) => build(delegate, `subagents.${at}`, surroundings)));
