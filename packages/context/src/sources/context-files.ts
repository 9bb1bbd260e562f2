import type { BaseStore } from "@langchain/langgraph";

/** The few things that context wants of files, wherever they are. */
export interface ContextFiles {
  /** A file's text; undefined when there is none. What cannot be read is thrown. */
  read(path: string): Promise<string | undefined>;
  /** Names in a directory, those of directories with a "/" behind them; [] when there is no such directory. */
  list(directory: string): Promise<readonly string[]>;
}

/** The two methods of deepagents' backend protocol (V2) that are needed. */
export interface ReadableBackend {
  readRaw(path: string): MaybePromise<{ error?: string; data?: { content: unknown } }>;
  ls(path: string): MaybePromise<{ error?: string; files?: readonly { path: string; is_dir?: boolean }[] }>;
}

type MaybePromise<T> = T | Promise<T>;

const ABSENT = /not[ _]found|no such file|enoent|does not exist/i;

const isAbsent = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === "ENOENT" || ABSENT.test(String(error));

/** A call's result; undefined when it says that there is no such file. Some backends throw that, others return it. */
const unlessAbsent = async <T extends { error?: string }>(
  call: () => T | Promise<T>,
): Promise<T | undefined> => {
  try {
    const result = await call();
    if (result.error === undefined) return result;
    if (isAbsent(result.error)) return undefined;
    throw new Error(result.error);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
};

const textOf = (content: unknown): string | undefined => {
  if (typeof content === "string") return content;
  if (content instanceof Uint8Array) return new TextDecoder().decode(content);
  return Array.isArray(content) && content.every((line) => typeof line === "string")
    ? content.join("\n")
    : undefined;
};

/**
 * Files of a deepagents backend.
 *
 * @example
 * ```ts
 * import { backendFiles } from "@fiveseam/context";
 * import { StateBackend } from "deepagents";
 *
 * const files = backendFiles(new StateBackend());
 * ```
 */
export const backendFiles = (backend: ReadableBackend): ContextFiles => ({
  async read(path) {
    const result = await unlessAbsent(async () => backend.readRaw(path));
    return result?.data ? textOf(result.data.content) : undefined;
  },
  async list(directory) {
    const result = await unlessAbsent(async () => backend.ls(directory));
    return (result?.files ?? []).map(({ path, is_dir }) => {
      const name = path.replace(/\/+$/, "").split("/").at(-1) ?? "";
      return is_dir || path.endsWith("/") ? `${name}/` : name;
    });
  },
});

/** Items asked for at a time, and how many times for one listing. */
const PAGE = 1_000;
const MAX_PAGES = 50;

/**
 * Files kept in a LangGraph store, in the form that deepagents' StoreBackend writes: the key is the path, the value's
 * `content` the text. What is put there reaches a running agent at its next turn.
 *
 * @example
 * ```ts
 * import { storeFiles } from "@fiveseam/context";
 * import { InMemoryStore } from "@langchain/langgraph";
 *
 * const store = new InMemoryStore();
 * await store.put(["team", "rules"], "/AGENTS.md", { content: "Use tabs." });
 * const files = storeFiles(store, ["team", "rules"]);
 * console.log(await files.read("/AGENTS.md"));
 * ```
 */
export const storeFiles = (store: BaseStore, namespace: readonly string[]): ContextFiles => ({
  async read(path) {
    const item = await store.get([...namespace], path);
    return textOf((item?.value as { content?: unknown } | undefined)?.content);
  },
  async list(directory) {
    const below = `${directory.replace(/\/+$/, "")}/`;
    const keys: string[] = [];
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const items = await store.search([...namespace], { limit: PAGE, offset: page * PAGE });
      // A store's search also finds what is in the namespaces below.
      keys.push(
        ...items.filter(({ namespace: own }) => own.length === namespace.length).map(({ key }) => key),
      );
      if (items.length < PAGE) break;
    }
    const names = keys
      .filter((key) => key.startsWith(below))
      .map((key) => key.slice(below.length))
      .map((rest) => (rest.includes("/") ? rest.slice(0, rest.indexOf("/") + 1) : rest));
    return [...new Set(names)];
  },
});
