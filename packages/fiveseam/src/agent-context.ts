import path from "node:path";
import { unreported, WORKSPACE_ROUTE } from "@fiveseam/backends";
import {
  backendFiles as filesOfBackend,
  compactionMiddleware,
  contextPrefixMiddleware,
  createSkillCatalog,
  instructionFiles,
  memoryBlocks,
  nestedInstructionsMiddleware,
  promptCacheMiddleware,
  skillIndex,
  turnContextMiddleware,
  type Compacted,
  type CompactionLevels,
  type ContextFiles,
  type ContextWarning,
  type Conversation,
  type FileFreshness,
  type FileUse,
  type PrefixSource,
  type SkillCatalog,
  type SkillSource,
  type TurnNote,
} from "@fiveseam/context";
import type { Host } from "@fiveseam/host";
import { declarationInAgent } from "@fiveseam/tool-pipeline";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BackendProtocolV2 } from "deepagents";
import { createMiddleware, type AgentMiddleware } from "langchain";
import type { WarningCode } from "./events.js";
import { momentNotes } from "./moment-notes.js";
import { sayInRun } from "./run-notices.js";
import { userConfigDirectory, userFiles } from "./user-files.js";

/** What the agent is told besides the conversation. */
export interface ContextSettings {
  /** Most tokens of each part of the prompt's head; default 4,000 for instructions, 2,000 for memories and for skills. */
  maxTokens?: { instructions?: number; memories?: number; skills?: number };
  /** The notes of `manage_core_memory`, where the host keeps such notes; default true. */
  memories?: boolean;
  /** AGENTS.md of a directory, attached to the first result from below it; default true. */
  nestedInstructions?: boolean;
  /** Further parts of the prompt's head. */
  sources?: readonly PrefixSource[];
  /**
   * Further notes on the moment, behind the built-in ones: the time, the open editor and its problems, files that are not as
   * the agent knows them, and `notes` of the run's context (texts by name). `false`: none at all.
   */
  notes?: readonly TurnNote[] | false;
}

/** When and how a conversation is compacted. */
export interface CompactionSettings {
  /** Most input of the model in tokens, for models that nothing is known of; wins over what is known. */
  windowTokens?: number;
  /** Shares of the window: warn at 0.8, act at 0.9, aim for 0.5. */
  levels?: Partial<CompactionLevels>;
}

/** How long providers are asked to keep what they have read. */
export interface PromptCacheSettings {
  /** Anthropic: default "5m"; "1h" costs more to write. */
  ttl?: "5m" | "1h";
}

interface Parts {
  readonly options: {
    readonly memory?: readonly string[] | false;
    readonly skills?: readonly (string | SkillSource)[] | false;
    readonly context?: ContextSettings;
    readonly compaction?: CompactionSettings | false;
    readonly promptCache?: PromptCacheSettings | false;
    readonly stateDir?: string;
  };
  readonly workspace: string;
  readonly backend: BackendProtocolV2;
  readonly host: Host;
  /** Every tool that the agent and its delegates may call, for what they do to files. */
  tools(): readonly { readonly name?: unknown }[];
  /** Who else may write a summary when the model of a call cannot. */
  readonly fallbacks: readonly BaseChatModel[];
  readonly freshness?: (file: string, agent: Conversation) => Promise<FileFreshness>;
  /** What an agent has read is no longer before its eyes. */
  forget?(agent: Conversation): void;
  warn(code: WarningCode, message: string): void;
}

/** The middleware of an agent and of each delegate; made anew for each, since deepagents shares none. */
export interface AgentContext {
  /** Undefined when there are to be no skills. */
  readonly skills: SkillCatalog | undefined;
  /** Outside of the pipeline, whose results may serve another conversation: what is attached to the results of this one. */
  attached(): AgentMiddleware[];
  /** The head of the prompt. */
  head(withSkills: boolean): AgentMiddleware[];
  /** Replaces deepagents' own by its name, wherever it stands in the list. */
  compaction(): AgentMiddleware;
  /** The notes of the moment. */
  moment(): AgentMiddleware[];
  /** Innermost: it has to see which model a failover has chosen. */
  cache(): AgentMiddleware[];
}

/** Where skills are looked for when nothing is said, the first wins. */
const SKILL_DIRECTORIES = [`${WORKSPACE_ROUTE}.fiveseam/skills/`, `${WORKSPACE_ROUTE}.claude/skills/`];

const CODES: Readonly<Partial<Record<ContextWarning["code"], WarningCode>>> = {
  source_unreadable: "memory_unreadable",
};

const providerOf = (model: { getName?(): string }): string | undefined => {
  const { metadata } = model as { metadata?: Record<string, unknown> };
  const provider = metadata?.["fiveseam_provider"];
  if (typeof provider === "string") return provider;
  return model.getName?.() === "ChatAnthropic" ? "anthropic" : undefined;
};

const realDirectory = (workspace: string, directory: string): { realDirectory?: string } =>
  directory.startsWith(WORKSPACE_ROUTE)
    ? { realDirectory: path.join(workspace, directory.slice(WORKSPACE_ROUTE.length)) }
    : {};

/** The backend's files, read beside a tool call: whether one is there says nothing of how that call ended. */
const backendFiles = (backend: BackendProtocolV2): ContextFiles => {
  const files = filesOfBackend(backend);
  return {
    read: (file) => unreported(() => files.read(file)),
    list: (directory) => unreported(() => files.list(directory)),
  };
};

