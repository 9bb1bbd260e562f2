import type { ApprovalInterrupt } from "@fiveseam/tool-pipeline";
import { HumanMessage } from "@langchain/core/messages";
import type { ApprovalAction, Decision, EventSource, WarningCode } from "./events.js";
import { ConfigError, ResumeError } from "./errors.js";

/** An answer to one action of an approval. */
export type ApprovalDecision =
  | {
      type: "approve";
      /** Answers what the action's `remember` says, too, until the user's next message. */
      remember?: boolean;
    }
  /** Runs the tool with other arguments. */
  | { type: "edit"; args: Record<string, unknown> }
  /** The model is told the reason. */
  | { type: "reject"; reason?: string };

/** Something that a run waits for. */
export type PendingInterrupt = {
  /** Of this very question: another one of the same task has another id. */
  interruptId: string;
  /** LangGraph's, which is the task's. */
  rawId: string;
  source?: EventSource;
} & (
  { kind: "approval"; actions: ApprovalAction[]; approvalId?: string } | { kind: "input"; value: unknown }
);

interface RawInterrupt {
  readonly id?: string;
  readonly value?: unknown;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** True for what can be stored: a value that the serializer cannot write would take the place of the conversation. */
const isJson = (value: unknown): boolean => {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
};

const isPlain = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && !Array.isArray(value) && isJson(value);

/** Reads an interrupt; langchain's humanInTheLoopMiddleware raises `{ actionRequests, reviewConfigs }` for N actions. */
export const readInterrupt = (raw: RawInterrupt): PendingInterrupt | undefined => {
  if (typeof raw.id !== "string") return undefined;
  const { value } = raw;
  if (!isRecord(value) || !Array.isArray(value["actionRequests"])) {
    return { kind: "input", interruptId: raw.id, rawId: raw.id, value };
  }
  const configs = Array.isArray(value["reviewConfigs"]) ? (value["reviewConfigs"] as unknown[]) : [];
  const actions = (value["actionRequests"] as unknown[]).map((request): ApprovalAction => {
    const { name, args, description } = isRecord(request) ? request : {};
    const config = configs.find((each) => isRecord(each) && each["actionName"] === name);
    const allowed =
      isRecord(config) && Array.isArray(config["allowedDecisions"]) ? config["allowedDecisions"] : [];
    return {
      tool: String(name),
      args: isRecord(args) ? args : {},
      description: typeof description === "string" ? description : "",
      allowed: (allowed as string[]).filter((each): each is Decision =>
        ["approve", "edit", "reject"].includes(each),
      ),
    };
  });
  const own = value["approval"];
  if (!isRecord(own) || typeof own["id"] !== "string")
    return { kind: "approval", interruptId: raw.id, rawId: raw.id, actions };
  const { id, details, remember, expiresAt } = own as unknown as ApprovalInterrupt["approval"];
  return {
    kind: "approval",
    interruptId: `${raw.id}.${id.slice(0, 12)}`,
    rawId: raw.id,
    approvalId: id,
    actions: actions.map((action) => ({
      ...action,
      details,
      ...(remember === undefined ? {} : { remember }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    })),
  };
};

const isExpired = (pending: PendingInterrupt, nowMs: number): boolean =>
  pending.kind === "approval" &&
  pending.actions.some(({ expiresAt }) => expiresAt !== undefined && nowMs >= expiresAt);

const decisionFor = (
  action: ApprovalAction,
  decision: ApprovalDecision,
  refuse: (message: string) => never,
): Record<string, unknown> => {
  if (!isRecord(decision) || !["approve", "edit", "reject"].includes(decision.type)) {
    return refuse(`a decision is { type: "approve" }, { type: "edit", args } or { type: "reject", reason }`);
  }
  if (!action.allowed.includes(decision.type)) {
    return refuse(`${action.tool} accepts ${action.allowed.join(", ")}, not ${decision.type}`);
  }
  switch (decision.type) {
    case "approve":
      if (decision.remember !== undefined && typeof decision.remember !== "boolean")
        return refuse("`remember` is true or false");
      if (decision.remember && action.remember === undefined)
        return refuse(`an approval of ${action.tool} cannot be remembered`);
      return { type: "approve", ...(decision.remember ? { remember: true } : {}) };
    case "edit":
      if (!isPlain(decision.args)) return refuse("an edit needs args: a plain object of what JSON can hold");
      // Never another tool: it may be one with a stricter gate, or with none.
      if ("tool" in decision) return refuse("an edit changes the arguments; it cannot name another tool");
      return { type: "edit", editedAction: { name: action.tool, args: decision.args } };
    case "reject":
      if (decision.reason !== undefined && typeof decision.reason !== "string")
        return refuse("a reason is text");
      return { type: "reject", ...(decision.reason ? { message: decision.reason } : {}) };
  }
};

export interface Answers {
  /** Decisions by interrupt id: one for each action, in the order of the event; a single one stands for a list of one. */
  approvals?: Readonly<Record<string, ApprovalDecision | readonly ApprovalDecision[]>>;
  /** Values by interrupt id for interrupts that are not approvals. */
  answers?: Readonly<Record<string, unknown>>;
}

/**
 * Checks answers against what is pending and makes LangGraph's resume map, by interrupt id: a plain resume value would
 * answer every parallel interrupt at once, and a malformed one poisons the thread for good, so nothing reaches the
 * graph before it has been checked.
 *
 * @throws {ResumeError} `unknown_interrupt`, `invalid_decision` or `approval_expired`.
 */
export const resumeMap = (
  threadId: string,
  pending: readonly PendingInterrupt[],
  { approvals = {}, answers = {} }: Answers,
  nowMs: number,
): Record<string, unknown> => {
  const map: Record<string, unknown> = {};
  // Nobody has answered these in time. Any answer denies them; what is given must not seem to have counted.
  for (const each of pending) {
    if (!isExpired(each, nowMs)) continue;
    const { interruptId, rawId } = each;
    if (Object.hasOwn(approvals, interruptId)) {
      throw new ResumeError(
        "approval_expired",
        threadId,
        `The time for approval "${interruptId}" is over, and it counts as denied. Resume without an answer to it.`,
      );
    }
    map[rawId] = { decisions: [{ type: "reject", message: "Nobody answered in time." }] };
  }
  const ids = pending.map((each) => each.interruptId).join(", ") || "none";
  for (const [id, given] of Object.entries(approvals)) {
    const found = pending.find((each) => each.interruptId === id);
    if (!found) {
      throw new ResumeError(
        "unknown_interrupt",
        threadId,
        `No approval "${id}" is pending on this thread (pending: ${ids}).`,
      );
    }
    const refuse = (message: string): never => {
      throw new ResumeError(
        "invalid_decision",
        threadId,
        `The answer to approval "${id}" is wrong: ${message}.`,
      );
    };
    if (found.kind !== "approval") return refuse("it asks for a value; pass it in `answers`");
    const decisions = Array.isArray(given)
      ? (given as readonly ApprovalDecision[])
      : [given as ApprovalDecision];
    if (decisions.length !== found.actions.length) {
      return refuse(`it has ${found.actions.length} action(s) and got ${decisions.length} decision(s)`);
    }
    map[found.rawId] = {
      ...(found.approvalId === undefined ? {} : { approvalId: found.approvalId }),
      decisions: found.actions.map((action, at) =>
        decisionFor(action, decisions[at] as ApprovalDecision, refuse),
      ),
    };
  }
  for (const [id, value] of Object.entries(answers)) {
    const found = pending.find((each) => each.interruptId === id);
    if (!found) {
      throw new ResumeError(
        "unknown_interrupt",
        threadId,
        `Nothing asks for an answer "${id}" (pending: ${ids}).`,
      );
    }
    if (found.kind === "approval") {
      throw new ResumeError(
        "invalid_decision",
        threadId,
        `"${id}" is an approval; pass its decision in \`approvals\`.`,
      );
    }
    if (!isJson(value)) {
      throw new ResumeError(
        "invalid_decision",
        threadId,
        `The answer to "${id}" is nothing that JSON can hold.`,
      );
    }
    map[found.rawId] = value;
  }
  return map;
};

/**
 * When one of several actions of an approval is rejected, langchain 1.5's humanInTheLoopMiddleware drops the approved
 * and edited ones from the conversation without running them. Whoever approved them is told.
 */
export const droppedApprovals = (
  pending: readonly PendingInterrupt[],
  { approvals = {} }: Answers,
): { code: WarningCode; message: string }[] =>
  pending.flatMap((each) => {
    const given = approvals[each.interruptId];
    if (each.kind !== "approval" || !Array.isArray(given)) return [];
    const decisions = given as readonly ApprovalDecision[];
    if (!decisions.some((decision) => decision.type === "reject")) return [];
    const dropped = each.actions
      .filter((_action, at) => decisions[at]?.type !== "reject")
      .map(({ tool }) => tool);
    if (dropped.length === 0) return [];
    const message = `One action was rejected, so the others that were asked about with it did not run: ${dropped.join(", ")}.`;
    return [{ code: "approval_dropped" as const, message }];
  });

/** Text, or LangChain content blocks (images and files among them). */
export type RunInput = string | HumanMessage | HumanMessage["content"];

/** @throws {ConfigError} when the input is nothing that a message can hold. */
export const toHumanMessage = (input: RunInput, id: string): HumanMessage => {
  // Always an id of its own: a message with an id that the thread has would take that one's place.
  if (HumanMessage.isInstance(input))
    return new HumanMessage({ ...input.lc_kwargs, content: input.content, id });
  const blocks =
    Array.isArray(input) &&
    input.length > 0 &&
    input.every((block: unknown) => isPlain(block) && typeof block["type"] === "string");
  if (typeof input !== "string" && !blocks) {
    throw new ConfigError(
      "input",
      'A message is text, or a list of content blocks such as { type: "text", text: "…" }.',
    );
  }
  return new HumanMessage({ id, content: input as HumanMessage["content"] });
};
