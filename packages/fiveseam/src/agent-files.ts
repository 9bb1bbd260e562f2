import { realpathSync } from "node:fs";
import path from "node:path";
import {
  bracketExec,
  createCodingBackend,
  FreshnessLedger,
  withFreshness,
  withReview,
  withStaging,
  withUndo,
  WORKSPACE_ROUTE,
  WorkspaceBackend,
  type CommandBracket,
  type GuardedBackend,
  type ProposedChange,
  type ReviewOptions,
  type StagingBackend,
  type UndoableBackend,
  type WorkspaceBackendOptions,
} from "@fiveseam/backends";
import type { Conversation, FileFreshness } from "@fiveseam/context";
import type { Approvals, Layer } from "@fiveseam/tool-pipeline";
import type { BaseStore } from "@langchain/langgraph";
import type { BackendProtocolV2 } from "deepagents";
import { askedAbout, loses, type ApprovalSettings } from "./approval-settings.js";
import { ConfigError } from "./errors.js";
import { agentKey, fileFreshness } from "./file-freshness.js";
import { stagedNotes } from "./staged-notes.js";
import type { ThreadGate } from "./threads.js";

/** How the files of the workspace are held. */
export interface FileSettings extends Pick<
  WorkspaceBackendOptions,
  "protectedPaths" | "hiddenPaths" | "hardlinks" | "fsync" | "maxFileBytes"
> {
  /** Refuse to change a file that the agent has not read; default false. */
  requireRead?: boolean;
}

/** How much is kept to take changes back. */
export interface UndoSettings {
  /** Most bytes of old contents; default 256 MiB. The oldest runs go first. */
  maxBytes?: number;
}

interface FileParts {
  readonly workspace: string;
  readonly stateDir: string | undefined;
  readonly store: BaseStore | undefined;
  readonly docsNamespace: string[];
  readonly approvals: Approvals;
  readonly gate: ThreadGate;
  readonly options: {
    readonly files?: FileSettings;
    readonly undo?: UndoSettings | false;
    readonly approvals?: ApprovalSettings | false;
    readonly requireDiffApproval?: boolean;
    readonly review?: "staged";
  };
}

/** The agent's files, and what takes its changes back when something does. */
export interface AgentFiles {
  readonly backend: BackendProtocolV2;
  readonly undoable?: UndoableBackend;
  /** Around commands, which reach files without the backend. */
  readonly bracket?: CommandBracket;
  /** Changes that wait for the user. */
  readonly staging?: StagingBackend;
  /** Whether a file is as an agent saw it last. */
  readonly freshness?: (file: string, agent: Conversation) => Promise<FileFreshness>;
  /** What an agent has seen of files is no longer before its eyes. */
  forget?(agent: Conversation): void;
  /** For the pipeline: says in a result what of it is only staged. */
  readonly layers?: readonly Layer[];
}

const realOf = (directory: string): string => {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
};

/** Where a directory lies in the workspace, when it does. */
const inside = (workspace: string, directory: string): string | undefined => {
  const relative = path.relative(realOf(workspace), realOf(directory));
  if (relative === "") {
    throw new ConfigError(
      "stateDir",
      "`stateDir` is the workspace itself: give a directory beside it, or one in it.",
    );
  }
  return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)
    ? undefined
    : `/${relative.split(path.sep).join("/")}`;
};

const describe = ({ files, others }: ProposedChange): string => {
  const [first, ...rest] = files;
  const names = files.length + others.length;
  if (!first) return `Change ${others[0] ?? "a file"}${names > 1 ? ` and ${names - 1} more` : ""}.`;
  const kinds = new Set(files.map(({ kind }) => kind));
  const verb =
    kinds.size > 1 ? "Change" : { create: "Create", change: "Change", delete: "Delete" }[first.kind];
  const more = rest.length + others.length;
  return `${verb} ${first.file}${more > 0 ? ` and ${more} more` : ""}.`;
};

/** Most files and others that a question names. */
const MAX_NAMED = 200;
/** Longest diff that a question carries: it is stored with the thread. */
const MAX_DIFF = 20_000;

