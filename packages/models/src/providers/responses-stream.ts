import { ProviderStreamError, type StreamFailure } from "../errors.js";

interface ResponsesEvent {
  type?: string;
  code?: string | null;
  message?: string;
  response?: { error?: { code?: string; message?: string } | null };
}

/** The failure that an event reports: `error`, or `response.failed` with the reason inside. */
const failureIn = (event: ResponsesEvent): StreamFailure | undefined => {
  if (event.type === "error") return { code: event.code ?? undefined, message: event.message };
  if (event.type === "response.failed") return event.response?.error ?? {};
  return undefined;
};

async function* watched(
  provider: string,
  events: AsyncIterable<ResponsesEvent>,
): AsyncGenerator<ResponsesEvent> {
  for await (const event of events) {
    const failure = failureIn(event);
    if (failure) throw new ProviderStreamError(provider, failure, event);
    yield event;
  }
}

type Send = (request: { stream?: boolean | null }, options?: unknown) => Promise<unknown>;

/**
 * Makes LangChain's client of the Responses API throw when a stream fails. It passes over `error` and `response.failed`
 * (`@langchain/openai` 1.5.6), and half an answer would be taken for a whole one.
 */
export const throwOnFailedStream = <T extends object>(provider: string, client: T): T => {
  const send = (Reflect.get(client, "completionWithRetry") as Send).bind(client);
  const value: Send = async (request, options) => {
    const result = await send(request, options);
    return request.stream ? watched(provider, result as AsyncIterable<ResponsesEvent>) : result;
  };
  return Object.defineProperty(client, "completionWithRetry", { value, configurable: true, writable: true });
};
