import type { RunnableConfig } from "@langchain/core/runnables";
import { InvalidConfigError } from "./errors.js";

type IdKey = "thread_id" | "checkpoint_ns" | "checkpoint_id";

export const optionalId = (config: RunnableConfig, key: IdKey): string | undefined => {
  const value: unknown = config.configurable?.[key];
  if (value !== undefined && typeof value !== "string") throw new InvalidConfigError(key, value);
  return value;
};

export const requiredId = (config: RunnableConfig, key: IdKey): string => {
  const value = optionalId(config, key);
  if (value === undefined) throw new InvalidConfigError(key, undefined);
  return value;
};

export const named = <K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> =>
  value === undefined ? {} : ({ [key]: value } as Record<K, string>);
