import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { createChatModel, type ModelSpec } from "../../src/index.js";
import { emulator, type Seen } from "./emulator.js";

export const KEY = "sk-test-0123456789abcdef";

/** Every provider with a client of its own, and the path below the base URL at which its requests arrive. */
export const PROVIDERS = [
  { provider: "anthropic", model: "claude-sonnet-4-6", path: "/v1/messages", key: "x-api-key" },
  { provider: "openai", model: "gpt-4.1", path: "/chat/completions", key: "authorization" },
  { provider: "openai", model: "gpt-5.5", path: "/responses", key: "authorization" },
  {
    provider: "gemini",
    model: "gemini-2.5-pro",
    path: "/v1beta/models/gemini-2.5-pro:generateContent",
    key: "x-goog-api-key",
  },
  {
    provider: "groq",
    model: "openai/gpt-oss-120b",
    path: "/openai/v1/chat/completions",
    key: "authorization",
  },
  { provider: "deepseek", model: "deepseek-v4-pro", path: "/chat/completions", key: "authorization" },
  { provider: "xai", model: "grok-4.3", path: "/chat/completions", key: "authorization" },
  { provider: "qwen", model: "qwen3-max", path: "/chat/completions", key: "authorization" },
  { provider: "glm", model: "glm-4.7", path: "/chat/completions", key: "authorization" },
  { provider: "local", model: "qwen3", path: "/chat/completions", key: "authorization" },
  {
    provider: "openrouter",
    model: "anthropic/claude-sonnet-4.6",
    path: "/chat/completions",
    key: "authorization",
  },
  {
    provider: "azure",
    model: "gpt-4.1",
    path: "/openai/deployments/gpt-4.1/chat/completions?api-version=2024-10-21",
    key: "api-key",
  },
] as const;

export const nameOf = ({ provider, model }: { provider: string; model: string }): string =>
  `${provider}:${model}`;

/** A real client that talks to the given server. */
export const modelAt = (
  baseURL: string,
  { provider, model }: { provider: string; model: string },
  more: Partial<ModelSpec> = {},
): Promise<BaseChatModel> => createChatModel({ provider, model, apiKey: KEY, baseURL, ...more });

/** The body that the real client sends for a spec. */
export const sent = async (
  spec: Partial<ModelSpec> & { provider: string; model: string },
): Promise<Seen["body"]> => {
  const { seen, url } = await emulator({ kind: "answer" });
  await (await modelAt(url, spec, spec)).invoke("hi");
  return seen[0]?.body ?? {};
};

export const SAMPLING = { temperature: 0.5, topP: 0.9 };
