import { createMiddleware, type AgentMiddleware } from "langchain";
import { HumanMessage, SystemMessage } from "@langchain/core/messages";

/** One memory file. */
export interface MemorySource {
  /** The path the model knows it by, for instance "/workspace/AGENTS.md". */
  path: string;
  /** Its text now, or undefined when there is none. */
  read(): Promise<string | undefined>;
}

export interface ProjectMemoryOptions {
  sources: readonly MemorySource[];
  /** Most tokens of memory put into the prompt, at four characters a token; default 4,000. */
  maxTokens?: number;
  /** Told when a source could not be read; the model call goes on without it. */
  onWarning?: (warning: { path: string; message: string }) => void;
}

const CHARS_PER_TOKEN = 4;
/** Turns remembered; each is one short string, and a forgotten one is read again. */
const MAX_TURNS = 200;

const section = (path: string, text: string, budget: number): string => {
  const normalised = text.replaceAll("\r\n", "\n").trim();
  if (normalised.length <= budget) return `## ${path}\n${normalised}`;
  return `## ${path}\n${normalised.slice(0, budget)}\n[cut here to fit the budget; the whole file is at ${path}]`;
};

/**
 * Puts the project's own instructions (AGENTS.md) at the end of the system prompt. Each source is read once a user
 * turn: within a turn the prompt does not move even when the agent edits the file, and the next turn sees the change.
 * Wrap hook only, and it fails open.
 *
 * @example
 * ```ts
 * import { projectMemoryMiddleware } from "@fiveseam/context";
 * import { readFile } from "node:fs/promises";
 *
 * const memory = projectMemoryMiddleware({
 *   sources: [{ path: "/workspace/AGENTS.md", read: () => readFile("AGENTS.md", "utf8").catch(() => undefined) }],
 * });
 * ```
 */
export const projectMemoryMiddleware = (options: ProjectMemoryOptions): AgentMiddleware => {
  const budget = (options.maxTokens ?? 4_000) * CHARS_PER_TOKEN;
  const turns = new Map<string, Promise<string>>();

  const warn = (path: string, error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error);
    // Memory is a convenience, and so is word of its failure: neither may stop a model call.
    try {
      Promise.resolve(options.onWarning?.({ path, message })).catch(() => {});
    } catch {}
  };

  const load = async (): Promise<string> => {
    const sections: string[] = [];
    let left = budget;
    for (const source of options.sources) {
      try {
        const text = await source.read();
        if (!text?.trim()) continue;
        if (left <= 0) {
          sections.push(`## ${source.path}\n[not shown: the budget for project instructions is used up]`);
          continue;
        }
        sections.push(section(source.path, text, left));
        left -= text.length;
      } catch (error) {
        warn(source.path, error);
      }
    }
    return sections.length > 0 ? ["# Project instructions", ...sections].join("\n\n") : "";
  };

  const forTurn = (turn: string | undefined): Promise<string> => {
    if (turn === undefined) return load();
    const known = turns.get(turn);
    if (known) return known;
    const loading = load();
    turns.set(turn, loading);
    if (turns.size > MAX_TURNS) turns.delete(turns.keys().next().value as string);
    return loading;
  };

  return createMiddleware({
    name: "FiveseamProjectMemory",
    wrapModelCall: async (request, handler) => {
      const lastHuman = request.messages.findLast((message) => HumanMessage.isInstance(message));
      const { thread_id } = (request.runtime.configurable ?? {}) as { thread_id?: unknown };
      // A caller may use one message id in two threads.
      const turn = lastHuman?.id === undefined ? undefined : `${String(thread_id)}\n${lastHuman.id}`;
      const memory = await forTurn(turn);
      if (memory === "") return handler(request);
      return handler({
        ...request,
        systemMessage: request.systemMessage.concat(new SystemMessage(`\n\n${memory}`)),
      });
    },
  }) as AgentMiddleware;
};
