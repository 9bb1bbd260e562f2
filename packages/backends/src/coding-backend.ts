import { mkdirSync } from "node:fs";
import path from "node:path";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { StateBackend, StoreBackend, type BackendProtocolV2, type CompositeBackend } from "deepagents";
import { canonicalPath } from "./canonical-path.js";
import { checkOptions, type OptionTypes } from "./check-options.js";
import { BackendError } from "./errors.js";
import { FreshnessLedger, withFreshness } from "./freshness.js";
import { perThread } from "./per-thread.js";
import { RoutedBackend } from "./routed-backend.js";
import type { WorkspaceBackendOptions } from "./workspace/options.js";
import { WorkspaceBackend } from "./workspace/workspace-backend.js";

/** Where the workspace is, for the model and in every rule. */
export const WORKSPACE_ROUTE = "/workspace/";
/** Where the documents are that outlive a thread. */
export const DOCS_ROUTE = "/docs/";
/** Where deepagents puts tool results that are too large for the conversation. */
export const LARGE_RESULTS_ROUTE = "/large_tool_results/";
/** Where deepagents puts conversation that was summarised away. */
export const HISTORY_ROUTE = "/conversation_history/";
/** The routes that deepagents itself writes to. */
export const HARNESS_ROUTES: readonly string[] = [LARGE_RESULTS_ROUTE, HISTORY_ROUTE];

export interface CodingBackendOptions {
  /** Path of a directory, or any backend; served at `/workspace/`. */
  workspace: string | BackendProtocolV2;
  /** How the files of a directory are held; not for a backend that was given. */
  files?: Omit<WorkspaceBackendOptions, "root">;
  /**
   * What each agent has seen of which file, so that a change based on a stale reading is refused; default a new ledger. Give
   * backends that share a workspace in one process the same. `false`: every change is taken.
   */
  freshness?: FreshnessLedger | false;
  /** LangGraph store behind `/docs/`. Without one there is no `/docs/`. */
  docs?: BaseStore;
  /** Namespace of the documents in the store; default `["fiveseam", "docs"]`. Give each workspace its own. */
  docsNamespace?: string[];
  /**
   * Path of a directory for large tool results and old history, which then stay out of the graph's state and
   * its checkpoints; each thread has a folder of its own there. Without one they are kept in the state.
   */
  spillDirectory?: string;
  /** Further routes; each key begins and ends with "/". */
  extra?: Readonly<Record<string, BackendProtocolV2>>;
}

const OPTIONS: OptionTypes<CodingBackendOptions> = {
  workspace: ["string", "object"],
  files: ["object"],
  freshness: ["object", "false"],
  docs: ["object"],
  docsNamespace: ["array"],
  spillDirectory: ["string"],
  extra: ["object"],
};

const refuseEmpty = (option: string): never => {
  throw new BackendError("invalid_option", `\`${option}\` is empty; give the path of a directory.`);
};

/** Where the harness keeps what is too large for the conversation; nothing there is precious enough to wait for a disk. */
const spillTo = (directory: string): WorkspaceBackend => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return new WorkspaceBackend({ root: directory, fsync: false });
};

const workspaceFiles = (options: CodingBackendOptions, root: string): BackendProtocolV2 => {
  const files = new WorkspaceBackend({
    mount: WORKSPACE_ROUTE,
    ...options.files,
    root: root || refuseEmpty("workspace"),
  });
  if (options.freshness === false) return files;
  return withFreshness(files, { ledger: options.freshness ?? new FreshnessLedger() });
};

const documents = (store: BaseStore, namespace: string[]): BackendProtocolV2 => {
  try {
    return new StoreBackend({ store, namespace });
  } catch (cause) {
    throw new BackendError(
      "invalid_option",
      `\`docsNamespace\` is ["${namespace.join('", "')}"]; its parts may hold letters, digits and - _ . @ + : ~ only.`,
      { cause },
    );
  }
};

const checkExtra = (routes: readonly string[], taken: readonly string[]): void => {
  const refuse = (message: string): never => {
    throw new BackendError("invalid_route", message);
  };
  for (const route of routes) {
    if (route === "/")
      refuse(
        '"/" is where everything without a route goes, into the graph\'s state; name a route, for instance "/notes/".',
      );
    // CompositeBackend matches by string prefix and checks nothing: "/workspace" would capture "/workspace2/…".
    if (!route.startsWith("/") || !route.endsWith("/")) {
      refuse(`The route "${route}" must begin and end with "/", for instance "/notes/".`);
    }
    let canonical = "";
    try {
      canonical = `${canonicalPath(route)}/`;
    } catch (error) {
      refuse((error as BackendError).message);
    }
    if (canonical !== route) refuse(`The route "${route}" must be written as "${canonical}".`);
    const clash = [...taken, ...routes.filter((other) => other !== route)].find(
      (other) => route.startsWith(other) || other.startsWith(route),
    );
    if (clash) {
      refuse(
        `The route "${route}" overlaps "${clash}"; searches from a parent route do not see a nested one.`,
      );
    }
  }
};

/**
 * The file system an agent sees: `/workspace/` real files, `/docs/` documents kept in a store across sessions, and
 * everything else in the graph's state, gone with the thread.
 *
 * @throws {BackendError} `invalid_route` for an extra route that is malformed or overlaps another, `invalid_option` for an
 *   empty directory, a namespace that stores refuse, or an option that there is not.
 *
 * @example
 * ```ts
 * import { createCodingBackend } from "@fiveseam/backends";
 * import { createDeepAgent } from "deepagents";
 *
 * const backend = createCodingBackend({ workspace: process.cwd() });
 * const agent = createDeepAgent({ model: "anthropic:claude-sonnet-4-6", backend });
 * ```
 */
export const createCodingBackend = (options: CodingBackendOptions): CompositeBackend => {
  checkOptions("createCodingBackend", options, OPTIONS);
  const { workspace, docs, spillDirectory, extra = {} } = options;
  const routes: Record<string, BackendProtocolV2> = {
    [WORKSPACE_ROUTE]: typeof workspace === "string" ? workspaceFiles(options, workspace) : workspace,
  };
  if (docs) {
    routes[DOCS_ROUTE] = documents(docs, options.docsNamespace ?? ["fiveseam", "docs"]);
  }
  if (spillDirectory !== undefined) {
    const spill = path.resolve(spillDirectory || refuseEmpty("spillDirectory"));
    for (const route of HARNESS_ROUTES) {
      routes[route] = perThread((name) => spillTo(path.join(spill, route, name)));
    }
  }
  checkExtra(Object.keys(extra), [WORKSPACE_ROUTE, DOCS_ROUTE, ...HARNESS_ROUTES]);
  return new RoutedBackend(new StateBackend(), { ...routes, ...extra });
};
