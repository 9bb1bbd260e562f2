import { canonicalPath } from "@fiveseam/backends";
import type { ModelChoice, ModelSpec, ModelTier } from "@fiveseam/models";
import type { FailoverSettings } from "./agent-models.js";
import type { AuditSettings, LimitSettings } from "./agent-pipeline.js";
import type { FileSettings, UndoSettings } from "./agent-files.js";
import type { CompactionSettings, ContextSettings, PromptCacheSettings } from "./agent-context.js";
import type { ApprovalSettings } from "./approval-settings.js";
import type { MiddlewareOption } from "./middleware-option.js";
import type { Role, RoleName } from "@fiveseam/subagents";
import type { CodingToolsOptions, CommandPolicy } from "@fiveseam/coding-tools";
import type { Host } from "@fiveseam/host";
import { EFFECTS, type Pipeline } from "@fiveseam/tool-pipeline";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { InteropZodObject } from "@langchain/core/utils/types";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph";
import type {
  CreateDeepAgentParams,
  AnyBackendProtocol,
  AnySubAgent,
  SupportedResponseFormat,
} from "deepagents";
import type { SkillSource } from "@fiveseam/context";
import type { AgentMiddleware } from "langchain";
import { z } from "zod";
import { ConfigError } from "./errors.js";

/** deepagents' parameters that pass through, with its own types. */
type Passed<
  Response extends SupportedResponseFormat,
  Context extends ContextSchema,
  State extends StateSchemaOption,
> = Pick<
  CreateDeepAgentParams<
    Response,
    Context,
    readonly AgentMiddleware[],
    readonly AnySubAgent[],
    readonly [],
    readonly [],
    State
  >,
  "responseFormat" | "contextSchema" | "stateSchema" | "interruptOn" | "permissions"
>;

export type ContextSchema = InteropZodObject;
export type StateSchemaOption = CreateDeepAgentParams["stateSchema"];
type ToolOption = NonNullable<CreateDeepAgentParams["tools"]>[number];

/** A delegate of the product's own; deepagents' form. */
export type DelegateOption = AnySubAgent & {
  /** A compiled or remote delegate runs outside the tool pipeline, so it is refused unless you say that you trust it. */
  trusted?: boolean;
};

export interface CodingAgentOptions<
  Response extends SupportedResponseFormat = SupportedResponseFormat,
  Context extends ContextSchema = ContextSchema,
  State extends StateSchemaOption = undefined,
