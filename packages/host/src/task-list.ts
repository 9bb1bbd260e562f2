import { HostError } from "./errors.js";
import type { Task, TaskChange, TaskStatus } from "./task-store-port.js";

/** A list as it is stored. Fields that this release does not know stay where they are. */
export interface TaskListState {
  readonly tasks: readonly StoredTask[];
  readonly nextId: number;
  readonly revision: number;
}

/** A task without its order, which is its place in the list. */
export type StoredTask = Omit<Task, "order">;

export interface TaskLimits {
  /** Default 500. */
  readonly maxTasks: number;
  /** Default 500. */
  readonly maxTitleBytes: number;
  /** Default 8,000. */
  readonly maxNotesBytes: number;
}

export const DEFAULT_TASK_LIMITS: TaskLimits = { maxTasks: 500, maxTitleBytes: 500, maxNotesBytes: 8_000 };
export const EMPTY_TASK_LIST: TaskListState = { tasks: [], nextId: 1, revision: 0 };

const NUMBER = /^[1-9]\d{0,14}$/;
const MAX_NEXT_ID = 10 ** 15;
const STATUSES: readonly TaskStatus[] = ["pending", "in_progress", "done", "cancelled"];

/** All changes or, by throwing, none. */
export const applyTaskChanges = (
  state: TaskListState,
  changes: readonly TaskChange[],
  now: number,
  limits: TaskLimits,
): { state: TaskListState; added: string[] } => {
  if (!Array.isArray(changes)) throw new HostError("invalid_argument", "the changes are no list");
  let tasks = [...state.tasks];
  // A number is never given twice, also when something else has written the list and forgot to count.
  let nextId = Math.max(state.nextId, ...state.tasks.map(({ id }) => (NUMBER.test(id) ? Number(id) + 1 : 1)));
  const added: string[] = [];
  const indexOf = (id: string): number => {
    const at = tasks.findIndex((task) => task.id === id);
    if (at < 0) throw new HostError("not_found", `there is no task "${id}"`);
    return at;
  };
  const insert = (task: StoredTask, before: string | undefined): void =>
    void tasks.splice(before === undefined ? tasks.length : indexOf(before), 0, task);

  for (const change of changes) {
    switch ((change as TaskChange | null)?.kind) {
      case "add": {
        const task: StoredTask = {
          id: String(nextId),
          title: checkedTitle(change.title, limits),
          status: checkedStatus(change.status ?? "pending"),
          notes: checkedNotes(change.notes ?? "", limits),
          dependencies: unique(change.dependencies ?? []),
          createdAt: now,
          updatedAt: now,
        };
        nextId += 1;
        insert(task, change.before);
        added.push(task.id);
        break;
      }
      case "update": {
        const at = indexOf(change.id);
        tasks[at] = {
          ...(tasks[at] as StoredTask),
          ...(change.title === undefined ? {} : { title: checkedTitle(change.title, limits) }),
          ...(change.status === undefined ? {} : { status: checkedStatus(change.status) }),
          ...(change.notes === undefined ? {} : { notes: checkedNotes(change.notes, limits) }),
          ...(change.dependencies === undefined ? {} : { dependencies: unique(change.dependencies) }),
          updatedAt: now,
        };
        break;
      }
      case "move": {
        if (change.before === change.id) break;
        const [task] = tasks.splice(indexOf(change.id), 1);
        insert(task as StoredTask, change.before);
        break;
      }
      case "remove":
        tasks.splice(indexOf(change.id), 1);
        tasks = withoutDependencies(tasks, new Set([change.id]));
        break;
      case "clear": {
        const gone = tasks.filter((task) => change.what === "all" || isFinished(task.status));
        tasks = withoutDependencies(
          tasks.filter((task) => !gone.includes(task)),
          new Set(gone.map((task) => task.id)),
        );
        break;
      }
      default:
        throw new HostError(
          "invalid_argument",
          `"${String((change as { kind?: unknown } | null)?.kind)}" is no change of a task list`,
        );
    }
  }
  if (tasks.length > limits.maxTasks)
    throw new HostError("too_large", `a list holds ${limits.maxTasks} tasks; clear the finished ones first`);
  checkDependencies(tasks);
  const moved = changes.length > 0 ? 1 : 0;
  return { state: { ...state, tasks, nextId, revision: state.revision + moved }, added };
};

