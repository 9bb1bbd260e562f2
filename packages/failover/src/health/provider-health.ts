import type { FailureReason } from "../classify/reasons.js";
import { systemClock, tell } from "../clock.js";
import { credentialFingerprint, type ModelIdentity } from "../identity.js";
import { DEFAULT_COOLDOWNS_MS, type HealthScope, scopeKey, scopeOf } from "./policy.js";
import { type HealthEntrySnapshot, type HealthSnapshot, parseSnapshot } from "./snapshot.js";

/** The part of a classification that health needs. */
export interface HealthFailure {
  readonly reason: FailureReason;
  readonly retryAfterMs?: number;
}

/** What {@link ProviderHealth} tells its listener. */
export type HealthEvent =
  | {
      readonly type: "cooled";
      readonly identity: ModelIdentity;
      readonly scope: HealthScope;
      readonly reason: FailureReason;
      readonly cooldownMs: number;
      readonly untilMs: number;
      readonly consecutiveFailures: number;
    }
  | { readonly type: "probing"; readonly identity: ModelIdentity; readonly reason: FailureReason }
  | { readonly type: "recovered"; readonly identity: ModelIdentity; readonly reason: FailureReason };

/** Settings of {@link ProviderHealth}. */
export interface ProviderHealthOptions {
  /** The time in milliseconds since the epoch. Default: the machine's clock. */
  readonly now?: () => number;
  /** Cooldowns by reason that differ from the defaults, in milliseconds. 0 never cools. */
  readonly cooldownsMs?: Partial<Record<FailureReason, number>>;
  /** What a stated Retry-After may be at most. Default 5 minutes. */
  readonly retryAfterCapMs?: number;
  /** By what a cooldown grows with each consecutive failure. Default 2; 1 never grows. */
  readonly growthFactor?: number;
  /** Where growth ends; a longer first cooldown stays as it is. Default 1 hour. */
  readonly maxCooldownMs?: number;
  /** After this a probe that never reported is forgotten. Default 5 minutes. */
  readonly probeLeaseMs?: number;
  /** Told of every change. What it throws is ignored: a listener must not cost a call. */
  readonly onEvent?: (event: HealthEvent) => void;
}

/** Whether a model can be called. */
export interface Availability {
  /** `closed`: healthy. `cooling`: not before `availableAtMs`. `half_open`: one probe may go. `probing`: it is under way. */
  readonly state: "closed" | "cooling" | "half_open" | "probing";
  readonly availableAtMs: number;
  readonly reason?: FailureReason;
  readonly consecutiveFailures: number;
  /** Whether the provider itself stated the wait. */
  readonly stated: boolean;
  readonly lastFailureAtMs?: number;
}

/** Leave to make one call; exactly one of its methods ends it, later ones do nothing. */
export interface HealthTicket {
  /** Whether this call decides if the model is back. */
  readonly probe: boolean;
  success(): void;
  failure(failure: HealthFailure): void;
  /** The call ended without saying anything about the provider (an abort, a bad request). */
  release(): void;
}

interface Entry extends HealthEntrySnapshot {
  probeUntilMs?: number;
  /** When it failed last, counted in calls: a clock is too coarse for what happens side by side. */
  failedAt?: number;
}

/**
 * Remembers which models failed, why, and until when they are left alone. Per process; share it between everything that
 * calls the same providers.
 *
 * A failure cools for `min(first * growthFactor ^ (consecutiveFailures - 1), max(first, maxCooldownMs))`, where `first`
 * depends on the reason; a stated Retry-After replaces that, up to `retryAfterCapMs`. An end is never moved forward. After
 * it one probe goes; success forgets everything, failure cools again.
 *
 * @example
 * ```ts
 * import { ProviderHealth } from "@fiveseam/failover";
 *
 * const health = new ProviderHealth();
 * const sonnet = { provider: "anthropic", model: "claude-sonnet-4-6" };
 * health.recordFailure(sonnet, { reason: "rate_limit", retryAfterMs: 20_000 });
 * console.log(health.availability(sonnet).state); // cooling
 * ```
 */
export class ProviderHealth {
  private readonly entries = new Map<string, Entry>();
  private readonly now: () => number;
  private readonly options: ProviderHealthOptions;
  /** Beginnings and failures, in their order. */
  private order = 0;

  constructor(options: ProviderHealthOptions = {}) {
    this.options = options;
    this.now = options.now ?? systemClock.now;
  }

  /** Whether and when a model can be called. Changes nothing. */
  availability(identity: ModelIdentity): Availability {
    const now = this.now();
    let worst: Entry | undefined;
    for (const entry of this.entriesOf(identity)) {
      if (!worst || blockedUntil(entry, now) > blockedUntil(worst, now)) worst = entry;
    }
    if (!worst) return { state: "closed", availableAtMs: now, consecutiveFailures: 0, stated: false };
    const probing = worst.probeUntilMs !== undefined && worst.probeUntilMs > now;
    const state = worst.untilMs > now ? "cooling" : probing ? "probing" : "half_open";
    return {
      state,
      availableAtMs: blockedUntil(worst, now),
      reason: worst.reason,
      consecutiveFailures: worst.consecutiveFailures,
      stated: worst.stated,
      lastFailureAtMs: worst.lastFailureAtMs,
    };
  }