> extends Passed<Response, Context, State> {
  /** Directory of the repository; the agent sees it at `/workspace/`. */
  workspace: string;
  /** "provider:model", a spec, or any LangChain chat model that can call tools. */
  model: string | ModelSpec | BaseChatModel;
  /**
   * Models that take over, in this order, when the model fails for a reason that another provider can cure (its key,
   * credit, rate limit, an outage). One that cannot be made here is left out with a warning.
   */
  fallbacks?: readonly ModelChoice[];
  /**
   * Gives each role the model of its tier: those named here, else those of the model's own provider. Without it every
   * role runs on `model`. When a role's model fails it goes on with `model` and then the fallbacks.
   */
  tiers?: Partial<Record<ModelTier, ModelChoice>>;
  /** Models of single roles, your own included; wins over `tiers`. */
  roleModels?: Partial<Record<RoleName | (string & {}), ModelChoice>>;
  /** Roles of your own beside the built-in ones, made with `defineRole` of `@fiveseam/subagents`. */
  roles?: readonly Role[];
  /**
   * Switches delegates off: `false` all of them, and with them the `task` tool; `{ reviewer: false }` one, a role or one of
   * `subagents`.
   */
  delegates?: false | Readonly<Partial<Record<RoleName | (string & {}), boolean>>>;
  /** How a failed model call is recovered: waits, retries, time limits. */
  failover?: FailoverSettings;
  /** Stops a run when its model calls, its delegates' included, have cost so many US dollars at list price. */
  maxCost?: number;
  /** Your instructions, put behind the built-in system prompt. */
  systemPrompt?: string;
  /**
   * Which of the coding tools that the host can serve the agent has: `include` adds those that are there on request
   * (`read_files`, `find_files`, `list_files`), `exclude` leaves some out; `wasm` are the parsers of `ast_edit`, for a bundle in a
   * single file. `false`: none.
   */
  codingTools?: Pick<CodingToolsOptions, "include" | "exclude" | "wasm"> | false;
  /**
   * What commands may never do, whoever asks: default the standard policy of `@fiveseam/shell-policy` for this workspace and
   * this user's home. `false`: nothing is looked at.
   */
  shellPolicy?: CommandPolicy | false;
  /**
   * What the user is asked about before it happens; default deletions of files, and commands that the shell policy is in doubt
   * about. Each question ends the run with an `approval.needed`; answer it with `agent.resume()`. Without a checkpointer nobody
   * can be asked, and the answer is no. `false`: nothing is asked about.
   */
  approvals?: ApprovalSettings | false;
  /** Ask before each change of a file in the workspace, with its diff; default false. Commands are not files: see `approvals`. */
  requireDiffApproval?: boolean;
  /**
   * "staged": changes of files in the workspace wait until they are accepted by `agent.staged`, without a pause; the agent reads
   * them as made, the disk and commands do not see them.
   */
  review?: "staged";
  /** How the files of the workspace are held: what is protected or hidden, and whether a file must be read first. */
  files?: FileSettings;
  /** What is kept so that `agent.undo()` can take changes back, in `<stateDir>/undo`. `false`: nothing. */
  undo?: UndoSettings | false;
  /** Tools added to the built-in ones. */
  tools?: readonly ToolOption[];
  /**
   * Middleware added behind the built-in one, for the main agent; a function is called once to make one. One that throws is
   * left out of that call, one that cannot be made is left out altogether, each with a warning: see `requiredMiddleware`.
   */
  middleware?: readonly MiddlewareOption[];
  /** Delegates added to the built-in specialists. */
  subagents?: readonly DelegateOption[];
  /**
   * Where skills are found, the first wins: directories as the agent knows them, or sources of your own. Default
   * `/workspace/.fiveseam/skills/`, `/workspace/.claude/skills/` and the user's. `false`: no skills.
   */
  skills?: readonly (string | SkillSource)[] | false;
  /**
   * Files of instructions in the head of the prompt, as virtual paths; default AGENTS.md, CLAUDE.md and `.fiveseam/rules` of
   * the workspace and the user's AGENTS.md. `false`: none, nested ones neither.
   */
  memory?: readonly string[] | false;
  /** What else the agent is told, and how much. */
  context?: ContextSettings;
  /** When a conversation is compacted. `false`: never. */
  compaction?: CompactionSettings | false;
  /**
   * Watches what each middleware does to a request, so that the one which moves the prompt's prefix is named: a meter of
   * `@fiveseam/context/prefix-meter`, for tests.
   */
  prefixMeter?: { watch<const T extends readonly AgentMiddleware[]>(list: T): T };
  /** What providers are asked to keep of the prompt. `false`: what deepagents does by itself. */
  promptCache?: PromptCacheSettings | false;
  /** The write_todos tool; default true. */
  todos?: boolean;
  /**
   * The LangGraph store that `/docs/` is kept in; default a SqlJsStore in `stateDir`. `false`: none, and so no `/docs/`.
   */
  store?: BaseStore | false;
  /** Where threads are stored; default a SqlJsSaver in `stateDir`. `false`: nowhere, or where a LangGraph server says. */
  checkpointer?: BaseCheckpointSaver | false;
  /** Directory for threads, `/docs/` and large results; default below the user's state directory, by workspace. */
  stateDir?: string;
  /**
   * The machine that tools work on, port by port; default Node's, in the workspace, closed with the agent. A tool whose
   * port is absent is absent.
   */
  host?: Host;
  /**
   * How tool calls are recorded; default a hash-chained log in `<stateDir>/audit`, without arguments. `false`: not at all.
   */
  audit?: AuditSettings | false;
  /** Limits on tool calls. */
  limits?: LimitSettings;
  /**
   * Called once with the pipeline that every tool call goes through, the delegates' included, to put layers of your own
   * into it: `(pipeline) => pipeline.use(layer, { before: "policy" })`.
   */
  pipeline?: (pipeline: Pipeline) => void | Promise<void>;
  /** Replaces the files altogether; needs `unsafe: true`, since nothing then confines the agent to the workspace. */
  backend?: AnyBackendProtocol;
  /** Allows `backend`. */
  unsafe?: boolean;
  /** Name of the agent, for tracing. */
  name?: string;
}

const hasMethod =
  (method: string) =>
  (value: unknown): boolean =>
    typeof value === "object" &&
    value !== null &&
    typeof (value as Record<string, unknown>)[method] === "function";
const object = (what: string) =>
  z.custom<object>((value) => typeof value === "object" && value !== null, `expected ${what}`);
