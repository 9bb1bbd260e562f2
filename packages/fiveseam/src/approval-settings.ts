import {
  canonicalPath,
  DOCS_ROUTE,
  isWithin,
  WORKSPACE_ROUTE,
  type ProposedChange,
} from "@fiveseam/backends";
import {
  covers,
  createApprovals,
  createRights,
  currentCall,
  type Approvals,
  type Effect,
} from "@fiveseam/tool-pipeline";
import { ConfigError } from "./errors.js";

/** What the user is asked about before it happens. */
export interface ApprovalSettings {
  /** Whether every call of a tool is asked about. */
  tools?: Readonly<Record<string, boolean>>;
  /** Calls of tools with one of these effects; a tool that `tools` names is not among them. */
  effects?: readonly Effect[];
  /** Changes of these files: globs of virtual paths such as "/workspace/migrations/**". */
  paths?: readonly string[];
  /** Deletions of files; default true. */
  deletions?: boolean;
  /** Commands that the shell policy is in doubt about; default true. */
  commands?: boolean;
  /** A question that nobody has answered by then counts as denied, in milliseconds; default: it stays open. */
  timeoutMs?: number;
}

type Args = Readonly<Record<string, unknown>>;

interface Asking {
  readonly approvals?: ApprovalSettings | false;
  readonly requireDiffApproval?: boolean;
  readonly interruptOn?: object | undefined;
}

const asksOfDeletions = ({ approvals = {} }: Asking): boolean =>
  approvals !== false && (approvals.deletions ?? true);

/** Whether the user's own gate has asked about this call already, or the user wants none for this tool. */
const isSettled = ({ approvals = {}, interruptOn = {} }: Asking, tool: string | undefined): boolean =>
  tool !== undefined &&
  ((Object.hasOwn(interruptOn, tool) && (interruptOn as Record<string, unknown>)[tool] !== false) ||
    (approvals !== false && Object.hasOwn(approvals.tools ?? {}, tool)));

/** A document that the tool `delete` is called with: what the workspace loses, its own files ask about; the rest is the graph's state. */
const isDocument = ({ file_path }: Args): boolean => {
  try {
    return typeof file_path !== "string" || isWithin(canonicalPath(file_path), DOCS_ROUTE.slice(0, -1));
  } catch {
    return true;
  }
};

/** A change set that takes a document away. */
const takesDocuments = ({ changes }: Args): boolean =>
  !Array.isArray(changes) ||
  changes.some(
    (change: { action?: unknown; path?: unknown } | null) =>
      (change?.action === "delete" || change?.action === "rename") && isDocument({ file_path: change.path }),
  );

/** What takes uncommitted work away, and what changes files at all. */
const GIT_TAKES = ["discard", "abort"];
const GIT_CHANGES = [...GIT_TAKES, "stash_push", "stash_pop", "switch_branch", "merge", "revert"];

const isAskedOfGit =
  ({ approvals = {}, requireDiffApproval }: Asking) =>
  ({ action, include_untracked }: Args): boolean => {
    const all = requireDiffApproval || (approvals && approvals.paths?.length);
    const asked = all ? GIT_CHANGES : GIT_TAKES;
    return asked.includes(String(action)) || (action === "stash_push" && include_untracked === true);
  };

/**
 * @param builtInFiles whether the workspace's files ask by themselves.
 * @param remembers whether an answer may be remembered in a thread.
 */
export const approvalsOf = (
  asking: Asking,
  builtInFiles: boolean,
  remembers: (threadId: string) => boolean,
): Approvals => {
  const { tools = {}, effects, timeoutMs } = asking.approvals || {};
  const asks = (tool: string, when: (args: Args) => boolean) =>
    Object.hasOwn(tools, tool) || !asksOfDeletions(asking) || isSettled(asking, tool) ? {} : { [tool]: when };
  return createApprovals({
    tools: {
      ...asks("delete", (args) => !builtInFiles || isDocument(args)),
      ...asks("compose_files", takesDocuments),
      ...asks("git_ops", isAskedOfGit(asking)),
      ...tools,
    },
    remembers,
    ...(effects ? { effects } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
};

/** True for a deletion that is no rename: the content is nowhere else. */
export const loses = ({ files, others }: ProposedChange): boolean => {
  const made = new Set(files.filter(({ kind }) => kind === "create").map(({ hashAfter }) => hashAfter));
  return (
    others.length > 0 ||
    files.some(({ kind, hashBefore }) => kind === "delete" && (hashBefore === null || !made.has(hashBefore)))
  );
};

const pathsOf = (globs: readonly string[]): ((file: string) => boolean) => {
  const other = globs.find((glob) => !`${glob}/`.startsWith(WORKSPACE_ROUTE) && !glob.startsWith("/**"));
  if (other !== undefined) {
    throw new ConfigError(
      "approvals.paths",
      `"${other}" names no file of the workspace: begin with ${WORKSPACE_ROUTE}. Documents are asked about by \`tools\`.`,
    );
  }
  try {
    const rights = createRights({ effects: ["fs.write"], read: "none", write: globs });
    return (file) => covers(rights, { write: file });
  } catch (cause) {
    throw new ConfigError("approvals.paths", (cause as Error).message, { cause });
  }
};

/** Which changes of the workspace's files are asked about; undefined when none is. */
export const askedAbout = (asking: Asking): ((change: ProposedChange) => boolean) | undefined => {
  const { approvals = {}, requireDiffApproval = false } = asking;
  if (requireDiffApproval) return () => true;
  if (approvals === false) return undefined;
  const deletions = asksOfDeletions(asking);
  const isGuarded = approvals.paths?.length ? pathsOf(approvals.paths) : undefined;
  if (!deletions && !isGuarded) return undefined;
  const isOpen = (): boolean => !isSettled(asking, currentCall()?.toolName);
  return (change) =>
    (deletions && loses(change) && isOpen()) ||
    (isGuarded !== undefined && change.files.some(({ file }) => isGuarded(file)));
};
