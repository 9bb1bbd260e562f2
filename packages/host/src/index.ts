export type {
  ProcessCommand,
  ProcessEnding,
  ProcessOptions,
  ProcessPort,
  ProcessResult,
} from "./process-port.js";
export { DEFAULT_ENVIRONMENT } from "./environment.js";
export { createNodeProcess, type NodeProcessOptions } from "./node-process.js";
export { nodeHost, type Host, type NodeHostOptions } from "./node-host.js";

export { HostError, type HostErrorCode } from "./errors.js";
export type { CallOptions } from "./call-options.js";
export type { Clock } from "./clock.js";
export type { Ids } from "./ids.js";
export type { LogFields, LogLevel, Logger } from "./logger.js";
export type { StoreWarning } from "./store-warning.js";
export { GIT_WRITE_EFFECTS } from "./git-port.js";
export type { GitCommitOptions, GitMergeResult, GitPort, GitReadPort, GitWritePort } from "./git-port.js";
export type {
  GitBlame,
  GitBlameLine,
  GitBlameOptions,
  GitBranch,
  GitBranchList,
  GitChangeKind,
  GitCommit,
  GitConflictKind,
  GitDiff,
  GitDiffFile,
  GitDiffOptions,
  GitDiffTarget,
  GitFileContent,
  GitFileStatus,
  GitHead,
  GitLog,
  GitLogOptions,
  GitOperation,
  GitShow,
  GitShowOptions,
  GitSignature,
  GitStash,
  GitStashList,
  GitStatus,
  GitStatusOptions,
  GitUpstream,
} from "./git-results.js";
export type { WebFetchOptions, WebFetchPort, WebPage } from "./web-fetch-port.js";
export type { WebSearchHit, WebSearchOptions, WebSearchPort, WebSearchResult } from "./web-search-port.js";
export type {
  Task,
  TaskChange,
  TaskList,
  TaskListChanged,
  TaskScope,
  TaskStatus,
  TaskStorePort,
} from "./task-store-port.js";
export type {
  MemoryBlock,
  MemoryChanged,
  MemoryLimits,
  MemoryRead,
  MemoryScope,
  MemoryStorePort,
} from "./memory-store-port.js";
export type {
  Diagnostics,
  Hover,
  LanguagePort,
  ListOptions,
  LocationList,
  Problem,
  SourceLocation,
  SourcePosition,
  SourceRange,
  SourceSymbol,
  SymbolKind,
  SymbolList,
} from "./language-port.js";
export type { ActiveEditor, EditorPort, OpenEditor } from "./editor-port.js";
export type {
  DebugBreakpoint,
  DebugCallOptions,
  DebugConfiguration,
  DebugFrame,
  DebugPort,
  DebugSession,
  DebugStack,
  DebugStep,
  DebugThread,
  DebugVariable,
  DebugVariables,
} from "./debug-port.js";
export type { Preview, PreviewPort } from "./preview-port.js";
export type {
  BrowserAction,
  BrowserPort,
  BrowserRun,
  BrowserScreenshot,
  BrowserSnapshot,
  BrowserTask,
} from "./browser-port.js";
export type { VectorHit, VectorHits, VectorIndexPort, VectorIndexStatus } from "./vector-index-port.js";
export type {
  CodeKnowledgePort,
  GraphAnswer,
  GraphRelation,
  KnowledgeAnswer,
  KnowledgeItem,
  KnowledgeSection,
} from "./code-knowledge-port.js";
export type {
  FileListQuery,
  FileListResult,
  TextSearchContext,
  TextSearchFile,
  TextSearchLimit,
  TextSearchMatch,
  TextSearchOptions,
  TextSearchPort,
  TextSearchQuery,
  TextSearchResult,
  TextSearchScope,
  TextSpan,
} from "./text-search-port.js";
export {
  createJsSearch,
  createRipgrepSearch,
  createTextSearch,
  type JsSearchOptions,
  type RipgrepSearchOptions,
} from "./text-search.js";
export type {
  TerminalEnding,
  TerminalOpenOptions,
  TerminalPort,
  TerminalReadOptions,
  TerminalReadResult,
  TerminalRunOptions,
  TerminalRunResult,
  TerminalSession,
  TerminalStarted,
} from "./terminal-port.js";
export { createNodeTerminal, type NodeTerminalOptions } from "./node-terminal.js";
export type {
  DetectedTestRunner,
  TestCounts,
  TestFailure,
  TestRunnerName,
  TestRunnerPort,
  TestRunOptions,
  TestRunRequest,
  TestRunResult,
} from "./test-runner-port.js";
export { systemClock } from "./system-clock.js";
export { systemIds } from "./system-ids.js";
export { createLineLogger, silentLogger, type LineLoggerOptions } from "./line-logger.js";
export {
  createManualClock,
  createMemoryLogger,
  createSequentialIds,
  type LogEntry,
  type ManualClock,
} from "./fakes/manual.js";
export { createFakeMemoryStore, createFakeTaskStore } from "./fakes/stores.js";
export { type TaskLimits } from "./task-list.js";
export { createFakeLanguage, type FakeSourceFile, type FakeSymbol } from "./fakes/language.js";
export { createFakeEditor, type FakeEditorState } from "./fakes/editor.js";
export { createFakeWebFetch, createFakeWebSearch } from "./fakes/web.js";
export { createFakeDebug, type FakeDebugStop } from "./fakes/debug.js";
export { createFakeBrowser, createFakePreview, type FakeBrowserPage } from "./fakes/browser.js";
export { createFakeCodeKnowledge, createFakeVectorIndex } from "./fakes/knowledge.js";
export { createNodeTestRunner, type NodeTestRunnerOptions } from "./node-test-runner.js";
export { createSandboxedProcess, type SandboxOptions } from "./sandboxed-process.js";
export { createGit, type GitOptions } from "./node-git.js";
export { createWebFetch, type WebAddress, type WebFetchAdapterOptions } from "./web-fetch.js";
export {
  createHttpSearchProvider,
  createWebSearch,
  type HttpSearchProviderOptions,
  type WebSearchProvider,
} from "./web-search.js";
export { createTaskStore, type TaskStoreOptions } from "./task-store.js";
export { createMemoryStore, type MemoryStoreOptions } from "./memory-store.js";
export type { FileStoreOptions } from "./json-file.js";
export type { NodePortOptions } from "./node-host-ports.js";
