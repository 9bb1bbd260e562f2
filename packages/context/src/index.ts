export { createSystemPrompt, type SystemPromptOptions } from "./system-prompt.js";
export { todosMiddleware, type Todo } from "./todos.js";
export type { ContextWarning, OnWarning } from "./warn.js";
export type { Conversation } from "./namespace.js";

export { contextPrefixMiddleware, type ContextPrefixOptions } from "./prefix/prefix-middleware.js";
export type { PrefixLoad, PrefixSection, PrefixSource } from "./prefix/source.js";
export {
  backendFiles,
  storeFiles,
  type ContextFiles,
  type ReadableBackend,
} from "./sources/context-files.js";
export {
  DEFAULT_INSTRUCTIONS,
  instructionFiles,
  type InstructionFilesOptions,
} from "./sources/instruction-files.js";
export { memoryBlocks, type MemoryBlocksOptions, type MemoryNote } from "./sources/memory-blocks.js";
export {
  createSkillCatalog,
  skillIndex,
  type Skill,
  type SkillCatalog,
  type SkillCatalogOptions,
  type SkillSource,
} from "./skills/skill-catalog.js";
export type { SkillFacts } from "./skills/skill-file.js";
export { nestedInstructionsMiddleware, type NestedInstructionsOptions } from "./nested-instructions.js";

export {
  turnContextMiddleware,
  type TurnContextOptions,
  type TurnNote,
  type TurnNoteCall,
} from "./trailing/turn-context.js";
export { sessionFilesNote, type FileFreshness, type SessionFilesOptions } from "./trailing/session-files.js";
export { promptCacheMiddleware, type PromptCacheOptions } from "./trailing/cache-marks.js";

export {
  compactionMiddleware,
  type Compacted,
  type CompactionOptions,
} from "./compaction/compaction-middleware.js";
export type { HistoryBackend } from "./compaction/history.js";
export type { CompactionLevels, CompactionTier } from "./compaction/plan.js";
export type { FilesOfCall, FileUse } from "./compaction/carry.js";
