import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import type { ProviderServer } from "./provider-server.js";

/** A real OpenAI client for a server; LangChain's own retries are left at their default on purpose. */
export const openAI = (server: ProviderServer, model = "gpt-4.1"): ChatOpenAI =>
  new ChatOpenAI({ model, apiKey: "sk-test-openai", configuration: { baseURL: `${server.url}/v1` } });

/** A real Anthropic client for a server. */
export const anthropic = (server: ProviderServer, model = "claude-sonnet-4-6"): ChatAnthropic =>
  new ChatAnthropic({ model, apiKey: "sk-ant-test", anthropicApiUrl: server.url, maxTokens: 100 });
