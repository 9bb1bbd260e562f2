import { interrupt } from "@langchain/langgraph";
import { canonicalJson } from "../canonical-json.js";
import { currentScope } from "../call-scope.js";
import { sha256 } from "../digest.js";
import { putNote, readNotes, type TaskAnchor } from "../task-anchor.js";
import type { ApprovalAnswer, ApprovalInterrupt, ApprovalRequest } from "./request.js";

export interface AskerOptions {
  /** A question that is older counts as denied; default none does. */
  readonly timeoutMs?: number | undefined;
  readonly remembers: (threadId: string) => boolean;
  readonly nowMs: () => number;
}

const record = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;

interface Read {
  readonly answer: ApprovalAnswer;
  readonly remember: boolean;
  /** Of which question, when the answer says so. */
  readonly id: unknown;
}

/** Undefined for what is no answer to such a question. */
const readResume = (value: unknown, { allowed }: ApprovalRequest): Read | undefined => {
  const resume = record(value);
  const decisions = resume?.["decisions"];
  if (!Array.isArray(decisions) || decisions.length !== 1) return undefined;
  const decision = record(decisions[0]);
  const type = allowed.find((each) => each === decision?.["type"]);
  const made = (answer: ApprovalAnswer): Read => ({
    answer,
    remember: decision?.["remember"] === true,
    id: resume?.["approvalId"],
  });
  if (type === "approve") return made({ type });
  if (type === "reject") {
    const reason = decision?.["message"];
    return made({ type, ...(typeof reason === "string" && reason !== "" ? { reason } : {}) });
  }
  const args = record(record(decision?.["editedAction"])?.["args"]);
  return type === "edit" && args ? made({ type, args }) : undefined;
};

const ASKED = "asked";

/** The notes of one question: which answer of the call it waits for, which question it is, and when it counts as denied. */
const noteOf = (position: number, id: string, expiresAt: number | undefined): string =>
  `${ASKED}:${position}:${id}:${expiresAt ?? ""}`;

const notedAt = (
  notes: readonly string[],
  position: number,
): { id: string; expiresAt: number | undefined }[] =>
  notes.flatMap((note) => {
    const [kind, at, id = "", until = ""] = note.split(":");
    return kind === ASKED && Number(at) === position
      ? [{ id, expiresAt: until === "" ? undefined : Number(until) }]
      : [];
  });

/**
 * Asks the user about the call that is under way, by LangGraph's `interrupt()`. The call is run again from its beginning when
 * it is resumed, in another process perhaps, and asks again; so what was asked is noted beside the task, and an answer is
 * taken only for the question that was shown. What is no answer is not one: the question stays open.
 */
export class Asker {
  readonly #options: AskerOptions;
  readonly #remembered = new Map<string, Set<string>>();

  constructor(options: AskerOptions) {
    this.#options = options;
  }

  async ask(request: ApprovalRequest): Promise<ApprovalAnswer> {
    const scope = currentScope();
    const anchor = scope?.whole.anchor;
    if (!scope || !anchor) {
      return {
        type: "reject",
        reason: "Nobody can be asked here, for nothing keeps the question: the agent has no checkpointer.",
      };
    }
    const { id: callId, toolName, args } = scope.whole;
    const shown = request.args ?? args;
    const id = sha256(canonicalJson([callId, toolName, shown, request.details])).slice(0, 32);
    const notes = await readNotes(anchor);
    const isNew = !notes.some((note) => note.startsWith(`${ASKED}:`) && note.includes(`:${id}:`));
    // What was asked about once is asked again on every attempt: LangGraph hands answers out by their order.
    if (isNew && this.#isRemembered(anchor.threadId, request)) return { type: "approve" };
    for (;;) {
      const position = scope.answers.count;
      const asked = notedAt(notes, position);
      const value = await this.#interrupt(anchor, request, { callId, toolName, shown, id, position, asked });
      scope.answers.count += 1;
      const own = asked.find((each) => each.id === id);
      const read = readResume(value, request);
      if (!own || !read || (read.id !== undefined && read.id !== id)) continue;
      if (own.expiresAt !== undefined && this.#options.nowMs() >= own.expiresAt)
        return { type: "reject", reason: "Nobody answered in time." };
      if (read.remember && read.answer.type === "approve") this.#remember(anchor.threadId, request);
      return read.answer;
    }
  }

  /** What was remembered in a thread counts no more. */
  forget(threadId: string): void {
    this.#remembered.delete(threadId);
  }

  #isRemembered(threadId: string, { remember }: ApprovalRequest): boolean {
    return (
      remember !== undefined &&
      this.#options.remembers(threadId) &&
      this.#remembered.get(threadId)?.has(remember.key) === true
    );
  }

  #remember(threadId: string, { remember }: ApprovalRequest): void {
    if (!remember || !this.#options.remembers(threadId)) return;
    const known = this.#remembered.get(threadId) ?? new Set();
    this.#remembered.set(threadId, known.add(remember.key));
  }

  /** Throws to the graph, or returns what it was resumed with. */
  async #interrupt(
    anchor: TaskAnchor,
    request: ApprovalRequest,
    question: {
      callId: string;
      toolName: string;
      shown: Readonly<Record<string, unknown>>;
      id: string;
      position: number;
      asked: readonly { id: string; expiresAt: number | undefined }[];
    },
  ): Promise<unknown> {
    const { callId, toolName, shown, id, position, asked } = question;
    const { timeoutMs, nowMs } = this.#options;
    const known = asked.find((each) => each.id === id);
    // Asked once more because another task of the step was answered: the time goes on.
    const expiresAt = known ? known.expiresAt : timeoutMs === undefined ? undefined : nowMs() + timeoutMs;
    const value: ApprovalInterrupt = {
      actionRequests: [{ name: toolName, args: shown, description: request.description }],
      reviewConfigs: [{ actionName: toolName, allowedDecisions: request.allowed }],
      approval: {
        id,
        details: request.details,
        ...(request.remember ? { remember: request.remember.label } : {}),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      },
    };
    try {
      return interrupt(value);
    } catch (error) {
      // Not before: an answer that is there already was given to what stood at this place then.
      if (!known) await putNote(anchor, callId, noteOf(position, id, expiresAt));
      throw error;
    }
  }
}
