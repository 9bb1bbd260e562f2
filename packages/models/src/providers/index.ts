import type { Provider } from "../provider.js";
import { anthropic } from "./anthropic.js";
import { deepseek } from "./deepseek.js";
import { gemini } from "./gemini.js";
import { groq } from "./groq.js";
import { azure, openai } from "./openai.js";
import { glm, local, openrouter, qwen } from "./openai-compatible.js";
import { scripted } from "./scripted.js";
import { xai } from "./xai.js";

export const builtInProviders: readonly Provider[] = [
  anthropic,
  openai,
  gemini,
  groq,
  deepseek,
  xai,
  qwen,
  glm,
  local,
  scripted,
  azure,
  openrouter,
];