  /**
   * Asks for leave to call. `undefined` while the model cools or somebody else probes it; `force` calls anyway (a cooldown
   * must not refuse the only candidate).
   */
  begin(who: ModelIdentity, options: { readonly force?: boolean } = {}): HealthTicket | undefined {
    const identity = normal(who);
    const { state } = this.availability(identity);
    if (!options.force && (state === "cooling" || state === "probing")) return undefined;
    const startedAtMs = this.now();
    const startedAs = (this.order += 1);
    const own = this.entriesOf(identity);
    const lease = startedAtMs + (this.options.probeLeaseMs ?? 300_000);
    for (const entry of own) {
      entry.probeUntilMs = lease;
      this.emit({ type: "probing", identity, reason: entry.reason });
    }
    let open = true;
    const end = (then: () => void): void => {
      if (!open) return;
      open = false;
      for (const entry of own) if (entry.probeUntilMs === lease) delete entry.probeUntilMs;
      then();
    };
    return {
      probe: own.length > 0,
      success: () => end(() => this.succeeded(identity, startedAs)),
      failure: (failure) => end(() => this.failed(identity, failure, startedAs)),
      release: () => end(() => undefined),
    };
  }

  /** A call succeeded. */
  recordSuccess(identity: ModelIdentity): void {
    this.succeeded(identity, Number.POSITIVE_INFINITY);
  }

  /** A call failed. */
  recordFailure(identity: ModelIdentity, failure: HealthFailure): void {
    this.failed(identity, failure, Number.POSITIVE_INFINITY);
  }

  /** One that had started before the last failure says nothing about now. */
  private succeeded(who: ModelIdentity, startedAs: number): void {
    if (this.entries.size === 0) return;
    const identity = normal(who);
    for (const scope of ["model", "credential"] as const) {
      const key = scopeKey(identity, scope);
      const entry = this.entries.get(key);
      if (!entry || (entry.failedAt ?? 0) > startedAs) continue;
      this.entries.delete(key);
      this.emit({ type: "recovered", identity, reason: entry.reason });
    }
  }

  /** Failures of calls that ran side by side count once. */
  private failed(identity: ModelIdentity, failure: HealthFailure, startedAs: number): void {
    const { reason } = failure;
    const firstMs = this.options.cooldownsMs?.[reason] ?? DEFAULT_COOLDOWNS_MS[reason];
    if (firstMs <= 0) return;
    const now = this.now();
    const own = normal(identity);
    const scope = scopeOf(reason);
    const key = scopeKey(own, scope);
    const before = this.entries.get(key);
    const sideBySide = before !== undefined && startedAs < (before.failedAt ?? 0);
    const consecutiveFailures = (before?.consecutiveFailures ?? 0) + (sideBySide ? 0 : 1);
    // A wait of nothing, or until a date in the past, says nothing.
    const stated = (failure.retryAfterMs ?? 0) > 0;
    const cooldownMs = stated
      ? Math.min(failure.retryAfterMs ?? 0, this.options.retryAfterCapMs ?? 300_000)
      : this.grown(firstMs, consecutiveFailures);
    const untilMs = now + cooldownMs;
    const longer = before !== undefined && before.untilMs >= untilMs;
    const entry: Entry = {
      scope,
      identity: own,
      reason: longer ? before.reason : reason,
      stated: longer ? before.stated : stated,
      untilMs: longer ? before.untilMs : untilMs,
      lastFailureAtMs: now,
      consecutiveFailures,
      failedAt: (this.order += 1),
    };
    this.entries.set(key, entry);
    this.emit({
      type: "cooled",
      identity: own,
      scope,
      reason: entry.reason,
      cooldownMs: entry.untilMs - now,
      untilMs: entry.untilMs,
      consecutiveFailures,
    });
  }

  /** Everything that is remembered, as plain JSON without keys. Probes under way are not part of it. */
  snapshot(): HealthSnapshot {
    return {
      version: 1,
      entries: [...this.entries.values()].map(({ probeUntilMs: _probe, failedAt: _failedAt, ...entry }) => ({
        ...entry,
      })),
    };
  }

  /** Takes a snapshot back, checked; longer cooldowns that are already known stay. */
  restore(snapshot: unknown): void {
    for (const entry of parseSnapshot(snapshot).entries) {
      const key = scopeKey(entry.identity, entry.scope);
      const before = this.entries.get(key);
      if (!before || before.untilMs < entry.untilMs) this.entries.set(key, { ...entry });
    }
  }

  private grown(firstMs: number, failures: number): number {
    const limit = Math.max(firstMs, this.options.maxCooldownMs ?? 3_600_000);
    return Math.min(firstMs * (this.options.growthFactor ?? 2) ** (failures - 1), limit);
  }

  private entriesOf(identity: ModelIdentity): Entry[] {
    if (this.entries.size === 0) return [];
    const own = normal(identity);
    return (["model", "credential"] as const).flatMap(
      (scope) => this.entries.get(scopeKey(own, scope)) ?? [],
    );
  }

  private emit(event: HealthEvent): void {
    tell(this.options.onEvent, event);
  }
}

const blockedUntil = (entry: Entry, now: number): number =>
  Math.max(now, entry.untilMs, entry.untilMs <= now ? (entry.probeUntilMs ?? 0) : 0);

/** Nobody's key gets in, even where somebody passed one as `credential`. */
const normal = (identity: ModelIdentity): ModelIdentity => {
  const { credential } = identity;
  if (credential === undefined) return identity;
  const fingerprint = credentialFingerprint(credential);
  return fingerprint === credential ? identity : { ...identity, credential: fingerprint };
};