const shown = (diff: string | undefined): { diff?: string } =>
  diff === undefined
    ? {}
    : {
        diff:
          diff.length <= MAX_DIFF
            ? diff
            : `${diff.slice(0, MAX_DIFF)}\n[… ${diff.length - MAX_DIFF} characters cut …]`,
      };

/** Questions about changes of files. */
const reviewBy = (
  approvals: Approvals,
  when: (change: ProposedChange) => boolean,
  remembered: (change: ProposedChange) => { key: string; label: string },
): ReviewOptions => ({
  when,
  async approve(proposal) {
    const answer = await approvals.ask({
      description: describe(proposal),
      details: {
        kind: "change",
        change: proposal.id,
        files: proposal.files
          .slice(0, MAX_NAMED)
          .map(({ file, kind, diff }) => ({ file, kind, ...shown(diff) })),
        more: Math.max(0, proposal.files.length - MAX_NAMED),
        others: proposal.others.slice(0, MAX_NAMED),
      },
      allowed: ["approve", "reject"],
      remember: remembered(proposal),
    });
    return answer.type === "reject" ? answer : { type: "approve" };
  },
});

/** The files of an agent: the workspace, with the user's say and the journal of changes around it, and what else is routed. */
export const agentFiles = ({
  workspace,
  stateDir,
  store,
  docsNamespace,
  approvals,
  gate,
  options,
}: FileParts): AgentFiles => {
  const { requireRead, ...settings } = options.files ?? {};
  // The agent's own state is nothing that it should see, let alone change.
  const own = stateDir === undefined ? undefined : inside(workspace, stateDir);
  const plain = new WorkspaceBackend({
    ...settings,
    root: workspace,
    mount: WORKSPACE_ROUTE.slice(0, -1),
    // What the workspace says about its agents is the user's.
    protectedPaths: ["/.fiveseam", ...(settings.protectedPaths ?? [])],
    hiddenPaths: [...(settings.hiddenPaths ?? []), ...(own === undefined ? [] : [own])],
  });
  if (options.review === "staged" && stateDir === undefined)
    throw new ConfigError(
      "review",
      "Staged changes need a place: this agent has no state directory; pass `stateDir`.",
    );
  const notes = stagedNotes();
  const staging =
    options.review === "staged" && stateDir !== undefined
      ? withStaging(plain, {
          directory: path.join(stateDir, "staged"),
          mount: WORKSPACE_ROUTE.slice(0, -1),
          onStaged: notes.onStaged,
        })
      : undefined;
  const ledger = new FreshnessLedger();
  const fresh = withFreshness(staging ?? plain, {
    ledger,
    ...(requireRead === undefined ? {} : { requireRead }),
  });
  const undoable =
    stateDir === undefined || options.undo === false
      ? undefined
      : withUndo(fresh, {
          ...options.undo,
          directory: path.join(stateDir, "undo"),
          runId: (threadId) => gate.holder(threadId ?? "")?.turnId ?? `invoked ${threadId ?? ""}`,
        });
  let files: GuardedBackend = undoable ?? fresh;
  const when = askedAbout(options);
  // What is staged waits for the user anyway.
  if (when && !staging) {
    const remembered = (change: ProposedChange) =>
      options.requireDiffApproval
        ? { key: "change of files", label: "every change of a file in this run" }
        : loses(change)
          ? { key: "deletion of files", label: "every deletion of files in this run" }
          : {
              key: `change of ${change.files.map(({ file }) => file).join("\n")}`,
              label: "every change of the same files in this run",
            };
    files = withReview(files, reviewBy(approvals, when, remembered));
  }
  const backend = createCodingBackend({
    workspace: files,
    ...(store ? { docs: store, docsNamespace } : {}),
    ...(stateDir === undefined ? {} : { spillDirectory: stateDir }),
  }) as BackendProtocolV2;
  return {
    backend,
    bracket: bracketExec(files),
    freshness: fileFreshness(workspace, ledger, staging ?? plain),
    forget: (agent) => ledger.forget(agentKey(agent)),
    ...(undoable ? { undoable } : {}),
    ...(staging ? { staging, layers: [notes.layer] } : {}),
  };
};
