import type { Layer, Next, PipelineCall, ToolResult } from "./call.js";
import { failuresAsResults } from "./layers/failures-as-results.js";
import { storableResults } from "./layers/storable-results.js";
import { unfinishedCalls } from "./layers/unfinished-calls.js";

export interface PipelineOptions {
  /** The layers, outermost first; default `defaultLayers()`. */
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

/** The built-in layers in their order: failures become results outside, unfinished calls are caught next to the tool. */
export const defaultLayers = (): Layer[] => [failuresAsResults(), storableResults(), unfinishedCalls()];

/**
 * Makes a pipeline.
 *
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
  for (const layer of options.layers ?? defaultLayers()) add(layer, layers.length);

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
        (next, layer) => async (current) => layer.handle(current, next),
        async (current) => invoke(current),
      );
      return chain(call);
    },
  };
  return pipeline;
};
