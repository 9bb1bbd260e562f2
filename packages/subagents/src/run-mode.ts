import { ALL_RIGHTS, createRights, type Rights } from "@fiveseam/tool-pipeline";
import { createMiddleware, type AgentMiddleware } from "langchain";

/** How a run may work: as its rights allow, or without changing anything. */
export type RunMode = "act" | "plan";

/**
 * What anybody may do in plan mode: read files and the net, and keep notes of its own. No writing, commands, changes of the
 * repository or browser; and no debugger, which evaluates whatever it is given.
 */
export const PLAN_RIGHTS: Rights = createRights({
  effects: ["fs.read", "net", "state"],
  read: "all",
  write: "none",
});

/** The mode of a run, by `mode` in its LangGraph context, which reaches every delegate. */
export const modeOf = (context: unknown): RunMode =>
  (context as { readonly mode?: unknown } | null | undefined)?.mode === "plan" ? "plan" : "act";

/**
 * What a run's mode leaves to everybody in it.
 *
 * @example
 * ```ts
 * import { rightsOfRun } from "@fiveseam/subagents";
 * import { createPipeline, toolPipelineMiddleware } from "@fiveseam/tool-pipeline";
 *
 * const middleware = toolPipelineMiddleware(createPipeline(), { agent: "main", rights: rightsOfRun });
 * // then agent.invoke(input, { context: { mode: "plan" } })
 * ```
 */
export const rightsOfRun = (context: unknown): Rights =>
  modeOf(context) === "plan" ? PLAN_RIGHTS : ALL_RIGHTS;

const NOTICE =
  "# Plan mode\nThis is a run in plan mode: nothing may be changed, by you or by a delegate. Tools that write, run or " +
  "publish are not there, and commands run only when they surely just read. Find out what is to be known, then answer with " +
  "the plan: the steps, the files each touches, how each is checked, and what is still open.";

/**
 * Tells the model of a run in plan mode what that means. It does not fence anything: the rights of `rightsOfRun` do. The
 * text is the same throughout a run, so that the prefix stays cached.
 */
export const planModeMiddleware = (): AgentMiddleware =>
  createMiddleware({
    name: "FiveseamPlanMode",
    wrapModelCall: (request, handler) =>
      handler(
        modeOf(request.runtime.context) === "plan"
          ? { ...request, systemMessage: request.systemMessage.concat(`\n\n${NOTICE}`) }
          : request,
      ),
  }) as AgentMiddleware;
