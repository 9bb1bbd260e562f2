export type { ConformanceCase, Subject } from "./conformance-case.js";

export { gitConformance } from "./git.js";
export { createTestRepository, type TestRepository } from "./git-repository.js";
export { taskStoreConformance } from "./task-store.js";
export { memoryStoreConformance } from "./memory-store.js";
export { serveSite, webFetchConformance, webSearchConformance, type Site } from "./web.js";
export {
  debugConformance,
  editorConformance,
  languageConformance,
  type EditorScene,
} from "./editor-ports.js";
export { browserConformance, previewConformance } from "./browser-ports.js";
export { codeKnowledgeConformance, vectorIndexConformance } from "./knowledge-ports.js";
export { processConformance } from "./process.js";
export { terminalConformance } from "./terminal.js";
export { TEST_PROJECT, testRunnerConformance } from "./test-runner.js";
export { textSearchConformance, type SearchTree } from "./text-search.js";
