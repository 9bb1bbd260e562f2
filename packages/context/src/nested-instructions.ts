import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { isCommand } from "@langchain/langgraph";
import { createMiddleware, type AgentMiddleware } from "langchain";
import { compactionState, notHidden, type CompactionEvent } from "./compaction/event.js";
import { isHuman } from "./compaction/messages.js";
import { KEPT_BEHIND } from "./compaction/strip.js";
import { conversationOf } from "./namespace.js";
import type { ContextFiles } from "./sources/context-files.js";
import { CHARS_PER_TOKEN, fitting } from "./tokens.js";
import { isControlFlow, reasonOf, warnWith, type OnWarning } from "./warn.js";

export interface NestedInstructionsOptions {
  readonly files: ContextFiles;
  /** The directory of the project, whose own files are in the prompt already: "/workspace/". */
  readonly root: string;
  /** Which files a call reads or changes, as absolute virtual paths; default its `file_path` or `path`. */
  readonly pathsOfCall?: (tool: string, args: Readonly<Record<string, unknown>>) => readonly string[];
  /** Names looked for in each directory; of those that are there all count. Default AGENTS.md and CLAUDE.md. */
  readonly names?: readonly string[];
  /** Most tokens of one file, at four characters a token; default 2,000. */
  readonly maxTokens?: number;
  readonly onWarning?: OnWarning;
}

/** On a result's message: the files whose text stands behind it. */
const ATTACHED = "fiveseam_instructions";

const defaultPaths = (_tool: string, args: Readonly<Record<string, unknown>>): string[] =>
  ["file_path", "path"].flatMap((key) => (typeof args[key] === "string" ? [args[key]] : []));