/** The tasks as the port shows them: known fields and their order. */
export const tasksOf = (state: TaskListState): Task[] =>
  state.tasks.map(({ id, title, status, notes, dependencies, createdAt, updatedAt }, order) => ({
    id,
    title,
    status,
    notes,
    dependencies: [...dependencies],
    order,
    createdAt,
    updatedAt,
  }));

/** What is wrong with a stored list, or nothing. */
export const faultOfTaskList = (value: unknown): string | undefined => {
  const list = value as Partial<TaskListState> | null;
  if (typeof list !== "object" || list === null || !Array.isArray(list.tasks))
    return "it holds no list of tasks";
  if (!Number.isSafeInteger(list.nextId) || !Number.isSafeInteger(list.revision))
    return "its counters are no numbers";
  if ((list.nextId as number) < 1 || (list.nextId as number) > MAX_NEXT_ID || (list.revision as number) < 0)
    return "its counters are out of range";
  const known = (list.tasks as Partial<StoredTask>[]).every(
    (task) =>
      typeof task === "object" &&
      task !== null &&
      typeof task.id === "string" &&
      typeof task.title === "string" &&
      typeof task.notes === "string" &&
      STATUSES.includes(task.status as TaskStatus) &&
      Array.isArray(task.dependencies) &&
      task.dependencies.every((each) => typeof each === "string") &&
      typeof task.createdAt === "number" &&
      typeof task.updatedAt === "number",
  );
  if (!known) return "a task lacks a field or has one of another type";
  const ids = new Set((list.tasks as StoredTask[]).map(({ id }) => id));
  return ids.size === list.tasks.length ? undefined : "two tasks have one id";
};

const isFinished = (status: TaskStatus): boolean => status === "done" || status === "cancelled";
const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

const withoutDependencies = (tasks: readonly StoredTask[], gone: ReadonlySet<string>): StoredTask[] =>
  tasks.map((task) =>
    task.dependencies.some((id) => gone.has(id))
      ? { ...task, dependencies: task.dependencies.filter((id) => !gone.has(id)) }
      : task,
  );

const checkedStatus = (status: TaskStatus): TaskStatus => {
  if (STATUSES.includes(status)) return status;
  throw new HostError(
    "invalid_argument",
    `"${String(status)}" is no status; give one of ${STATUSES.join(", ")}`,
  );
};

const checkedTitle = (title: string, limits: TaskLimits): string => {
  if (typeof title !== "string" || title.trim() === "")
    throw new HostError("invalid_argument", "a task needs a title");
  return checkedSize("a title", title, limits.maxTitleBytes);
};

const checkedNotes = (notes: string, limits: TaskLimits): string =>
  checkedSize("notes", notes, limits.maxNotesBytes);

const checkedSize = (what: string, text: string, maxBytes: number): string => {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  throw new HostError("too_large", `${what} of ${bytes} bytes; at most ${maxBytes} are kept`);
};

const checkDependencies = (tasks: readonly StoredTask[]): void => {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const checked = new Set<string>();
  const walk = (task: StoredTask, trail: readonly string[]): void => {
    if (trail.includes(task.id))
      throw new HostError(
        "invalid_argument",
        `tasks wait for each other: ${[...trail, task.id].join(" → ")}`,
      );
    if (checked.has(task.id)) return;
    for (const id of task.dependencies) {
      const needed = byId.get(id);
      if (!needed)
        throw new HostError("invalid_argument", `task "${task.id}" depends on "${id}", which is not there`);
      walk(needed, [...trail, task.id]);
    }
    checked.add(task.id);
  };
  for (const task of tasks) walk(task, []);
};

/** Whose list it is, as a name that files can carry; refuses a thread without a name. */
export const checkedScope = (scope: {
  kind: string;
  threadId?: string;
}): "workspace" | `thread:${string}` => {
  if (scope?.kind === "workspace") return "workspace";
  if (scope?.kind !== "thread" || typeof scope.threadId !== "string" || scope.threadId === "")
    throw new HostError("invalid_argument", "a list belongs to the workspace or to a thread with an id");
  // Half a character is written to a file's name as any other half: two threads would share one list.
  if (/\p{Surrogate}/u.test(scope.threadId))
    throw new HostError("invalid_argument", "the thread's id holds half a character");
  return `thread:${scope.threadId}`;
};
