import { stat } from "node:fs/promises";
import path from "node:path";
import { createSystemPrompt, todosMiddleware } from "@fiveseam/context";
import { nodeHost } from "@fiveseam/host";
import {
  createCodingSubagents,
  delegationMiddleware,
  planModeMiddleware,
  rightsOfRun,
  withCallRights,
} from "@fiveseam/subagents";
import { toolPipelineMiddleware } from "@fiveseam/tool-pipeline";
import type { ClientTool, ServerTool, StructuredTool } from "@langchain/core/tools";
import type { InferInteropZodOutput } from "@langchain/core/utils/types";
import {
  createDeepAgent,
  type AnySubAgent,
  type BackendProtocolV2,
  type DeepAgentTypeConfig,
  type InferStructuredResponse,
  type SupportedResponseFormat,
} from "deepagents";
import type { AgentMiddleware } from "langchain";
import { createAgentModels, type AgentModels } from "./agent-models.js";
import { agentFiles, type AgentFiles } from "./agent-files.js";
import { agentContext } from "./agent-context.js";
import { approvalsOf } from "./approval-settings.js";
import { agentPipeline } from "./agent-pipeline.js";
import { codingToolsOf } from "./agent-tools.js";
import { closedSteps } from "./closed-steps.js";
import { BUILT_IN_TOOLS, checkGates, checkTools, namesOf, toolsOf, usableTools } from "./check-tools.js";
import { addMethods, type CodingAgent } from "./coding-agent.js";
import { CostLedger } from "./cost-ledger.js";
import { delegatesOf } from "./delegates.js";
import { errorFacts } from "./error-facts.js";
import { ConfigError } from "./errors.js";
import type { WarningCode } from "./events.js";
import {
  checkOptions,
  type CodingAgentOptions,
  type ContextSchema,
  type StateSchemaOption,
} from "./options.js";
import { openPersistence, type Persistence } from "./persistence.js";
import { recoveryNotices } from "./recovery-notices.js";
import { chooseDelegates, withoutTask, type Delegates } from "./roles.js";
import { RunMeter } from "./run-meter.js";
import type { Runtime } from "./run-options.js";
import { limitsInForce } from "./run-limits.js";
import { ownMiddleware } from "./middleware-option.js";
import { sayInRun } from "./run-notices.js";
import { modeInForce } from "./stored-mode.js";
import { personalDirectory, workspaceKey } from "./state-directory.js";
import { joinQueue, trackCalls } from "./thread-layers.js";
import { gateOf } from "./threads.js";

const directoryOf = async (workspace: string): Promise<string> => {
  const absolute = path.resolve(workspace);
  const found = await stat(absolute).catch((cause: unknown) => {
    throw new ConfigError("workspace", `There is no directory "${absolute}" to work in.`, { cause });
  });
  if (!found.isDirectory())
    throw new ConfigError("workspace", `"${absolute}" is a file; the workspace is a directory.`);
  return absolute;
};

/**
 * Assembles a coding agent: a model, tools, files, specialists and context behind one LangGraph agent whose threads
 * survive a crash.
 *
 * @throws {ConfigError} when an option is unknown, wrong or contradicts another; it names the option.
 * @throws {RightsError} (from `@fiveseam/subagents`) when a role would hold a tool beyond its policy.
 * @throws {ProviderConfigError} (from `@fiveseam/models`) when the model cannot be made, before any request.
 *
 * @example
 * ```ts
 * import { createCodingAgent } from "fiveseam";
 *
 * const agent = await createCodingAgent({ workspace: ".", model: "scripted" });
 * for await (const event of agent.run("What is in this repository?", { threadId: "t1" })) {
 *   if (event.type === "text.delta") process.stdout.write(event.text);
 * }
 * await agent.close();
 * ```
 */
export const createCodingAgent = async <
  Response extends SupportedResponseFormat = SupportedResponseFormat,
  Context extends ContextSchema = ContextSchema,
  State extends StateSchemaOption = undefined,
>(
  options: CodingAgentOptions<Response, Context, State>,
): Promise<
  CodingAgent<
    DeepAgentTypeConfig<
      InferStructuredResponse<Response>,
      State,
      Context,
      readonly AgentMiddleware[],
      readonly (ClientTool | ServerTool)[],
      readonly AnySubAgent[],
      readonly []
    >,
    InferInteropZodOutput<Context>
  >
> => {
  checkOptions(options);
  const workspace = await directoryOf(options.workspace);
  const delegates = chooseDelegates(options);
  const models = await createAgentModels(options, delegates.roles, recoveryNotices());

  const persistence = await openPersistence(options, workspace);
  try {
    return (await assemble(options, { workspace, models, persistence, delegates })) as never;
  } catch (error) {
    await persistence.close();
    throw error;
  }
};

