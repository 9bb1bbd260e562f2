import type { CallOptions } from "./call-options.js";
import type { StoreWarning } from "./store-warning.js";

export type TaskStatus = "pending" | "in_progress" | "done" | "cancelled";

export interface Task {
  /** Short, and unique within its list: "1", "2", … A number is never given twice. */
  readonly id: string;
  readonly title: string;
  readonly status: TaskStatus;
  /** Empty when there are none. */
  readonly notes: string;
  /** Ids of tasks that have to be done before. */
  readonly dependencies: readonly string[];
  /** Place in the list, from 0. */
  readonly order: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Whose list: the workspace's, which every thread sees, or one thread's. */
export type TaskScope =
  { readonly kind: "workspace" } | { readonly kind: "thread"; readonly threadId: string };

export type TaskChange =
  | {
      kind: "add";
      title: string;
      notes?: string;
      status?: TaskStatus;
      dependencies?: readonly string[];
      /** Puts it before this task; default: at the end. */
      before?: string;
    }
  | {
      kind: "update";
      id: string;
      title?: string;
      notes?: string;
      status?: TaskStatus;
      dependencies?: readonly string[];
    }
  /** Puts a task before another, or at the end. */
  | { kind: "move"; id: string; before?: string }
  /** Dependencies on it go with it. */
  | { kind: "remove"; id: string }
  /** Removes what is done or cancelled, or everything. */
  | { kind: "clear"; what: "finished" | "all" };

export interface TaskList {
  /** In their order. */
  readonly tasks: readonly Task[];
  /** Moves with every change. */
  readonly revision: number;
  readonly warnings: readonly StoreWarning[];
}

export interface TaskListChanged extends TaskList {
  /** Ids of the tasks that `add` changes made, in the order of the changes. */
  readonly added: readonly string[];
}

/**
 * Lists of tasks that outlive a process. Changes of one call happen together or not at all, and two processes never
 * lose each other's. An unknown id is refused with "not_found"; a dependency that is unknown or goes round in a circle
 * with "invalid_argument"; more than the store holds with "too_large".
 */
export interface TaskStorePort {
  list(scope: TaskScope, options?: CallOptions): Promise<TaskList>;
  apply(scope: TaskScope, changes: readonly TaskChange[], options?: CallOptions): Promise<TaskListChanged>;
}
