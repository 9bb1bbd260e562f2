import { ToolMessage } from "@langchain/core/messages";
import type { Layer, PipelineCall } from "../call.js";
import { copyOf } from "../outcomes.js";

export interface OutputCapOptions {
  /** Longest result, in characters (UTF-16 units); default 1,000,000. */
  maxChars?: number;
  /**
   * Keeps the whole result and returns the path under which the model can read it. When it fails, the result says that the
   * rest is lost. Default: nothing is kept.
   */
  keep?: (call: PipelineCall, text: string) => Promise<string>;
}

/** Not in the middle of a surrogate pair. */
const boundary = (text: string, at: number): number => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc_00 && unit <= 0xdf_ff ? at - 1 : at;
};

/**
 * The layer that bounds a result. It is cut in the middle, since the head says what it is and the tail how it ended, and the
 * cut says how much is missing.
 */
export const outputCap = (options: OutputCapOptions = {}): Layer => {
  const { maxChars = 1_000_000, keep } = options;
  if (!Number.isInteger(maxChars) || maxChars < 200) {
    throw new RangeError("maxChars must be a whole number from 200 on.");
  }
  const cut = async (call: PipelineCall, message: ToolMessage, text: string): Promise<ToolMessage> => {
    let where = "and was not kept; ask for less";
    if (keep) {
      where = await keep(call, text).then(
        (path) => `the whole is at ${path}`,
        () => "and keeping the whole failed; ask for less",
      );
    }
    const head = boundary(text, Math.ceil(maxChars / 2));
    const tail = boundary(text, text.length - Math.floor(maxChars / 2));
    return copyOf(message, {
      content: `${text.slice(0, head)}\n[… ${tail - head} of ${text.length} characters cut here; ${where} …]\n${text.slice(tail)}`,
      truncated: true,
    });
  };
  return {
    name: "output-cap",
    handle: (call, next) =>
      next(call).then((result) =>
        ToolMessage.isInstance(result) &&
        typeof result.content === "string" &&
        result.content.length > maxChars
          ? cut(call, result, result.content)
          : result,
      ),
  };
};
