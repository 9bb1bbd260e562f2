import path from "node:path";
import type { Clock } from "./clock.js";
import { findProgram } from "./find-program.js";
import type { GitPort } from "./git-port.js";
import type { Ids } from "./ids.js";
import type { FileStoreOptions } from "./json-file.js";
import type { MemoryStorePort } from "./memory-store-port.js";
import { createMemoryStore } from "./memory-store.js";
import { createGit, type GitOptions } from "./node-git.js";
import { systemClock } from "./system-clock.js";
import { systemIds } from "./system-ids.js";
import type { TaskStorePort } from "./task-store-port.js";
import { createTaskStore } from "./task-store.js";
import { createWebFetch, type WebFetchAdapterOptions } from "./web-fetch.js";
import type { WebFetchPort } from "./web-fetch-port.js";
import { createWebSearch, type WebSearchProvider } from "./web-search.js";
import type { WebSearchPort } from "./web-search-port.js";

/** What of git, the web and stored state a host of this machine has. */
export interface NodePortOptions {
  /** Default: reading and writing where a git program is on the path; `false` for no git at all. */
  readonly git?: Omit<GitOptions, "root"> | false;
  /** Default: the public web; `false` for none of it. */
  readonly webFetch?: WebFetchAdapterOptions | false;
  /** Default: no search engine, and so no port. */
  readonly webSearch?: readonly WebSearchProvider[];
  /** Where this workspace's tasks and memory are kept, outside of the workspace. Default: nowhere, and so no ports. */
  readonly stateDirectory?: string;
  /** Where the person's memory is kept, the same for all workspaces. Without it there is no memory port. */
  readonly userStateDirectory?: string;
  /** Hears of stored files that could not be read. */
  readonly onWarning?: FileStoreOptions["onWarning"];
}

export interface NodePorts {
  readonly git?: GitPort;
  readonly webFetch?: WebFetchPort;
  readonly webSearch?: WebSearchPort;
  readonly tasks?: TaskStorePort;
  readonly memory?: MemoryStorePort;
  readonly clock: Clock;
  readonly ids: Ids;
}

export const nodePorts = (root: string, options: NodePortOptions): NodePorts => {
  const {
    git = { write: true },
    webFetch = {},
    webSearch = [],
    stateDirectory,
    userStateDirectory,
  } = options;
  const stored: FileStoreOptions = options.onWarning ? { onWarning: options.onWarning } : {};
  const gitPath = git === false ? undefined : (git.gitPath ?? findProgram("git", root));
  return {
    ...(git === false || gitPath === undefined ? {} : { git: createGit({ ...git, gitPath, root }) }),
    ...(webFetch === false ? {} : { webFetch: createWebFetch(webFetch) }),
    ...(webSearch.length === 0 ? {} : { webSearch: createWebSearch({ providers: webSearch }) }),
    ...(stateDirectory === undefined
      ? {}
      : { tasks: createTaskStore({ ...stored, directory: path.join(stateDirectory, "tasks") }) }),
    ...(stateDirectory === undefined || userStateDirectory === undefined
      ? {}
      : {
          memory: createMemoryStore({
            ...stored,
            projectDirectory: path.join(stateDirectory, "memory"),
            userDirectory: path.join(userStateDirectory, "memory"),
          }),
        }),
    clock: systemClock,
    ids: systemIds,
  };
};