/** The directories between the root and a path, the outermost first; the root itself is not among them. */
const directoriesAbove = (path: string, root: string): string[] => {
  const base = root.replace(/\/*$/, "/");
  if (!path.startsWith(base) || path.split("/").includes("..")) return [];
  const parts = path
    .slice(base.length)
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .slice(0, -1);
  return parts.map((_, at) => `${base}${parts.slice(0, at + 1).join("/")}/`);
};

const attachedTo = (messages: readonly BaseMessage[]): Set<string> =>
  new Set(
    messages.flatMap((message) => {
      const files = message.additional_kwargs?.[ATTACHED];
      return Array.isArray(files) ? (files as string[]) : [];
    }),
  );

/** Steps whose attachments are remembered, and turns whose absent files are. */
const MAX_REMEMBERED = 200;

/** A set for each key, the oldest forgotten. */
const setsByKey = (): ((key: string) => Set<string>) => {
  const sets = new Map<string, Set<string>>();
  return (key) => {
    let set = sets.get(key);
    if (!set) {
      sets.set(key, (set = new Set()));
      if (sets.size > MAX_REMEMBERED) sets.delete(sets.keys().next().value as string);
    }
    return set;
  };
};

const withBehind = (message: ToolMessage, files: readonly string[], text: string): ToolMessage => {
  const behind = `\n\n${text}`;
  return new ToolMessage({
    content: (typeof message.content === "string"
      ? `${message.content}${behind}`
      : [...message.content, { type: "text", text: behind }]) as ToolMessage["content"],
    tool_call_id: message.tool_call_id,
    artifact: message.artifact as unknown,
    additional_kwargs: {
      ...message.additional_kwargs,
      [ATTACHED]: [...files],
      [KEPT_BEHIND]: behind.length,
    },
    response_metadata: message.response_metadata,
    ...(message.id === undefined ? {} : { id: message.id }),
    ...(message.name === undefined ? {} : { name: message.name }),
    ...(message.status === undefined ? {} : { status: message.status }),
  });
};

/**
 * Attaches the AGENTS.md of a directory to the result of the first call that reads or changes a file below it: once in a
 * conversation, and again when a compaction has taken it out. Those at the root belong into the prompt, see
 * `instructionFiles`. A wrap hook only; it fails open.
 *
 * @example
 * ```ts
 * import { backendFiles, nestedInstructionsMiddleware } from "@fiveseam/context";
 * import { StateBackend } from "deepagents";
 *
 * const middleware = nestedInstructionsMiddleware({ files: backendFiles(new StateBackend()), root: "/workspace/" });
 * ```
 */
export const nestedInstructionsMiddleware = (options: NestedInstructionsOptions): AgentMiddleware => {
  const {
    files,
    root,
    pathsOfCall = defaultPaths,
    names = ["AGENTS.md", "CLAUDE.md"],
    maxTokens = 2_000,
  } = options;
  const warn = warnWith(options.onWarning);
  /** Results of one step do not see each other. */
  const takenInStep = setsByKey();
  /** So that a directory without instructions is not looked at for each file below it. */
  const absentInTurn = setsByKey();

  const read = async (path: string): Promise<string | undefined> => {
    const text = (await files.read(path))?.replaceAll("\r\n", "\n").trim();
    if (!text) return undefined;
    const shown = fitting(text, maxTokens * CHARS_PER_TOKEN);
    return shown.length === text.length
      ? shown
      : `${shown}\n[cut here to fit ${maxTokens} tokens; the whole file is at ${path}]`;
  };

  const instructionsFor = async (
    paths: readonly string[],
    known: ReadonlySet<string>,
    taken: Set<string>,
    absent: Set<string>,
    signal: AbortSignal | undefined,
  ): Promise<{ path: string; text: string }[]> => {
    const found: { path: string; text: string }[] = [];
    const candidates = new Set(
      paths.flatMap((path) =>
        directoriesAbove(path, root).flatMap((directory) => names.map((name) => `${directory}${name}`)),
      ),
    );
    for (const path of candidates) {
      // Who reads the file itself has it before their eyes.
      if (known.has(path) || taken.has(path) || absent.has(path) || paths.includes(path)) continue;
      taken.add(path);
      try {
        const text = await read(path);
        if (text === undefined) absent.add(path);
        else if (!found.some((other) => other.text === text)) found.push({ path, text });
      } catch (error) {
        taken.delete(path);
        if (isControlFlow(error, signal)) throw error;
        warn("source_unreadable", `${path} could not be read: ${reasonOf(error)}`, error);
      }
    }
    return found;
  };

  return createMiddleware({
    name: "FiveseamNestedInstructions",
    stateSchema: compactionState,
    wrapToolCall: async (request, handler) => {
      const result = await handler(request);
      try {
        const message = isCommand(result) ? undefined : result;
        if (!ToolMessage.isInstance(message) || message.status === "error") return result;
        const { name, args, id } = request.toolCall;
        const paths = pathsOfCall(name, args as Readonly<Record<string, unknown>>);
        if (paths.length === 0) return result;
        const state = request.state as {
          messages?: BaseMessage[];
          _summarizationEvent?: CompactionEvent;
        };
        const all = state.messages ?? [];
        const shown = notHidden(all, state._summarizationEvent);
        const { threadId, namespace } = conversationOf(request.runtime.configurable);
        const step = [threadId, namespace, all.length, all.at(-1)?.id ?? id].join("\n");
        const turn = [threadId, namespace, all.findLast(isHuman)?.id].join("\n");
        const found = await instructionsFor(
          paths,
          attachedTo(shown),
          takenInStep(step),
          absentInTurn(turn),
          request.runtime.signal,
        );
        if (found.length === 0) return result;
        const text = found.map(
          ({ path, text: inner }) =>
            `[Instructions for what is below ${path.slice(0, path.lastIndexOf("/") + 1)}, from ${path}]\n${inner}`,
        );
        return withBehind(
          message,
          found.map(({ path }) => path),
          text.join("\n\n"),
        );
      } catch (error) {
        if (isControlFlow(error, request.runtime.signal)) throw error;
        warn(
          "source_unreadable",
          `Instructions beside what was read could not be attached: ${reasonOf(error)}`,
          error,
        );
        return result;
      }
    },
  }) as unknown as AgentMiddleware;
};
