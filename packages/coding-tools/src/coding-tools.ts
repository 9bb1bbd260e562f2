import type { Host } from "@fiveseam/host";
import type { Approvals } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import type { CommandBracket } from "./command-bracket.js";
import { isChangeable, type ToolFiles } from "./tool-files.js";
import { createActiveEditorTool } from "./active-editor.js";
import type { AstWasm } from "./ast/grammars.js";
import { createAstEditTool } from "./ast-edit.js";
import { createBrowserTools, createWebPreviewTool } from "./browser-tools.js";
import { createComposeFilesTool } from "./compose-files.js";
import { createDebugTools } from "./debug-tools.js";
import { createFindFilesTool, createListFilesTool, createReadFilesTool } from "./file-tools.js";
import { createGitOpsTool } from "./git-ops.js";
import { createGitReadTool } from "./git-read.js";
import { createArchitectureKnowledgeTool, createSearchVectorDbTool } from "./index-tools.js";
import { createGetDiagnosticsTool, createLspQueryTool, createSearchSymbolsTool } from "./language-tools.js";
import { createManageCoreMemoryTool } from "./manage-core-memory.js";
import { createManageTasksTool } from "./manage-tasks.js";
import { createManageTerminalTool } from "./manage-terminal.js";
import { createRipgrepSearchTool } from "./ripgrep-search.js";
import { createRunCommandTool } from "./run-command.js";
import { createRunTestsTool } from "./run-tests.js";
import type { CommandGate, CommandPolicy } from "./shell-check.js";
import { createReadSkillTool, createRunSkillScriptTool, type SkillsPort } from "./skill-tools.js";
import { createThinkTool } from "./think.js";
import { createWebFetchTool, createWebSearchTool } from "./web.js";

export interface CodingToolsOptions {
  /** The ports that the tools work over: a tool whose port is absent is absent. */
  host: Host;
  /** Absolute path of the workspace on the real disk, which commands run in. */
  root: string;
  /** The agent's files, for the tools that read some; those that change some are there when it has `commit`. */
  backend?: ToolFiles;
  /** The WebAssembly for `ast_edit`, for single-file bundles; found by itself where packages are installed. */
  wasm?: AstWasm;
  /**
   * What may never be run, for `run_command`, `manage_terminal` and `run_tests`: a command that it denies is refused. Make one
   * with `createShellPolicy` of `@fiveseam/shell-policy`.
   */
  shellPolicy?: CommandPolicy;
  /**
   * Asks the user about a command that the policy is in doubt about (verdict "ask"); `createApprovals` of
   * `@fiveseam/tool-pipeline` makes one. Without it such a command is run.
   */
  approvals?: Pick<Approvals, "ask">;
  /**
   * Finds out what a command changed, so that it is said in the result; `bracketExec` of `@fiveseam/backends` makes one, for
   * undo and freshness. A program that `manage_terminal` starts in the background is not waited for, and so not looked at.
   */
  bracket?: CommandBracket;
  /** How many staged changes are not on the disk: then a command that may change something asks first. */
  pending?: () => number;
  /** The skills that `read_skill` and `run_skill_script` work on; without them those tools are absent. */
  skills?: SkillsPort;
  /** Tools to add that are not there by default, since deepagents' own do nearly the same. */
  include?: readonly OptionalTool[];
  /** Tools to leave out. */
  exclude?: readonly CodingToolName[];
}

type Maker = (parts: CodingToolsOptions) => StructuredTool | undefined;

const fromGroup = <Port>(
  port: Port | undefined,
  create: (port: Port) => StructuredTool[],
  name: string,
): StructuredTool | undefined => port && create(port).find((tool) => tool.name === name);

const gateOf = ({
  bracket,
  pending,
  root,
  shellPolicy,
  approvals,
}: Pick<CodingToolsOptions, "root" | "shellPolicy" | "approvals" | "bracket" | "pending">): CommandGate => ({
  root,
  policy: shellPolicy,
  approvals,
  bracket,
  pending,
});

