import {
  applyMemoryChange,
  blockOf,
  blocksOf,
  checkedMemoryScope,
  DEFAULT_MEMORY_LIMITS,
  EMPTY_MEMORY,
  type MemoryChange,
  type MemoryState,
} from "../memory-blocks.js";
import type { MemoryLimits, MemoryScope, MemoryStorePort } from "../memory-store-port.js";
import {
  applyTaskChanges,
  checkedScope,
  DEFAULT_TASK_LIMITS,
  EMPTY_TASK_LIST,
  tasksOf,
  type TaskLimits,
  type TaskListState,
} from "../task-list.js";
import type { TaskStorePort } from "../task-store-port.js";

/** Task lists that end with the process. */
export const createFakeTaskStore = (
  options: Partial<TaskLimits> & { readonly now?: () => number } = {},
): TaskStorePort => {
  const { now = Date.now, ...limits } = options;
  const lists = new Map<string, TaskListState>();
  return {
    async list(scope, { signal } = {}) {
      signal?.throwIfAborted();
      const state = lists.get(checkedScope(scope)) ?? EMPTY_TASK_LIST;
      return { tasks: tasksOf(state), revision: state.revision, warnings: [] };
    },
    async apply(scope, changes, { signal } = {}) {
      signal?.throwIfAborted();
      const key = checkedScope(scope);
      const { state, added } = applyTaskChanges(lists.get(key) ?? EMPTY_TASK_LIST, changes, now(), {
        ...DEFAULT_TASK_LIMITS,
        ...limits,
      });
      lists.set(key, state);
      return { tasks: tasksOf(state), revision: state.revision, warnings: [], added };
    },
  };
};

/** Core memory that ends with the process. */
export const createFakeMemoryStore = (
  options: Partial<MemoryLimits> & { readonly now?: () => number } = {},
): MemoryStorePort => {
  const { now = Date.now, ...given } = options;
  const limits = { ...DEFAULT_MEMORY_LIMITS, ...given };
  const states: Record<MemoryScope, MemoryState> = { user: EMPTY_MEMORY, project: EMPTY_MEMORY };
  const change = async (
    scope: MemoryScope,
    key: string,
    what: MemoryChange,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    signal?.throwIfAborted();
    states[checkedMemoryScope(scope)] = applyMemoryChange(states[scope], key, what, now(), limits);
  };
  const changed = (scope: MemoryScope, key: string) => ({
    block: blockOf(scope, key, states[scope]),
    warnings: [],
  });
  return {
    limits,
    async list({ scope, signal } = {}) {
      signal?.throwIfAborted();
      const scopes: MemoryScope[] = scope === undefined ? ["user", "project"] : [checkedMemoryScope(scope)];
      return { blocks: scopes.flatMap((each) => blocksOf(each, states[each])), warnings: [] };
    },
    async set(scope, key, text, { signal } = {}) {
      await change(scope, key, { kind: "set", text }, signal);
      return changed(scope, key);
    },
    async append(scope, key, text, { signal } = {}) {
      await change(scope, key, { kind: "append", text }, signal);
      return changed(scope, key);
    },
    async replace(scope, key, passage, { signal } = {}) {
      await change(scope, key, { kind: "replace", ...passage }, signal);
      return changed(scope, key);
    },
    async delete(scope, key, { signal } = {}) {
      await change(scope, key, { kind: "delete" }, signal);
      return { warnings: [] };
    },
  };
};
