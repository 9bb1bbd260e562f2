import type { ToolMessage } from "@langchain/core/messages";
import type { Command } from "@langchain/langgraph";
import type { ToolDeclaration } from "./effects.js";
import type { Rights } from "./rights/rights.js";
import type { TaskAnchor } from "./task-anchor.js";

/** What a tool call may return inside LangGraph: a message for the model, or a Command (deepagents' `task` does). */
export type ToolResult = ToolMessage | Command;

/**
 * One tool call on its way through the pipeline. A layer may hand on other `args`; the other fields are facts, and
 * changing them changes what the layers inside see, not what the tool does.
 */
export interface PipelineCall {
  /** The tool call's id, as the model's message states it. */
  readonly id: string;
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** False when the model named a tool that does not exist. */
  readonly toolExists: boolean;
  readonly declaration: ToolDeclaration;
  /** LangGraph's thread, undefined outside one. */
  readonly threadId: string | undefined;
  /** Checkpoint namespace of the task; tells delegates of one thread apart. */
  readonly namespace: string;
  /** Name and role of the agent that makes the call, when whoever assembled it said so. */
  readonly agent: string | undefined;
  readonly role: string | undefined;
  /** What that agent may do now. */
  readonly rights: Rights;
  /** Messages of the agent that makes the call, the calling message last. */
  readonly messages: readonly unknown[];
  /** Where the call stands in the checkpoints, undefined without a checkpointer. */
  readonly anchor: TaskAnchor | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Hands the call on to the next layer, in the end to the tool. */
export type Next = (call: PipelineCall) => Promise<ToolResult>;

/** One step of the pipeline. It may look, refuse, repeat or change; what it throws ends the run unless a layer outside it turns it into a result. */
export interface Layer {
  readonly name: string;
  handle(call: PipelineCall, next: Next): Promise<ToolResult>;
}
