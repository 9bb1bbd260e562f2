import type { AIMessage } from "@langchain/core/messages";
import type { ModelIdentity } from "../identity.js";

/** Providers whose messages are each other's. */
const FAMILIES: Readonly<Record<string, string>> = {
  // Not OpenAI's: it cannot look up the items and reasoning that OpenAI keeps or encrypts, nor the reverse.
  azure: "azure-openai",
  azure_openai: "azure-openai",
  "google-genai": "gemini",
  google_genai: "gemini",
  google: "gemini",
  vertex: "gemini",
  google_vertexai: "gemini",
  "amazon-bedrock": "bedrock",
  mistralai: "mistral",
};

/** Where a provider's leftovers are understood. */
export const familyOf = (provider: string): string =>
  FAMILIES[provider.toLowerCase()] ?? provider.toLowerCase();

/** Who wrote a message: our stamp, else what LangChain's client wrote into its metadata. */
export const SERVED_BY = "fiveseam_served_by";

/** A provider, and the name under which its client writes messages (`openai` for everything behind ChatOpenAI). */
export interface MessageParty extends Pick<ModelIdentity, "provider"> {
  readonly wire?: string;
}

/** Whether OpenAI's Responses API wrote it: copies of OpenAI sign with the same name, but offer the chat API. */
const isFromResponses = (message: AIMessage): boolean => {
  const { output, object } = (message.response_metadata ?? {}) as Record<string, unknown>;
  const reasoning = message.additional_kwargs?.["reasoning"] as { id?: unknown } | undefined;
  return Array.isArray(output) || object === "response" || String(reasoning?.id).startsWith("rs_");
};

/** The family that wrote a message; undefined when nothing says. */
export const writerOf = (message: AIMessage, from: MessageParty | undefined): string | undefined => {
  const metadata = message.response_metadata as Record<string, unknown> | undefined;
  const stamp = metadata?.[SERVED_BY];
  if (typeof stamp === "string") return familyOf(stamp);
  const client = metadata?.["model_provider"];
  const ours = from === undefined ? undefined : familyOf(from.provider);
  if (typeof client !== "string") return ours;
  const family = familyOf(client);
  // Azure's client signs as OpenAI's.
  if (ours === "azure-openai" && family === "openai") return ours;
  if (from?.wire === undefined || family !== familyOf(from.wire)) return family;
  return family === "openai" && isFromResponses(message) ? family : ours;
};
