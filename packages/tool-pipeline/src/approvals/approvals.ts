import type { ToolMessage } from "@langchain/core/messages";
import type { Layer, PipelineCall } from "../call.js";
import { checkOptions } from "../check-options.js";
import { EFFECTS, type Effect } from "../effects.js";
import { PipelineError } from "../errors.js";
import { withNote, withoutResult } from "../outcomes.js";
import { Asker } from "./asker.js";
import type { ApprovalAnswer, ApprovalRequest } from "./request.js";

export interface ApprovalsOptions {
  /** Whether a call of this tool is asked about; a function decides by its arguments, which are not validated yet. */
  tools?: Readonly<Record<string, boolean | ((args: Readonly<Record<string, unknown>>) => boolean)>>;
  /** Calls of tools with one of these effects are asked about, unless `tools` says otherwise of the tool. */
  effects?: readonly Effect[];
  /** A question that nobody has answered by then counts as denied, in milliseconds; default: it stays open. */
  timeoutMs?: number;
  /** Whether answers may be remembered in a thread now; default always. */
  remembers?: (threadId: string) => boolean;
  /** Default `Date.now`. */
  nowMs?: () => number;
}

/** Asks the user before something happens. */
export interface Approvals {
  /** For the pipeline, right behind `policy`: asks about whole calls. */
  readonly layer: Layer;
  /**
   * Asks about something in the call that is under way, for backends and tools that know more exactly what would happen. Inside
   * LangGraph it throws its interrupt, and answers when the call is run again. Where nobody can be asked, outside a call or
   * without a checkpointer, the answer is a rejection.
   */
  ask(request: ApprovalRequest): Promise<ApprovalAnswer>;
  /** What the user has let be remembered in a thread counts no more. */
  forget(threadId: string): void;
}

/** What the model is told of a call that the user did not want. */
export const rejectedCall = (call: PipelineCall, reason: string | undefined): ToolMessage =>
  withoutResult(
    call,
    `${call.toolName} was not carried out: the user rejected it. ` +
      (reason === undefined
        ? "Do not try the same again; ask what is wanted, or go on without it."
        : `The reason: ${reason}`),
    "denied",
  );

/**
 * Makes the layer and the function by which an agent asks its user. Each question is one LangGraph interrupt, of a form that
 * LangChain's human-in-the-loop clients know; the answer is approve, edit (other arguments, and the result says which) or reject
 * (with a reason for the model).
 *
 * @throws {PipelineError} `invalid_option` for an option or an effect that there is not.
 *
 * @example
 * ```ts
 * import { createApprovals, createPipeline, toolPipelineMiddleware } from "@fiveseam/tool-pipeline";
 *
 * const approvals = createApprovals({ tools: { deploy: true }, effects: ["vcs.write"] });
 * const pipeline = createPipeline().use(approvals.layer, { after: "policy" });
 * const middleware = toolPipelineMiddleware(pipeline); // give it to an agent that has a checkpointer
 * ```
 */
export const createApprovals = (options: ApprovalsOptions = {}): Approvals => {
  checkOptions("createApprovals", options, {
    tools: ["object"],
    effects: ["array"],
    timeoutMs: ["number"],
    remembers: ["function"],
    nowMs: ["function"],
  });
  const { tools = {}, effects = [], timeoutMs, remembers = () => true, nowMs = Date.now } = options;
  const unknown = effects.filter((effect) => !EFFECTS.includes(effect));
  if (unknown.length > 0) {
    throw new PipelineError(
      "invalid_option",
      `Unknown effect(s) ${unknown.join(", ")}; the effects are ${EFFECTS.join(", ")}.`,
    );
  }
  const asker = new Asker({ timeoutMs, remembers, nowMs });

  const isAskedAbout = ({ toolName, args, declaration }: PipelineCall): boolean => {
    const own = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
    if (own !== undefined) return typeof own === "function" ? own(args) : own;
    return declaration.effects.some((effect) => effects.includes(effect));
  };

  const layer: Layer = {
    name: "approvals",
    async handle(call, next) {
      if (!call.toolExists || !isAskedAbout(call)) return next(call);
      const { toolName, declaration } = call;
      const answer = await asker.ask({
        description: `Call ${toolName}.`,
        details: { kind: "tool", effects: [...declaration.effects] },
        allowed: ["approve", "edit", "reject"],
        remember: { key: `tool ${toolName}`, label: `every call of ${toolName} in this run` },
      });
      switch (answer.type) {
        case "approve":
          return next(call);
        case "reject":
          return rejectedCall(call, answer.reason);
        case "edit": {
          const result = await next({ ...call, args: answer.args });
          const note = `[The user changed the arguments before this ran: ${JSON.stringify(answer.args)}]`;
          return withNote(result, call.id, note);
        }
      }
    },
  };
  return { layer, ask: (request) => asker.ask(request), forget: (threadId) => asker.forget(threadId) };
};
