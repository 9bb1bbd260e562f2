import type { Layer, Next, PipelineCall, ToolResult } from "./call.js";
import { checkOptions, type OptionTypes } from "./check-options.js";
import { audit, type AuditOptions } from "./audit/audit.js";
import { currentCall, openScope } from "./call-scope.js";
import { dedup, type DedupOptions } from "./layers/dedup.js";
import { failuresAsResults } from "./layers/failures-as-results.js";
import { loopGuard, type LoopGuardOptions } from "./layers/loop-guard.js";
import { outputCap, type OutputCapOptions } from "./layers/output-cap.js";
import { policy } from "./layers/policy.js";
import { rateLimit, type RateLimitOptions } from "./layers/rate-limit.js";
import { recovery, type RecoveryOptions } from "./layers/recovery.js";
import { reportedOutcomes } from "./layers/reported-outcomes.js";
import { storableResults } from "./layers/storable-results.js";
import { unfinishedCalls } from "./layers/unfinished-calls.js";
import { ALL_RIGHTS, intersect } from "./rights/rights.js";

/** Options of the built-in layers; `false` leaves one out. */
export interface BuiltInOptions {
  /** One record a call; without it there is no layer `audit`. */
  audit?: AuditOptions;
  outputCap?: OutputCapOptions | false;
  loopGuard?: LoopGuardOptions | false;
  dedup?: DedupOptions | false;
  recovery?: RecoveryOptions | false;
  rateLimit?: RateLimitOptions | false;
}

export interface PipelineOptions extends BuiltInOptions {
  /** The layers, outermost first, instead of `defaultLayers(options)`. */
  layers?: readonly Layer[];
}

/** Where `use` puts a layer; without it the layer goes innermost, next to the tool. */
export type LayerPosition = { before: string; after?: never } | { after: string; before?: never };

/** An ordered list of layers that every tool call passes through, outermost first. */
export interface Pipeline {
  readonly layers: readonly Layer[];
  /** Adds a layer and returns the pipeline. Calls already under way keep the layers they began with. */
  use(layer: Layer, position?: LayerPosition): Pipeline;
  /** Takes one call through the layers and then to `invoke`, which runs the tool. */
  run(call: PipelineCall, invoke: Next): Promise<ToolResult>;
}

/** A call made inside another one, a delegate's inside `task`: it may do no more than the one around it. */
const withinOuter = (call: PipelineCall): PipelineCall => {
  const outer = currentCall()?.rights ?? ALL_RIGHTS;
  return outer === ALL_RIGHTS || outer === call.rights
    ? call
    : { ...call, rights: intersect(call.rights, outer) };
};

// Not async functions, which would cost two more promises a layer: with AsyncLocalStorage in use each promise is tracked.
const through =
  (step: Next): Next =>
  (call) => {
    try {
      return step(call);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  };

const optional = <O extends object>(options: O | false | undefined, make: (options?: O) => Layer): Layer[] =>
  options === false ? [] : [make(options)];

/**
 * The built-in layers, outermost first: `audit` (when asked for), `failures-as-results`, `storable-results`, `output-cap`, `policy`, `loop-guard`,
 * `dedup`, `recovery`, `rate-limit`, `unfinished-calls`, `reported-outcomes`.
 */
export const defaultLayers = (options: BuiltInOptions = {}): Layer[] => [
  ...(options.audit ? [audit(options.audit)] : []),
  failuresAsResults(),
  storableResults(),
  ...optional(options.outputCap, outputCap),
  policy(),
  ...optional(options.loopGuard, loopGuard),
  ...optional(options.dedup, dedup),
  ...optional(options.recovery, recovery),
  ...optional(options.rateLimit, rateLimit),
  unfinishedCalls(),
  reportedOutcomes(),
];

const OPTIONS: OptionTypes<PipelineOptions> = {
  audit: ["object"],
  outputCap: ["object", "false"],
  loopGuard: ["object", "false"],
  dedup: ["object", "false"],
  recovery: ["object", "false"],
  rateLimit: ["object", "false"],
  layers: ["array"],
};

/**
 * Makes a pipeline.
 *
 * @throws {PipelineError} `invalid_option` for an option that there is not.
 * @throws {RangeError} when two layers have one name, or `use` names a layer that is not there.
 *
 * @example
 * ```ts
 * import { createPipeline, toolPipelineMiddleware } from "@fiveseam/tool-pipeline";
 *
 * const pipeline = createPipeline().use(
 *   { name: "trace", handle: (call, next) => (console.log(call.toolName), next(call)) },
 *   { before: "failures-as-results" },
 * );
 * const middleware = toolPipelineMiddleware(pipeline); // give it to createAgent or createDeepAgent
 * ```
 */
export const createPipeline = (options: PipelineOptions = {}): Pipeline => {
  checkOptions("createPipeline", options, OPTIONS);
  let layers: readonly Layer[] = [];
  const add = (layer: Layer, at: number): void => {
    if (layers.some((other) => other.name === layer.name)) {
      throw new RangeError(`The pipeline already has a layer named "${layer.name}".`);
    }
    layers = [...layers.slice(0, at), layer, ...layers.slice(at)];
  };
  const indexOf = (name: string): number => {
    const at = layers.findIndex((layer) => layer.name === name);
    if (at < 0) {
      const known = layers.map((layer) => layer.name).join(", ");
      throw new RangeError(`The pipeline has no layer named "${name}"; it has ${known}.`);
    }
    return at;
  };
  for (const layer of options.layers ?? defaultLayers(options)) add(layer, layers.length);

  const pipeline: Pipeline = {
    get layers() {
      return layers;
    },
    use(layer, position) {
      if (position?.before !== undefined) add(layer, indexOf(position.before));
      else if (position?.after !== undefined) add(layer, indexOf(position.after) + 1);
      else add(layer, layers.length);
      return pipeline;
    },
    run(call, invoke) {
      const chain = layers.reduceRight<Next>(
        (next, layer) => through((current) => layer.handle(current, next)),
        through(invoke),
      );
      const within = withinOuter(call);
      return openScope(within, pipeline, () => chain(within));
    },
  };
  return pipeline;
};
