import { createHash } from "node:crypto";
import path from "node:path";
import { createJsonFile, type FileStoreOptions, type JsonFile } from "./json-file.js";
import {
  applyTaskChanges,
  checkedScope,
  DEFAULT_TASK_LIMITS,
  EMPTY_TASK_LIST,
  faultOfTaskList,
  tasksOf,
  type TaskLimits,
  type TaskListState,
} from "./task-list.js";
import type { TaskScope, TaskStorePort } from "./task-store-port.js";

export interface TaskStoreOptions extends FileStoreOptions, Partial<TaskLimits> {
  /** Where the lists are kept, a file each. It is made when it is needed. */
  readonly directory: string;
}

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Task lists in files. Each change is on the disk before its call resolves; a process that is killed leaves the old or
 * the new list, and several processes may work on one. A file that cannot be read is set aside and reported.
 *
 * @example
 * ```ts
 * import { createTaskStore } from "@fiveseam/host";
 *
 * const tasks = createTaskStore({ directory: ".state/tasks", onWarning: (warning) => console.warn(warning) });
 * const scope = { kind: "thread", threadId: "t1" } as const;
 * await tasks.apply(scope, [{ kind: "add", title: "Write the test" }]);
 * console.log((await tasks.list(scope)).tasks);
 * ```
 */
export const createTaskStore = (options: TaskStoreOptions): TaskStorePort => {
  const { now = Date.now } = options;
  const limits: TaskLimits = {
    maxTasks: options.maxTasks ?? DEFAULT_TASK_LIMITS.maxTasks,
    maxTitleBytes: options.maxTitleBytes ?? DEFAULT_TASK_LIMITS.maxTitleBytes,
    maxNotesBytes: options.maxNotesBytes ?? DEFAULT_TASK_LIMITS.maxNotesBytes,
  };

  const fileOf = (scope: TaskScope): JsonFile<TaskListState> => {
    const key = checkedScope(scope);
    // A thread may be called anything, and file systems disagree about what is the same name.
    const name =
      key === "workspace" ? key : `thread-${createHash("sha256").update(key).digest("hex").slice(0, 40)}`;
    const threadId = scope.kind === "thread" ? { threadId: scope.threadId } : {};
    return createJsonFile<TaskListState>({
      ...options,
      file: path.join(options.directory, `${name}.json`),
      empty: { ...threadId, ...EMPTY_TASK_LIST },
      faultOf: faultOfTaskList,
      version: 1,
      maxBytes: MAX_BYTES,
    });
  };

  return {
    async list(scope, { signal } = {}) {
      const { value, warnings } = await fileOf(scope).read(signal);
      return { tasks: tasksOf(value), revision: value.revision, warnings };
    },
    async apply(scope, changes, { signal } = {}) {
      const { result, warnings } = await fileOf(scope).update((before) => {
        const { state, added } = applyTaskChanges(before, changes, now(), limits);
        return {
          value: changes.length === 0 ? before : state,
          result: { tasks: tasksOf(state), revision: state.revision, added },
        };
      }, signal);
      return { ...result, warnings };
    },
  };
};