const isCanonical = (path: string): boolean => {
  try {
    return canonicalPath(path) === path.replace(/(.)\/$/, "$1");
  } catch {
    return false;
  }
};
const virtualPath = z
  .string()
  .refine(isCanonical, 'expected a virtual path that begins with "/", without "." or ".."');
/** A LangChain tool, or a tool that the provider runs (`{ type: "web_search_20250305", … }`). */
const tool = z.custom<object>((value) => {
  if (typeof value !== "object" || value === null) return false;
  const { name, invoke, type } = value as { name?: unknown; invoke?: unknown; type?: unknown };
  return typeof invoke === "function" ? typeof name === "string" && name !== "" : typeof type === "string";
}, "expected a tool with a name");
const gates = z.record(
  z.string(),
  z.union(
    [z.boolean(), z.looseObject({ allowedDecisions: z.array(z.enum(["approve", "edit", "reject"])).min(1) })],
    'expected true, false, or { allowedDecisions: ["approve", "edit", "reject"] } with one of them at least',
  ),
);
const delegate = z.union(
  [
    z.looseObject({
      name: z.string().min(1),
      description: z.string().min(1),
      systemPrompt: z.union([z.string().min(1), object("a message")]),
      interruptOn: gates.optional(),
    }),
    z
      .looseObject({ name: z.string().min(1), runnable: z.unknown() })
      .refine((each) => each.runnable !== undefined),
    z.looseObject({ name: z.string().min(1), graphId: z.string() }),
  ],
  "expected a delegate with a name, a description and a systemPrompt, and gates that name decisions",
);
const role = z.custom<object>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    typeof (value as { name?: unknown }).name === "string" &&
    typeof (value as { rights?: unknown }).rights === "object",
  "expected a role, as defineRole makes one",
);
const permission = z.looseObject(
  { operations: z.array(z.string()).min(1), paths: z.array(z.string()).min(1) },
  "expected { operations, paths, mode } as in deepagents",
);

const model = z.union(
  [z.string().min(1), object("a model")],
  'expected "provider:model", a spec, or a chat model',
);

const duration = z.number("expected milliseconds").min(0, "expected 0 milliseconds or more");

const count = z.number().int().min(1);
const share = z.number().gt(0).max(1);
const runLimit = z.union([z.literal(false), z.number().positive()], "expected a number above 0, or false");

const asking = z.strictObject({
  tools: z.record(z.string(), z.boolean()).optional(),
  effects: z.array(z.enum(EFFECTS)).optional(),
  paths: z.array(z.string()).optional(),
  deletions: z.boolean().optional(),
  commands: z.boolean().optional(),
  timeoutMs: z.number("expected milliseconds").positive("expected more than 0 milliseconds").optional(),
});

const fileSettings = z.strictObject({
  protectedPaths: z.array(z.string()).optional(),
  hiddenPaths: z.array(z.string()).optional(),
  hardlinks: z.enum(["refuse", "break"]).optional(),
  fsync: z.boolean().optional(),
  maxFileBytes: count.optional(),
  requireRead: z.boolean().optional(),
});

