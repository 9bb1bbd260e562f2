export { createCodingTools, type CodingToolName, type CodingToolsOptions } from "./coding-tools.js";
export { createActiveEditorTool } from "./active-editor.js";
export { createAstEditTool, type AstEditArtifact } from "./ast-edit.js";
export type { EditedText } from "./ast/edit-symbol.js";
export { AstEditError, type AstEditErrorCode } from "./ast/errors.js";
export type { AstWasm } from "./ast/grammars.js";
export { AST_LANGUAGES, type AstLanguage } from "./ast/languages.js";
export { createComposeFilesTool, type ComposeFilesArtifact } from "./compose-files.js";
export type { ComposedFile } from "./files/composed-files.js";
export { createBrowserTools, createWebPreviewTool } from "./browser-tools.js";
export { createDebugTools } from "./debug-tools.js";
export { createFindFilesTool, createListFilesTool, createReadFilesTool } from "./file-tools.js";
export { createGitOpsTool } from "./git-ops.js";
export { createGitReadTool } from "./git-read.js";
export { createArchitectureKnowledgeTool, createSearchVectorDbTool } from "./index-tools.js";
export { createGetDiagnosticsTool, createLspQueryTool, createSearchSymbolsTool } from "./language-tools.js";
export { createManageCoreMemoryTool } from "./manage-core-memory.js";
export { createManageTasksTool } from "./manage-tasks.js";
export { createManageTerminalTool } from "./manage-terminal.js";
export { createRipgrepSearchTool } from "./ripgrep-search.js";
export { createRunCommandTool } from "./run-command.js";
export { createRunTestsTool } from "./run-tests.js";
export {
  createReadSkillTool,
  createRunSkillScriptTool,
  type SkillEntry,
  type SkillsPort,
} from "./skill-tools.js";
export { createThinkTool } from "./think.js";
export { createWebFetchTool, createWebSearchTool } from "./web.js";
export { FileChangeError, ToolDeniedError, ToolInputError } from "./errors.js";
export { WorkingDirectoryError } from "./working-directory.js";
export type { ProcessArtifact } from "./process-report.js";
export type { CommandBracket, CommandChanges } from "./command-bracket.js";
export type { CommandGate, CommandPolicy, CommandVerdict } from "./shell-check.js";
export {
  isChangeable,
  type ChangeableFiles,
  type ToolCommitResult,
  type ToolFileAccess,
  type ToolFileChange,
  type ToolFileReceipt,
  type ToolFiles,
} from "./tool-files.js";
