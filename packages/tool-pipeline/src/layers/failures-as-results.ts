import type { ToolMessage } from "@langchain/core/messages";
import { ToolInputParsingException } from "@langchain/core/tools";
import type { Layer, PipelineCall } from "../call.js";
import { causesOf, mustPropagate, read } from "../control-flow.js";
import { failedCall } from "../outcomes.js";

const MAX_LENGTH = 4_000;

/**
 * The schema's own complaint, when the arguments were wrong. LangChain wraps it in a ToolInvocationError, recognised by
 * its brand (langchain 1.5, agents/errors.js), whose message repeats every argument and a stack; the complaint itself
 * is "Received tool input did not match expected schema" and then zod's own words, one line an issue.
 */
const argumentComplaint = (error: unknown): string | undefined => {
  for (const cause of causesOf(error)) {
    const complaint =
      read(cause, "~brand") === "ToolInvocationError"
        ? read(cause, "toolError")
        : cause instanceof ToolInputParsingException
          ? cause
          : undefined;
    const message = read(complaint, "message");
    if (typeof message === "string") {
      return message
        .replace("Received tool input did not match expected schema", "")
        .replaceAll(/\s+/g, " ")
        .trim();
    }
  }
  return undefined;
};

const cut = (text: string): string => {
  if (text.length <= MAX_LENGTH) return text;
  const half = MAX_LENGTH / 2;
  return `${text.slice(0, half)}\n[… ${text.length - MAX_LENGTH} characters cut …]\n${text.slice(-half)}`;
};

/** What LangChain puts around an error says nothing new: the same message again, once a layer. */
const isWrapper = (error: unknown): boolean =>
  read(error, "name") === "MiddlewareError" ||
  read(error, "name") === "ToolInvocationError" ||
  read(error, "~brand") === "MiddlewareError";

/**
 * The error as whoever threw it meant it. Its own causes are not told: they are for programs, and name real paths and hosts
 * that its message leaves out.
 */
const meant = (error: unknown): unknown => {
  let found = error;
  for (const cause of causesOf(error)) {
    found = cause;
    if (!isWrapper(cause)) break;
  }
  return found;
};

const messageOf = (error: unknown): string => {
  const found = meant(error);
  const own = typeof found === "string" ? found : read(found, "message") || read(found, "name");
  return typeof own === "string" && own !== "" ? own : "no reason was given";
};

/** A code that a program can read, such as `not_found`. */
const kindOf = (error: unknown): string => {
  const code = read(meant(error), "code");
  return typeof code === "string" && /^[\w.-]{1,40}$/.test(code) ? code : "failed";
};

const failure = (call: PipelineCall, error: unknown): ToolMessage => {
  const complaint = argumentComplaint(error);
  return complaint === undefined
    ? failedCall(call, `${call.toolName} failed: ${cut(messageOf(error))}`, kindOf(error))
    : failedCall(
        call,
        `Invalid arguments for ${call.toolName}: ${cut(complaint)}. Correct them and call it again.`,
        "invalid_arguments",
      );
};

/**
 * The layer that keeps a failing tool from ending the run: what the tool throws becomes a ToolMessage with status
 * "error" that the model can act on. Interrupts and aborts pass through.
 */
export const failuresAsResults = (): Layer => ({
  name: "failures-as-results",
  async handle(call, next) {
    try {
      return await next(call);
    } catch (error) {
      if (mustPropagate(error, call.signal)) throw error;
      return failure(call, error);
    }
  },
});
