import { SystemMessage } from "@langchain/core/messages";
import type { AgentMiddleware } from "langchain";

/** The hook around a model call. */
export type WrapModelCall = NonNullable<AgentMiddleware["wrapModelCall"]>;
type Given = Parameters<WrapModelCall>[0];
/** A request that a middleware hands on: it may name the system prompt as a text. */
export type HandedOn = Parameters<Parameters<WrapModelCall>[1]>[0];

/** What of a request is sent. */
export type ModelRequest = Pick<
  Given,
  "model" | "messages" | "tools" | "toolChoice" | "modelSettings" | "systemMessage"
>;

/** The request handed on, with the system message that langchain (1.5.14) makes of a changed `systemPrompt`. */
export const handedOn = (given: Given, request: HandedOn): ModelRequest => ({
  ...request,
  systemMessage:
    request.systemPrompt !== undefined && request.systemPrompt !== given.systemPrompt
      ? new SystemMessage(request.systemPrompt)
      : (request.systemMessage ?? given.systemMessage),
});