const DEFAULT_TOOLS = {
  ripgrep_search: ({ host }) => host.textSearch && createRipgrepSearchTool(host.textSearch),
  run_command: (parts) =>
    parts.host.process && createRunCommandTool({ process: parts.host.process, gate: gateOf(parts) }),
  manage_terminal: (parts) =>
    parts.host.terminal && createManageTerminalTool(parts.host.terminal, gateOf(parts)),
  run_tests: (parts) => parts.host.testRunner && createRunTestsTool(parts.host.testRunner, gateOf(parts)),
  git_read: ({ host }) => host.git && createGitReadTool(host.git.read),
  git_ops: ({ host, bracket }) => host.git?.write && createGitOpsTool(host.git.write, bracket),
  web_search: ({ host }) => host.webSearch && createWebSearchTool(host.webSearch),
  web_fetch: ({ host }) => host.webFetch && createWebFetchTool(host.webFetch),
  manage_tasks: ({ host }) => host.tasks && createManageTasksTool(host.tasks),
  manage_core_memory: ({ host }) => host.memory && createManageCoreMemoryTool(host.memory),
  think: () => createThinkTool(),
  get_active_editor: ({ host }) => host.editor && createActiveEditorTool(host.editor),
  search_symbols: ({ host }) => host.language && createSearchSymbolsTool(host.language),
  get_diagnostics: ({ host }) => host.language && createGetDiagnosticsTool(host.language),
  search_vector_db: ({ host }) => host.vectorIndex && createSearchVectorDbTool(host.vectorIndex),
  get_architecture_knowledge: ({ host }) =>
    host.codeKnowledge && createArchitectureKnowledgeTool(host.codeKnowledge),
  open_web_preview: ({ host }) => host.preview && createWebPreviewTool(host.preview),
  debug_get_state: ({ host }) => fromGroup(host.debug, createDebugTools, "debug_get_state"),
  debug_get_stack_trace: ({ host }) => fromGroup(host.debug, createDebugTools, "debug_get_stack_trace"),
  debug_get_variables: ({ host }) => fromGroup(host.debug, createDebugTools, "debug_get_variables"),
  debug_evaluate: ({ host }) => fromGroup(host.debug, createDebugTools, "debug_evaluate"),
  debug_control: ({ host }) => fromGroup(host.debug, createDebugTools, "debug_control"),
  browser_run: ({ host }) => fromGroup(host.browser, createBrowserTools, "browser_run"),
  browser_snapshot: ({ host }) => fromGroup(host.browser, createBrowserTools, "browser_snapshot"),
  browser_screenshot: ({ host }) => fromGroup(host.browser, createBrowserTools, "browser_screenshot"),
  compose_files: ({ backend }) => (isChangeable(backend) ? createComposeFilesTool(backend) : undefined),
  ast_edit: ({ backend, wasm }) =>
    isChangeable(backend) ? createAstEditTool(backend, wasm ? { wasm } : {}) : undefined,
  read_skill: ({ skills }) => skills && createReadSkillTool(skills),
  run_skill_script: (parts) =>
    parts.skills &&
    parts.host.process &&
    createRunSkillScriptTool({ process: parts.host.process, gate: gateOf(parts), skills: parts.skills }),
  lsp_query: ({ host, backend }) => host.language && createLspQueryTool(host.language, backend),
} satisfies Record<string, Maker>;

const OPTIONAL_TOOLS = {
  read_files: ({ host, backend }) => backend && createReadFilesTool(backend, host.language),
  find_files: ({ host }) => host.textSearch && createFindFilesTool(host.textSearch),
  list_files: ({ backend }) => backend && createListFilesTool(backend),
} satisfies Record<string, Maker>;

type OptionalTool = keyof typeof OPTIONAL_TOOLS;

/** Every tool of this package by name. */
export type CodingToolName = keyof typeof DEFAULT_TOOLS | OptionalTool;

/**
 * The coding tools that a host can serve: a tool whose port is absent is absent.
 *
 * @throws {RangeError} when `include` or `exclude` names a tool that there is not, or `include` one whose port or backend is
 *   missing.
 *
 * @example
 * ```ts
 * import { createCodingTools } from "@fiveseam/coding-tools";
 * import { nodeHost } from "@fiveseam/host";
 *
 * const root = process.cwd();
 * const tools = createCodingTools({ host: nodeHost(root), root, exclude: ["web_fetch"] });
 * console.log(tools.map((tool) => tool.name).join(" "));
 * ```
 */
export const createCodingTools = (options: CodingToolsOptions): StructuredTool[] => {
  const { include = [], exclude = [] } = options;
  const makers: Readonly<Record<string, Maker>> = { ...DEFAULT_TOOLS, ...OPTIONAL_TOOLS };
  for (const name of [...include, ...exclude]) {
    if (!Object.hasOwn(makers, name)) {
      throw new RangeError(
        `There is no coding tool "${name}"; the tools are ${Object.keys(makers).join(", ")}.`,
      );
    }
  }
  const names = [...new Set([...Object.keys(DEFAULT_TOOLS), ...include])].filter(
    (name) => !(exclude as readonly string[]).includes(name),
  );
  return names.flatMap((name) => {
    const tool = (makers[name] as Maker)(options);
    if (!tool && (include as readonly string[]).includes(name)) {
      throw new RangeError(`The tool "${name}" cannot be included: its port or \`backend\` is not there.`);
    }
    return tool ? [tool] : [];
  });
};
