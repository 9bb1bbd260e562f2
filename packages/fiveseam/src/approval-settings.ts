import { canonicalPath, DOCS_ROUTE, isWithin, type ProposedChange } from "@fiveseam/backends";
import { covers, createApprovals, createRights, type Approvals, type Effect } from "@fiveseam/tool-pipeline";
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

interface Asking {
  readonly approvals?: ApprovalSettings | false;
  readonly requireDiffApproval?: boolean;
  readonly interruptOn?: object | undefined;
}

/** Whether deletions are asked about by us: a gate of the user's own asks already. */
const asksOfDeletions = ({ approvals = {}, interruptOn }: Asking): boolean =>
  approvals !== false &&
  (approvals.tools?.["delete"] ?? approvals.deletions ?? true) &&
  !Object.hasOwn(interruptOn ?? {}, "delete");

/** A document that the tool `delete` is called with: what the workspace loses, its own files ask about; the rest is the graph's state. */
const isDocument = ({ file_path }: Readonly<Record<string, unknown>>): boolean => {
  try {
    return typeof file_path !== "string" || isWithin(canonicalPath(file_path), DOCS_ROUTE.slice(0, -1));
  } catch {
    return true;
  }
};

/** @param builtInFiles whether the workspace's files ask by themselves. */
export const approvalsOf = (asking: Asking, builtInFiles: boolean): Approvals => {
  const { tools = {}, effects, timeoutMs } = asking.approvals || {};
  const ofDeletion = asksOfDeletions(asking) && (builtInFiles ? isDocument : true);
  return createApprovals({
    tools: { ...tools, delete: ofDeletion },
    ...(effects ? { effects } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
};

/** True for a deletion that is no rename: the content is nowhere else. */
const loses = ({ files, others }: ProposedChange): boolean => {
  const made = new Set(files.filter(({ kind }) => kind === "create").map(({ hashAfter }) => hashAfter));
  return (
    others > 0 ||
    files.some(({ kind, hashBefore }) => kind === "delete" && (hashBefore === null || !made.has(hashBefore)))
  );
};

const pathsOf = (globs: readonly string[]): ((file: string) => boolean) => {
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
  return (change) =>
    (deletions && loses(change)) ||
    (isGuarded !== undefined && change.files.some(({ file }) => isGuarded(file)));
};
