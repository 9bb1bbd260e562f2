import type { AIMessage } from "@langchain/core/messages";
import type { ModelIdentity } from "../identity.js";

/** Providers whose messages are each other's. */
const FAMILIES: Readonly<Record<string, string>> = {
  "azure-openai": "openai",
  azure: "openai",
  azure_openai: "openai",
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

/** The family that wrote a message; undefined when nothing says. */
export const writerOf = (message: AIMessage, from: MessageParty | undefined): string | undefined => {
  const metadata = message.response_metadata as Record<string, unknown> | undefined;
  const stamp = metadata?.[SERVED_BY];
  if (typeof stamp === "string") return familyOf(stamp);
  const client = metadata?.["model_provider"];
  if (typeof client === "string") {
    return from?.wire !== undefined && familyOf(client) === familyOf(from.wire)
      ? familyOf(from.provider)
      : familyOf(client);
  }
  return from === undefined ? undefined : familyOf(from.provider);
};
