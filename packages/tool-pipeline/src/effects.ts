/** What a tool can do to the world outside the conversation. */
export const EFFECTS = [
  "fs.read",
  "fs.write",
  "exec",
  "vcs.write",
  "net",
  "browser",
  "debug",
  "state",
] as const;

export type Effect = (typeof EFFECTS)[number];

/** What a tool says of itself. Everything that is decided about a tool follows from this. */
export interface ToolDeclaration {
  /** Every effect a call may have; `[]` for a tool that only computes. */
  readonly effects: readonly Effect[];
  /**
   * Calls that do less than `effects` says: a command that only reads, for instance. Whoever lacks some of `effects` may still
   * make the calls that `when` is true of, if their rights cover these effects. `when` is asked with arguments that are not
   * validated yet; what it throws means no. The tool itself asks again when it runs, since a layer may change arguments.
   */
  readonly lesser?: {
    readonly effects: readonly Effect[];
    when(args: Readonly<Record<string, unknown>>): boolean | Promise<boolean>;
  };
  /**
   * True when running the same call twice leaves the world as running it once does. A call that a crash cut short is
   * run again on resume only when its tool is idempotent or has no effect beyond reading.
   */
  readonly idempotent?: boolean;
  /**
   * True when an equal call gives an equal answer as long as nobody writes or runs anything and the files in `paths` stay
   * as they are. Without `paths`, a tool that has `fs.read` is not cached.
   */
  readonly cacheable?: boolean;
  /** Every virtual path that the answer depends on. Called with arguments that are not validated yet. */
  paths?(args: Readonly<Record<string, unknown>>): readonly string[];
  /**
   * True for a call that asks whether something else has moved on, a build or a server: repeating it is waiting, not going
   * round in circles.
   */
  polls?(args: Readonly<Record<string, unknown>>): boolean;
  /**
   * Who knows how a call ended: `reported` (the default), the backend or port that says so with `reportOutcome`;
   * `returned`, the tool's own answer alone, for a tool of which single operations may fail.
   */
  readonly outcome?: "reported" | "returned";
}

/** Undeclared tools may do anything: the declaration of a tool nobody vouched for. */
export const UNDECLARED: ToolDeclaration = Object.freeze({ effects: EFFECTS, idempotent: false });

// A registered symbol, and enumerable, so that the declaration is found by the ESM and the CJS build alike and survives
// the copies that deepagents makes of a tool when a profile overrides its description.
const DECLARATION = Symbol.for("fiveseam.tool-declaration");

/**
 * deepagents' own tools carry no declaration, so the middleware knows them by name: deepagents refuses a tool of that
 * name beside them. `task` is a container: what a delegate does is declared by the calls inside it, and on resume it
 * goes on from the delegate's own checkpoint.
 */
const BUILT_IN: Readonly<Record<string, ToolDeclaration>> = {
  ls: { effects: ["fs.read"], idempotent: true },
  read_file: { effects: ["fs.read"], idempotent: true },
  glob: { effects: ["fs.read"], idempotent: true },
  grep: { effects: ["fs.read"], idempotent: true },
  write_file: { effects: ["fs.write"], idempotent: true },
  edit_file: { effects: ["fs.read", "fs.write"] },
  delete: { effects: ["fs.write"] },
  execute: { effects: ["exec"] },
  write_todos: { effects: ["state"], idempotent: true },
  task: { effects: [], idempotent: true, outcome: "returned" },
};

/**
 * Attaches a declaration to a tool that came from somewhere else, and returns the same tool.
 *
 * @example
 * ```ts
 * import { tool } from "@langchain/core/tools";
 * import { declareEffects } from "@fiveseam/tool-pipeline";
 * import { z } from "zod";
 *
 * const clock = declareEffects(
 *   tool(() => new Date().toISOString(), { name: "clock", description: "The time now.", schema: z.object({}) }),
 *   { effects: [], idempotent: true },
 * );
 * ```
 */
export const declareEffects = <T extends object>(tool: T, declaration: ToolDeclaration): T => {
  if (!Array.isArray(declaration?.effects)) {
    throw new TypeError(`\`effects\` must be a list of ${EFFECTS.join(", ")}; a tool without any states [].`);
  }
  const { lesser } = declaration;
  const unknown = [...declaration.effects, ...(lesser?.effects ?? [])].filter(
    (effect) => !EFFECTS.includes(effect),
  );
  if (unknown.length > 0) {
    throw new TypeError(`Unknown effect(s) ${unknown.join(", ")}; the effects are ${EFFECTS.join(", ")}.`);
  }
  Object.defineProperty(tool, DECLARATION, {
    value: Object.freeze({ ...declaration, effects: Object.freeze([...declaration.effects]) }),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return tool;
};

/** What an MCP server says of a tool (`annotations` of the protocol). A server may say anything. */
export interface McpAnnotations {
  readonly readOnlyHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/**
 * A declaration for a tool of an MCP server. Its annotations are hints that count only with `trust: true`, for servers that
 * you would give every effect anyway; else the tool has every effect. Trusted, a read-only tool reads files and, unless
 * `openWorldHint` is false, the net; any other tool has every effect still.
 *
 * @example
 * ```ts
 * import { declareEffects, mcpDeclaration } from "@fiveseam/tool-pipeline";
 *
 * const declare = (tool: object) => declareEffects(tool, mcpDeclaration({ readOnlyHint: true }, { trust: true }));
 * ```
 */
export const mcpDeclaration = (
  annotations: McpAnnotations | undefined,
  options: { trust?: boolean } = {},
): ToolDeclaration => {
  if (options.trust !== true || !annotations) return UNDECLARED;
  if (annotations.readOnlyHint === true) {
    return {
      effects: annotations.openWorldHint === false ? ["fs.read"] : ["fs.read", "net"],
      idempotent: true,
    };
  }
  return { effects: EFFECTS, idempotent: annotations.idempotentHint === true };
};

/** The declaration of a tool: its own, else every effect. Its name says nothing. */
export const declarationOf = (tool: object | undefined): ToolDeclaration =>
  (tool as { readonly [DECLARATION]?: ToolDeclaration } | undefined)?.[DECLARATION] ?? UNDECLARED;

/** As `declarationOf`, for a tool that stands in an agent of deepagents, whose built-in tools are known. */
export const declarationInAgent = (tool: { readonly name?: unknown } | undefined): ToolDeclaration => {
  const own = declarationOf(tool);
  if (own !== UNDECLARED || typeof tool?.name !== "string" || !Object.hasOwn(BUILT_IN, tool.name)) return own;
  return BUILT_IN[tool.name] as ToolDeclaration;
};

/** True when running a call of this tool once more can do no harm. */
export const isRepeatable = (declaration: ToolDeclaration): boolean =>
  declaration.idempotent === true ||
  declaration.effects.every((effect) => effect === "fs.read" || effect === "state");
