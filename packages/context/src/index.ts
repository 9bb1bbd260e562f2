export { createSystemPrompt, type SystemPromptOptions } from "./system-prompt.js";
export { projectMemoryMiddleware, type MemorySource, type ProjectMemoryOptions } from "./project-memory.js";
export { todosMiddleware, type Todo } from "./todos.js";
