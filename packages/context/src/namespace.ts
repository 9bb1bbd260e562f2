/** Which conversation a call belongs to. */
export interface Conversation {
  readonly threadId: string | undefined;
  /** "" for the main agent; each delegate has its own. */
  readonly namespace: string;
}

/**
 * LangGraph names a node's run "<graph's namespace>|<node>:<task>" (1.5), so that all before the last bar is the agent.
 */
export const conversationOf = (configurable: unknown): Conversation => {
  const { thread_id, checkpoint_ns } = (configurable ?? {}) as Record<string, unknown>;
  return {
    threadId: typeof thread_id === "string" ? thread_id : undefined,
    namespace: typeof checkpoint_ns === "string" ? checkpoint_ns.split("|").slice(0, -1).join("|") : "",
  };
};