const skillSources = ({ options, workspace, backend }: Parts): SkillSource[] => {
  const { skills, stateDir } = options;
  if (skills === false) return [];
  const files = backendFiles(backend);
  const user = path.join(userConfigDirectory(stateDir), "skills");
  return [
    ...(skills ?? SKILL_DIRECTORIES).map((source) =>
      typeof source === "string"
        ? { label: "project", files, directory: source, ...realDirectory(workspace, source) }
        : source,
    ),
    // Whoever says where skills are to be found has said it.
    ...(skills === undefined
      ? [{ label: "user", files: userFiles(user), directory: user, realDirectory: user }]
      : []),
  ];
};

const instructionSources = ({ options, backend }: Parts): PrefixSource[] => {
  const { memory, context, stateDir } = options;
  if (memory === false) return [];
  const maxTokens = context?.maxTokens?.instructions ?? 4_000;
  const project = instructionFiles({
    files: backendFiles(backend),
    root: WORKSPACE_ROUTE,
    maxTokens,
    ...(memory === undefined ? {} : { paths: memory }),
  });
  if (memory !== undefined) return [project];
  const user = instructionFiles({
    files: userFiles(),
    root: userConfigDirectory(stateDir),
    paths: ["AGENTS.md"],
    title: "The user's instructions for every project",
    maxTokens,
  });
  return [user, project];
};

const PATH_KEYS = ["file_path", "path", "from", "to"];

/** The paths in a call's arguments: its own, and those of the changes that it lists. */
const pathsIn = (args: Readonly<Record<string, unknown>>): string[] => [
  ...PATH_KEYS.flatMap((key) => (typeof args[key] === "string" ? [args[key]] : [])),
  ...Object.values(args)
    .filter((value) => Array.isArray(value))
    .flat()
    .filter((each): each is Record<string, unknown> => typeof each === "object" && each !== null)
    .flatMap((each) => PATH_KEYS.flatMap((key) => (typeof each[key] === "string" ? [each[key]] : []))),
];

/** What a call does to files, by what its tool declares; tools that are not known are taken by deepagents' names. */
const filesOfCall = (tools: Parts["tools"]) => {
  let byName: Map<string, object> | undefined;
  return (name: string, args: Readonly<Record<string, unknown>>): FileUse => {
    byName ??= new Map(tools().map((tool) => [String(tool.name), tool]));
    const { effects, paths } = declarationInAgent(byName.get(name) ?? { name });
    let files: readonly string[];
    try {
      files = paths?.(args) ?? pathsIn(args);
    } catch {
      files = pathsIn(args);
    }
    // A search names a directory, and has not read what is in it.
    if (effects.includes("fs.write")) return { read: [], changed: effects.includes("exec") ? [] : files };
    return { read: name === "read_file" || paths ? files : [], changed: [] };
  };
};

/** Assembles what the agent and its delegates are told. */
export const agentContext = (parts: Parts): AgentContext => {
  const { options, backend, host, warn } = parts;
  const { context = {}, compaction, promptCache } = options;
  const onWarning = ({ code, message }: ContextWarning): void => {
    const known = CODES[code] ?? (code as WarningCode);
    // In the run where it happened, if there is one, and once; else with the next one.
    if (known.startsWith("context_") || known === "compaction_failed") {
      if (sayInRun({ type: "warning", code: known, message })) return;
    }
    warn(known, message);
  };
  const sources = skillSources(parts);
  const skills = options.skills === false ? undefined : createSkillCatalog({ sources, onWarning });
  const instructions = instructionSources(parts);
  const memories =
    context.memories === false || !host.memory
      ? []
      : [memoryBlocks({ store: host.memory, maxTokens: context.maxTokens?.memories ?? 2_000 })];
  const used = filesOfCall(() => parts.tools());

  return {
    skills,
    attached: () =>
      context.nestedInstructions === false || options.memory === false
        ? []
        : [
            nestedInstructionsMiddleware({
              files: backendFiles(backend),
              root: WORKSPACE_ROUTE,
              pathsOfCall: (tool, args) => {
                const { read, changed } = used(tool, args);
                return [...read, ...changed];
              },
              onWarning,
            }),
          ],
    head: (withSkills) => [
      contextPrefixMiddleware({
        sources: [
          ...instructions,
          ...(withSkills && skills
            ? [skillIndex(skills, { maxTokens: context.maxTokens?.skills ?? 2_000 })]
            : []),
          ...memories,
          ...(context.sources ?? []),
        ],
        onWarning,
      }),
    ],
    compaction: () =>
      compaction === false
        ? (createMiddleware({ name: "SummarizationMiddleware" }) as AgentMiddleware)
        : compactionMiddleware({
            backend,
            ...(compaction?.levels ? { levels: compaction.levels } : {}),
            ...(compaction?.windowTokens === undefined
              ? {}
              : { windowTokens: () => compaction.windowTokens }),
            summaryModels: (model) => [model, ...parts.fallbacks.filter((other) => other !== model)],
            filesOfCall: used,
            onCompacted: ({ threadId, namespace, ...compacted }: Compacted) => {
              parts.forget?.({ threadId, namespace });
              sayInRun({ type: "context.compacted", ...compacted });
            },
            onWarning,
          }),
    moment: () =>
      context.notes === false
        ? []
        : [
            turnContextMiddleware({
              notes: [
                ...momentNotes(host, {
                  filesOfCall: used,
                  ...(parts.freshness ? { freshness: parts.freshness } : {}),
                }),
                ...(context.notes ?? []),
              ],
              onWarning,
            }),
          ],
    cache: () => (promptCache === false ? [] : promptCacheMiddleware({ ...promptCache, providerOf })),
  };
};