const schema = z.strictObject({
  workspace: z.string().min(1, "expected the path of a directory"),
  model,
  fallbacks: z.array(model).optional(),
  tiers: z.strictObject({ power: model.optional(), fast: model.optional() }).optional(),
  roleModels: z.record(z.string(), model).optional(),
  roles: z.array(role).optional(),
  delegates: z
    .union([z.literal(false), z.record(z.string(), z.boolean())], "expected false, or { reviewer: false }")
    .optional(),
  failover: z
    .strictObject({
      maxWaitMs: duration.optional(),
      firstByteTimeoutMs: duration.optional(),
      idleTimeoutMs: duration.optional(),
      networkRetries: z.number().int().min(0).optional(),
      onPartial: z.enum(["restart-with-notice", "fail"]).optional(),
    })
    .optional(),
  maxCost: z.number("expected a number of US dollars").min(0, "expected 0 dollars or more").optional(),
  systemPrompt: z.string().optional(),
  codingTools: z
    .union(
      [
        z.literal(false),
        z.strictObject({
          include: z.array(z.string()).optional(),
          exclude: z.array(z.string()).optional(),
          wasm: object("parsers").optional(),
        }),
      ],
      "expected { include, exclude } with names of tools, or false",
    )
    .optional(),
  shellPolicy: z
    .union([z.literal(false), z.custom(hasMethod("judge"))], "expected a shell policy, or false")
    .optional(),
  approvals: z
    .union(
      [z.literal(false), asking],
      "expected { tools, effects, paths, deletions, commands, timeoutMs }, each if needed, or false",
    )
    .optional(),
  requireDiffApproval: z.boolean().optional(),
  review: z.literal("staged").optional(),
  files: fileSettings.optional(),
  undo: z
    .union(
      [z.literal(false), z.strictObject({ maxBytes: z.number().positive().optional() })],
      "expected { maxBytes } with a number above 0, or false",
    )
    .optional(),
  tools: z.array(tool).optional(),
  middleware: z
    .array(
      z.custom<object>(
        (value) =>
          typeof value === "function" ||
          (typeof value === "object" &&
            value !== null &&
            typeof (value as { name?: unknown }).name === "string"),
        "expected a middleware with a name, or a function that makes one",
      ),
    )
    .optional(),
  subagents: z.array(delegate).optional(),
  skills: z
    .union(
      [
        z.literal(false),
        z.array(
          z.union([
            virtualPath,
            z.looseObject({ label: z.string().min(1), directory: z.string().min(1), files: object("files") }),
          ]),
        ),
      ],
      "expected virtual paths of directories, sources { label, files, directory }, or false",
    )
    .optional(),
  memory: z
    .union(
      [z.literal(false), z.array(virtualPath)],
      'expected virtual paths that begin with "/", without "." or "..", or false',
    )
    .optional(),
  context: z
    .strictObject({
      maxTokens: z
        .strictObject({
          instructions: count.optional(),
          memories: count.optional(),
          skills: count.optional(),
        })
        .optional(),
      memories: z.boolean().optional(),
      nestedInstructions: z.boolean().optional(),
      sources: z
        .array(
          z.looseObject({
            title: z.string().min(1),
            maxTokens: count,
            load: z.custom((value) => typeof value === "function", "expected a function"),
          }),
        )
        .optional(),
      notes: z
        .union(
          [
            z.literal(false),
            z.array(
              z.looseObject({
                name: z.string().min(1),
                write: z.custom((value) => typeof value === "function", "expected a function"),
              }),
            ),
          ],
          "expected notes { name, write }, or false",
        )
        .optional(),
    })
    .optional(),
  compaction: z
    .union(
      [
        z.literal(false),
        z.strictObject({
          windowTokens: count.optional(),
          levels: z
            .strictObject({ warnAt: share.optional(), actAt: share.optional(), target: share.optional() })
            .optional(),
        }),
      ],
      "expected { windowTokens, levels: { warnAt, actAt, target } } with shares between 0 and 1, or false",
    )
    .optional(),
  prefixMeter: z.custom(hasMethod("watch"), "expected a prefix meter").optional(),
  promptCache: z
    .union(
      [z.literal(false), z.strictObject({ ttl: z.enum(["5m", "1h"]).optional() })],
      'expected { ttl: "5m" } or "1h", or false',
    )
    .optional(),
  todos: z.boolean().optional(),
  store: z
    .union([z.literal(false), z.custom(hasMethod("batch"))], "expected a LangGraph store, or false")
    .optional(),
  checkpointer: z
    .union([z.literal(false), z.custom(hasMethod("getTuple"))], "expected a LangGraph checkpointer, or false")
    .optional(),
  stateDir: z.string().min(1, "expected the path of a directory").optional(),
  host: z
    .custom<object>(
      (value) =>
        typeof value === "object" &&
        value !== null &&
        !Array.isArray(value) &&
        Object.values(value).every(
          (port) => port === undefined || (typeof port === "object" && port !== null),
        ),
      "expected a host, for instance nodeHost(directory): an object whose ports are objects",
    )
    .optional(),
  audit: z
    .union(
      [
        z.literal(false),
        z.strictObject({
          sink: z.custom(hasMethod("write"), "expected an audit sink").optional(),
          auditRequired: z.boolean().optional(),
          includeArgs: z.boolean().optional(),
          redact: z
            .strictObject({
              keys: z.array(z.string().min(1)).optional(),
              patterns: z.array(z.instanceof(RegExp)).optional(),
            })
            .optional(),
          nowMs: z.function().optional(),
          elapsedMs: z.function().optional(),
        }),
      ],
      "expected { sink, auditRequired, includeArgs, redact }, each if needed, or false",
    )
    .optional(),
  limits: z
    .strictObject({
      rateLimit: z
        .union(
          [
            z.literal(false),
            z.strictObject({ perMinute: count.optional(), perToolPerMinute: count.optional() }),
          ],
          "expected { perMinute, perToolPerMinute } with whole numbers from 1 on, or false",
        )
        .optional(),
      run: z
        .strictObject({
          maxEvents: runLimit.optional(),
          maxToolCalls: runLimit.optional(),
          maxDurationMs: runLimit.optional(),
          maxConsecutiveFailures: runLimit.optional(),
        })
        .optional(),
      delegation: z
        .strictObject({
          maxParallel: count.optional(),
          maxDepth: count.optional(),
          deadlineMs: count.optional(),
          heartbeatMs: count.optional(),
        })
        .optional(),
      loopGuard: z
        .union(
          [
            z.literal(false),
            z.strictObject({
              noteAfter: count.optional(),
              refuseAfter: count.optional(),
              noteAfterFruitless: count.optional(),
              refuseAfterFruitless: count.optional(),
              stopAfterRefusals: count.optional(),
              exempt: z.array(z.string()).optional(),
            }),
          ],
          "expected { noteAfter, refuseAfter, … } with whole numbers from 1 on, or false",
        )
        .optional(),
    })
    .optional(),
  pipeline: z
    .custom<(pipeline: Pipeline) => void>((value) => typeof value === "function", "expected a function")
    .optional(),
  backend: z.custom(hasMethod("read"), "expected a deepagents backend instance").optional(),
  unsafe: z.boolean().optional(),
  name: z.string().min(1).optional(),
  responseFormat: z.unknown().optional(),
  contextSchema: object("a zod object").optional(),
  stateSchema: object("a state schema").optional(),
  interruptOn: gates.optional(),
  permissions: z.array(permission).optional(),
});

