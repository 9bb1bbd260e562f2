import { stat } from "node:fs/promises";
import path from "node:path";
import { canonicalPath, LARGE_RESULTS_ROUTE, WORKSPACE_ROUTE } from "@fiveseam/backends";
import {
  createPipeline,
  fileAuditSink,
  type Approvals,
  type AuditOptions,
  type FileStamp,
  type Layer,
  type LoopGuardOptions,
  type Pipeline,
  type RateLimitOptions,
} from "@fiveseam/tool-pipeline";
import type { DelegationOptions } from "@fiveseam/subagents";
import type { BackendProtocolV2 } from "deepagents";
import { ConfigError } from "./errors.js";
import type { RunLimits } from "./run-limits.js";

/** How tool calls are recorded. */
export interface AuditSettings extends Partial<Omit<AuditOptions, "onSinkError">> {}

/** Limits; `false` leaves one out. */
export interface LimitSettings {
  /** What a run may use up in all, its delegates included; reaching one stops it, and `resume` goes on with a fresh budget. */
  run?: RunLimits;
  /** Calls in any minute; 600 in all and 200 of one tool by default. */
  rateLimit?: Omit<RateLimitOptions, "nowMs"> | false;
  /** When a model that goes round in circles is told, refused and stopped. */
  loopGuard?: LoopGuardOptions | false;
  /** Delegates of one agent at a time (8), how deep they delegate in turn (3), and how long each may work (30 minutes). */
  delegation?: Pick<DelegationOptions, "maxParallel" | "maxDepth" | "heartbeatMs"> & { deadlineMs?: number };
}

interface PipelineParts {
  readonly workspace: string;
  readonly stateDir: string | undefined;
  readonly backend: BackendProtocolV2;
  /** Inside the audit and outside everything else, the first is outermost. */
  readonly layers: readonly Layer[];
  /** Behind the policy: what is refused is not asked about. */
  readonly approvals: Approvals;
  readonly options: {
    readonly audit?: AuditSettings | false;
    readonly limits?: LimitSettings;
    readonly pipeline?: (pipeline: Pipeline) => void | Promise<void>;
  };
  onAuditError(error: unknown): void;
}

/** Looks at the real file behind a virtual path. What is not below `/workspace/` cannot be looked at. */
const stampIn =
  (workspace: string) =>
  async (virtual: string): Promise<FileStamp | undefined> => {
    const canonical = canonicalPath(virtual);
    if (!`${canonical}/`.startsWith(WORKSPACE_ROUTE)) throw new RangeError(`${virtual} is no real file`);
    const file = path.join(workspace, canonical.slice(WORKSPACE_ROUTE.length - 1));
    const found = await stat(file).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    });
    return (
      found && { inode: found.ino, sizeBytes: found.size, mtimeMs: found.mtimeMs, ctimeMs: found.ctimeMs }
    );
  };

const auditOf = ({ options, stateDir, onAuditError }: PipelineParts) => {
  const { audit = {} } = options;
  if (audit === false) return {};
  const { sink: given, ...settings } = audit;
  if (given) return { audit: { ...settings, sink: given, onSinkError: onAuditError } };
  if (stateDir === undefined) {
    if (settings.auditRequired !== true) return {};
    throw new ConfigError(
      "audit",
      "`auditRequired` needs a place for the log, and this agent has no state directory: pass `stateDir`, or a `sink`.",
    );
  }
  const sink = fileAuditSink({ directory: path.join(stateDir, "audit") });
  return { audit: { ...settings, sink, onSinkError: onAuditError }, close: () => sink.close() };
};

/** The pipeline that every tool call of an agent and its delegates goes through, and how to close what it opened. */
export const agentPipeline = async (
  parts: PipelineParts,
): Promise<{ pipeline: Pipeline; close(): Promise<void> }> => {
  const { workspace, backend, layers, options } = parts;
  const { audit, close } = auditOf(parts);
  const { rateLimit, loopGuard } = options.limits ?? {};
  const pipeline = createPipeline({
    ...(audit ? { audit } : {}),
    ...(rateLimit === undefined ? {} : { rateLimit }),
    ...(loopGuard === undefined ? {} : { loopGuard }),
    dedup: { root: workspace, stat: stampIn(workspace) },
    outputCap: {
      keep: async (call, text) => {
        const file = `${LARGE_RESULTS_ROUTE}whole_${call.id.replaceAll(/[^\w-]/g, "_")}`;
        const { error } = await backend.write(file, text);
        if (error !== undefined) throw new Error(error);
        return file;
      },
    },
  });
  pipeline.use(parts.approvals.layer, { after: "policy" });
  for (const layer of layers) pipeline.use(layer, { before: "failures-as-results" });
  await options.pipeline?.(pipeline);
  for (const layer of pipeline.layers) {
    if (typeof layer.handle === "function") continue;
    throw new ConfigError("pipeline", `The layer "${layer.name}" has no method \`handle\`.`);
  }
  return { pipeline, close: async () => close?.() };
};
