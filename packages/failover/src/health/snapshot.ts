import { FAILURE_REASONS, type FailureReason } from "../classify/reasons.js";
import type { ModelIdentity } from "../identity.js";
import type { HealthScope } from "./policy.js";

/** One cooling entry, as it is kept. */
export interface HealthEntrySnapshot {
  readonly scope: HealthScope;
  readonly identity: ModelIdentity;
  readonly reason: FailureReason;
  readonly untilMs: number;
  readonly lastFailureAtMs: number;
  readonly consecutiveFailures: number;
  /** Whether the end was stated by the provider. */
  readonly stated: boolean;
}

/** What {@link ProviderHealth.snapshot} gives and `restore` takes: plain JSON, without keys. */
export interface HealthSnapshot {
  readonly version: 1;
  readonly entries: readonly HealthEntrySnapshot[];
}

/** A snapshot that `restore` refused; nothing was changed. */
export class HealthSnapshotError extends Error {
  override readonly name = "HealthSnapshotError";
  readonly code = "invalid_snapshot" as const;

  constructor(problem: string) {
    super(`Not a health snapshot: ${problem}`);
  }
}

const record = (value: unknown, where: string): Record<string, unknown> => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new HealthSnapshotError(`${where} is not an object`);
  return value as Record<string, unknown>;
};

const string = (value: unknown, where: string): string => {
  if (typeof value !== "string" || value.length === 0 || value.length > 500)
    throw new HealthSnapshotError(`${where} is not a name`);
  return value;
};

const number = (value: unknown, where: string): number => {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0)
    throw new HealthSnapshotError(`${where} is not a number from 0`);
  return value;
};

const identity = (value: unknown, where: string): ModelIdentity => {
  const raw = record(value, where);
  if (raw["credential"] !== undefined && !/^fp_[0-9a-f]{12}$/.test(String(raw["credential"])))
    throw new HealthSnapshotError(`${where}.credential is not a fingerprint`);
  return {
    provider: string(raw["provider"], `${where}.provider`),
    model: string(raw["model"], `${where}.model`),
    ...(raw["credential"] === undefined ? {} : { credential: String(raw["credential"]) }),
    ...(raw["endpoint"] === undefined ? {} : { endpoint: string(raw["endpoint"], `${where}.endpoint`) }),
  };
};

const entry = (value: unknown, where: string): HealthEntrySnapshot => {
  const raw = record(value, where);
  const { scope, reason } = raw;
  if (scope !== "model" && scope !== "credential") throw new HealthSnapshotError(`${where}.scope is unknown`);
  if (!FAILURE_REASONS.includes(reason as FailureReason))
    throw new HealthSnapshotError(`${where}.reason is unknown`);
  return {
    scope,
    identity: identity(raw["identity"], `${where}.identity`),
    reason: reason as FailureReason,
    untilMs: number(raw["untilMs"], `${where}.untilMs`),
    lastFailureAtMs: number(raw["lastFailureAtMs"], `${where}.lastFailureAtMs`),
    consecutiveFailures: number(raw["consecutiveFailures"], `${where}.consecutiveFailures`),
    stated: raw["stated"] === true,
  };
};

/** Checks a snapshot from anywhere; throws a {@link HealthSnapshotError} that names the place. */
export const parseSnapshot = (value: unknown): HealthSnapshot => {
  const raw = record(value, "the snapshot");
  if (raw["version"] !== 1) throw new HealthSnapshotError("its version is not 1");
  const { entries } = raw;
  if (!Array.isArray(entries) || entries.length > 10_000)
    throw new HealthSnapshotError("entries is not a list");
  return { version: 1, entries: entries.map((each, at) => entry(each, `entries[${at}]`)) };
};