/** Options of `createDeepAgent` that have no place here, and what to do instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  streamTransformers: "read agent.run(), or stream the graph yourself",
};

const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next[j] = Math.min(
        (row[j] as number) + 1,
        (next[j - 1] as number) + 1,
        (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    }
    row = next;
  }
  return row[b.length] as number;
};

const nearest = (name: string): string | undefined =>
  Object.keys(schema.shape)
    .map((option) => ({ option, far: distance(name.toLowerCase(), option.toLowerCase()) }))
    .filter(({ option, far }) => far <= Math.max(2, Math.floor(option.length / 3)))
    .toSorted((one, other) => one.far - other.far)[0]?.option;

const unknownOption = (name: string): ConfigError => {
  const known = Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined;
  const instead = known ?? nearest(name);
  const hint = known
    ? `: ${instead}`
    : instead
      ? `; did you mean "${instead}"?`
      : `. The options are ${Object.keys(schema.shape).join(", ")}.`;
  return new ConfigError(name, `createCodingAgent has no option "${name}"${hint}`);
};

/**
 * Checks the options' shape and that they do not contradict each other.
 *
 * @throws {ConfigError} naming the option at fault and what would be right.
 */
export const checkOptions = (options: unknown): void => {
  if (typeof options !== "object" || options === null) {
    throw new ConfigError("options", "createCodingAgent takes an object; { workspace, model } is the least.");
  }
  const result = schema.safeParse(options);
  if (!result.success) {
    const issue = result.error.issues[0] as z.core.$ZodIssue;
    if (issue.code === "unrecognized_keys" && issue.path.length === 0)
      throw unknownOption(issue.keys[0] as string);
    const option = issue.path.join(".");
    const missing = issue.path.length === 1 && (options as Record<string, unknown>)[option] === undefined;
    throw new ConfigError(
      option,
      `The option "${option}" is ${missing ? "missing" : "wrong"}: ${issue.message}.`,
    );
  }
  const { backend, unsafe, requireDiffApproval, review, files, undo } = options as CodingAgentOptions;
  const own = Object.entries({ requireDiffApproval, review, files, undo }).find(([, value]) => value);
  if (review && requireDiffApproval) {
    throw new ConfigError(
      "review",
      "`review` lets changes wait without a pause and `requireDiffApproval` asks before each: choose one.",
    );
  }
  if (backend && own) {
    throw new ConfigError(
      own[0],
      `\`${own[0]}\` is about the built-in files, which \`backend\` replaces: leave one of them out.`,
    );
  }
  if (backend && !unsafe) {
    throw new ConfigError(
      "backend",
      "A backend of your own replaces the confinement to the workspace: pass `unsafe: true` with it, or leave it out.",
    );
  }
  if (unsafe && !backend) {
    throw new ConfigError(
      "unsafe",
      "`unsafe: true` only allows `backend`, and none was given: leave it out.",
    );
  }
};