const GENERAL_PURPOSE = "general-purpose";
const SKILL_TOOLS = ["read_skill", "run_skill_script"];

interface Parts {
  workspace: string;
  models: AgentModels;
  persistence: Persistence;
  delegates: Delegates;
}

const assemble = async (
  options: CodingAgentOptions,
  { workspace, models, persistence, delegates: chosen }: Parts,
): Promise<CodingAgent> => {
  const { stateDir, checkpointer, store } = persistence;
  // Without a checkpointer of ours nobody but this agent can know of its threads.
  const gate = gateOf(checkpointer ?? {});
  const approvals = approvalsOf(
    options,
    options.backend === undefined,
    // For the run that it was said in; a bare `invoke` has no such thing.
    (threadId) => gate.holder(threadId) !== undefined,
  );
  const {
    backend,
    undoable,
    bracket,
    staging,
    freshness,
    forget,
    layers = [],
  }: AgentFiles = options.backend
    ? { backend: options.backend as BackendProtocolV2 }
    : agentFiles({
        workspace,
        stateDir,
        store,
        docsNamespace: ["fiveseam", "docs", await workspaceKey(workspace)],
        approvals,
        gate,
        options,
      });

  const host =
    options.host ??
    nodeHost(workspace, {
      ...(stateDir === undefined
        ? {}
        : { stateDirectory: stateDir, userStateDirectory: personalDirectory(options.stateDir) }),
      onWarning: ({ file, setAsideAs, reason }) =>
        warn("state_set_aside", `${file} could not be read (${reason}) and was set aside as ${setAsideAs}.`),
    });
  const costs = new CostLedger();
  const runtime: Runtime = {
    gate,
    checkpointer,
    costs,
    warnings: [
      ...persistence.warnings,
      ...models.problems.map((message) => ({ code: "model_unavailable" as const, message })),
    ],
    active: new Set(),
    approvals,
    undoable,
    staging,
    limits: (own) => limitsInForce(own, options.limits?.run),
    closed: false,
  };
  const warned = new Set<string>();
  const warn = (code: WarningCode, message: string): void => {
    if (warned.has(message)) return;
    warned.add(message);
    runtime.warnings.push({ code, message });
  };

  const context = agentContext({
    options: options as never,
    workspace,
    backend,
    host,
    fallbacks: models.fallbacks,
    tools: () => allTools,
    ...(freshness ? { freshness } : {}),
    ...(forget ? { forget } : {}),
    warn,
  });
  const asksOfCommands = options.approvals !== false && options.approvals?.commands !== false;
  const codingTools = codingToolsOf(
    options,
    {
      host,
      root: workspace,
      backend,
      ...(asksOfCommands ? { approvals } : {}),
      ...(bracket ? { bracket } : {}),
      ...(context.skills ? { skills: context.skills } : {}),
      ...(staging ? { pending: () => staging.pending() } : {}),
    },
    (message) => warn("policy_unreadable", message),
  );
  const meter = new RunMeter({
    ledger: costs,
    maxCost: (threadId) => gate.holder(threadId ?? "")?.maxCost ?? options.maxCost,
    limits: (threadId) => limitsInForce(gate.holder(threadId ?? "")?.limits, options.limits?.run),
    onLimit: (threadId, error) => gate.holder(threadId ?? "")?.abort(error),
    onUnpriced: (model) =>
      warn("cost_unknown", `maxCost cannot count the calls of ${model}: their price or usage is not known.`),
  });
  const { pipeline, close: closePipeline } = await agentPipeline({
    workspace,
    stateDir,
    backend,
    layers: [
      meter.layer,
      trackCalls(gate),
      joinQueue(gate, (threadId) => approvals.forget(threadId)),
      ...layers,
    ],
    approvals,
    options,
    onAuditError: (error) =>
      warn("audit_incomplete", `The audit log cannot be written: ${errorFacts(error).message}`),
  });
  const usable = (given: readonly StructuredTool[]): StructuredTool[] =>
    usableTools(given, (message) => warn("tool_quarantined", message));
  const tools = [...codingTools, ...usable((options.tools ?? []) as StructuredTool[])];
  checkTools(tools);
  /** Tools that only make sense with the index of skills in the prompt, which other delegates do not have. */
  const withoutSkills = tools.filter(({ name }) => !SKILL_TOOLS.includes(name));
  const own = ownMiddleware(
    options.middleware ?? [],
    (code, message) => {
      if (!sayInRun({ type: "warning", code, message })) warn(code, message);
    },
    warn,
  );
  const todos = options.todos !== false && !own.some(({ name }) => name === "todoListMiddleware");

  const { interruptOn, permissions } = options;
  const delegation = delegationMiddleware({
    ...options.limits?.delegation,
    deadlineMs: (type) =>
      chosen.roles.find(({ name }) => name === type)?.limits?.deadlineMs ??
      options.limits?.delegation?.deadlineMs,
    onHeartbeat: ({ callId = "", type, elapsedMs }) =>
      sayInRun({ type: "delegate.heartbeat", callId, role: type, elapsedMs }),
    unfenced: chosen.subagents.filter((each) => "runnable" in each).map(({ name }) => name),
  });
  const watched = (list: AgentMiddleware[]): AgentMiddleware[] => options.prefixMeter?.watch(list) ?? list;
  const specialists = createCodingSubagents({
    roles: chosen.roles,
    backend,
    tools: (role) => (role === GENERAL_PURPOSE ? tools : withoutSkills),
    pipeline,
    models: models.roles,
    outer: () => [meter.middleware(), ...context.attached()],
    middleware: (role) =>
      watched([
        context.compaction(),
        ...context.head(role === GENERAL_PURPOSE),
        ...context.moment(),
        ...models.recovery(models.roles[role]),
        ...context.cache(),
      ]),
    ...(interruptOn ? { interruptOn } : {}),
    ...(permissions ? { permissions } : {}),
  });
  const delegates = await delegatesOf(chosen.subagents, {
    tools: withoutSkills,
    pipeline,
    interruptOn,
    usable,
    delegation,
    around: (running) => ({
      outer: [meter.middleware(), context.compaction(), ...context.attached()],
      inner: [...context.head(false), ...context.moment(), ...models.recovery(running), ...context.cache()],
    }),
  });
  const subagents: AnySubAgent[] = [...specialists, ...delegates];
  const middleware: AgentMiddleware[] = watched([
    meter.middleware(),
    ...context.attached(),
    toolPipelineMiddleware(pipeline, {
      agent: options.name ?? "main",
      rights: (context, messages) => rightsOfRun({ mode: modeInForce(context, messages) }),
    }),
    closedSteps(),
    planModeMiddleware(),
    ...(chosen.any ? [delegation] : [withoutTask()]),
    ...(todos ? [todosMiddleware()] : []),
    context.compaction(),
    ...context.head(true),
    ...own,
    ...context.moment(),
    // Innermost but for the cache marks, so that what it cures is the model's failure and nobody else's.
    ...models.recovery(),
    ...context.cache(),
  ]);
  const allTools = [...tools, ...middleware.flatMap((each) => (each.tools ?? []) as { name?: unknown }[])];
  const brought = middleware.flatMap((each) => (each.tools ?? []) as { name?: unknown }[]);
  checkTools([...tools, ...brought]);
  checkGates("interruptOn", interruptOn, [
    ...BUILT_IN_TOOLS,
    ...namesOf([...tools, ...brought, ...delegates.flatMap(toolsOf)]),
  ]);
  checkGates("approvals.tools", (options.approvals || {}).tools, [
    ...BUILT_IN_TOOLS,
    ...namesOf([...tools, ...brought, ...delegates.flatMap(toolsOf)]),
  ]);
  for (const [at, delegate] of (options.subagents ?? []).entries()) {
    const own = (delegate as { interruptOn?: object }).interruptOn;
    checkGates(`subagents.${at}.interruptOn`, own, [
      ...BUILT_IN_TOOLS,
      ...namesOf([...toolsOf(delegate), ...("tools" in delegate && delegate.tools ? [] : tools)]),
    ]);
  }

  const prompt = createSystemPrompt({
    hasDocs: store !== undefined && !options.backend,
    canRunCommands: codingTools.some(({ name }) => name === "run_command" || name === "run_tests"),
    hasTodos: todos,
    delegates: chosen.any ? [...chosen.roles, ...chosen.subagents].map(({ name }) => name) : [],
    ...(options.systemPrompt === undefined ? {} : { instructions: options.systemPrompt }),
  });

  const agent = createDeepAgent({
    model: models.model,
    tools,
    systemPrompt: prompt,
    backend: withCallRights(backend),
    subagents,
    middleware,
    ...(checkpointer ? { checkpointer } : {}),
    ...(store ? { store } : {}),
    ...(interruptOn ? { interruptOn } : {}),
    ...(permissions ? { permissions } : {}),
    ...(options.name ? { name: options.name } : {}),
    ...(options.responseFormat === undefined ? {} : { responseFormat: options.responseFormat }),
    ...(options.contextSchema === undefined ? {} : { contextSchema: options.contextSchema }),
    ...(options.stateSchema === undefined ? {} : { stateSchema: options.stateSchema }),
  } as unknown as Parameters<typeof createDeepAgent>[0]);

  return addMethods(agent, {
    runtime,
    stateDir,
    callbacks: meter.callbacks,
    closing: {},
    dispose: async () => {
      // A host that was given is its owner's to close.
      if (!options.host) await host.terminal?.close();
      await closePipeline();
      await persistence.close();
    },
  });
};
