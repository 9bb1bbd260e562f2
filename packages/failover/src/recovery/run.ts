import { classifyFailure, type FailureClassification } from "../classify/classify-failure.js";
import { usuallyRetryable } from "../classify/reasons.js";
import { abortErrorOf, backoffMs, heeding, sleep } from "../clock.js";
import { type FailedAttempt, FailoverExhaustedError, rememberFailure } from "../errors.js";
import type { HealthTicket } from "../health/provider-health.js";
import type { ModelIdentity } from "../identity.js";
import type { CandidateSlot, ReadyCandidate } from "./candidates.js";
import type { ResolvedOptions } from "./options.js";
import { isGraphControlFlow, unwrapMiddlewareError } from "./passing.js";
import { AttemptWatch } from "./watch.js";

/** One call that may take several attempts. */
export interface RecoverableCall<Result> {
  readonly slots: readonly CandidateSlot[];
  readonly signal?: AbortSignal;
  /** Makes one attempt. */
  readonly perform: (candidate: ReadyCandidate, watch: AttemptWatch) => Promise<Result>;
  /** Whether a model's silence can be measured. */
  readonly streams: (candidate: ReadyCandidate) => boolean;
  /** Shortens the request; false when it cannot. Called at most once. */
  readonly compact?: (error: unknown) => Promise<boolean>;
  /** Whether an attempt whose output was heard may be followed by another. */
  readonly mayRestart: (watch: AttemptWatch) => boolean;
}

/** What one call knows of one candidate. */
interface Standing {
  readonly slot: CandidateSlot;
  candidate?: ReadyCandidate;
  tries: number;
  networkRetries: number;
  /** Failed for good, in this call. */
  out: boolean;
  readyAtMs: number;
}

/** What to do after a failure. */
type Next = "same" | "another" | "surface";

/** Runs one call through its candidates until one succeeds, or nothing is left to try. */
export class RecoveryRun<Result> {
  private readonly standings: Standing[];
  private readonly attempts: FailedAttempt[] = [];
  private last: Standing | undefined;
  private lastError: unknown;
  /** Set when nobody is left who was not asked: what is asked after that starts before it. */
  private deadlineMs: number | undefined;
  private compacted = false;

  constructor(
    private readonly call: RecoverableCall<Result>,
    private readonly options: ResolvedOptions,
  ) {
    this.standings = call.slots.map((slot) => ({
      slot,
      tries: 0,
      networkRetries: 0,
      out: slot.dropped,
      readyAtMs: 0,
    }));
  }

  async run(): Promise<Result> {
    for (;;) {
      const chosen = await this.choose();
      if (!chosen) throw this.finalError();
      const { standing, candidate } = chosen;
      const { identity } = candidate;
      if (this.last?.candidate && this.last !== standing)
        this.options.emit({ type: "failing_over", from: this.last.candidate.identity, to: identity });
      let { ticket } = chosen;
      for (;;) {
        const outcome = await this.attempt(standing, candidate, ticket);
        if ("result" in outcome) {
          if (this.attempts.length > 0)
            this.options.emit({ type: "recovered", identity, failedAttempts: this.attempts.length });
          return outcome.result;
        }
        this.last = standing;
        if (outcome.next === "surface") throw this.lastError;
        if (outcome.next === "another") break;
        ticket = this.begin(identity);
      }
    }
  }

  private begin(identity: ModelIdentity): HealthTicket {
    const ticket = this.options.health.begin(identity, { force: true });
    if (!ticket) throw new Error("A forced ticket is never refused");
    return ticket;
  }

  private async attempt(
    standing: Standing,
    candidate: ReadyCandidate,
    ticket: HealthTicket,
  ): Promise<{ result: Result } | { next: Next }> {
    const { signal } = this.call;
    const limits = this.call.streams(candidate) ? this.options : undefined;
    const watch = new AttemptWatch(candidate.identity, this.options.clock, limits, signal);
    try {
      if (signal?.aborted) throw abortErrorOf(signal);
      const work = this.call.perform(candidate, watch);
      work.catch(() => undefined); // After a stall or an abort nobody waits for it.
      const result = await Promise.race([work, watch.stopped]);
      ticket.success();
      return { result };
    } catch (thrown) {
      return { next: await this.failed(standing, candidate, ticket, watch, thrown) };
    } finally {
      watch.end();
    }
  }

  private async failed(
    standing: Standing,
    candidate: ReadyCandidate,
    ticket: HealthTicket,
    watch: AttemptWatch,
    thrown: unknown,
  ): Promise<Next> {
    const error = unwrapMiddlewareError(thrown);
    this.lastError = error;
    const { identity } = candidate;
    if (isGraphControlFlow(error) || this.call.signal?.aborted) {
      ticket.release();
      return "surface";
    }
    const failure = classifyFailure(error, {
      // Inner middleware may fail too, or ask a model of its own: then the error's own marks decide.
      ...(watch.running ? { origin: "model" as const } : {}),
      provider: identity.provider,
      model: identity.model,
      now: this.options.clock.wall ?? this.options.clock.now,
    });
    rememberFailure(error, failure);
    if (!watch.running && failure.reason === "unknown") {
      ticket.release();
      return "surface";
    }
    this.attempts.push({ identity, failure });
    standing.tries += 1;
    this.options.emit({ type: "attempt_failed", identity, failure, error });
    const next = await this.decide(standing, identity, ticket, watch, failure);
    if (next === "surface" || !watch.reachedCaller) return next;
    if (this.options.onPartial === "fail" || !this.call.mayRestart(watch)) return "surface";
    this.options.emit({ type: "restarted", identity });
    return next;
  }

  private async decide(
    standing: Standing,
    identity: ModelIdentity,
    ticket: HealthTicket,
    watch: AttemptWatch,
    failure: FailureClassification,
  ): Promise<Next> {
    switch (failure.recovery) {
      case "stop":
      case "none":
        ticket.release();
        return "surface";
      case "compact":
        ticket.release();
        return this.compact(identity, failure);
      case "retry":
        if (
          failure.retryable &&
          standing.networkRetries < this.options.networkRetries &&
          this.maySendAgain(watch)
        ) {
          const delayMs = this.backoff(standing.networkRetries + 1);
          // Whoever states a longer wait is left alone for it, and another one asked.
          if ((failure.retryAfterMs ?? 0) > delayMs) break;
          ticket.release();
          standing.networkRetries += 1;
          this.options.emit({ type: "retrying", identity, attempt: standing.networkRetries, delayMs });
          await sleep(this.options.clock, delayMs, this.call.signal);
          return "same";
        }
        break;
      case "failover":
        break;
    }
    // A model that other middleware put in this one's place says nothing about this one.
    if (watch.running) ticket.failure(failure);
    else ticket.release();
    const now = this.options.clock.now();
    const pauseMs = this.backoff(standing.tries);
    // What nobody understands may pass at another model; nobody is asked again in the hope that it does.
    const hopeless = failure.reason === "unknown" && failure.retryAfterMs === undefined;
    standing.out = hopeless || !failure.retryable;
    // A stated wait counts alone at first; a provider that states too short a one is left alone longer each time.
    standing.readyAtMs =
      now +
      (failure.retryAfterMs === undefined || standing.tries > 1
        ? Math.max(failure.retryAfterMs ?? 0, pauseMs)
        : failure.retryAfterMs);
    return "another";
  }

  private maySendAgain(watch: AttemptWatch): boolean {
    return !watch.reachedCaller || (this.options.onPartial !== "fail" && this.call.mayRestart(watch));
  }

  private async compact(identity: ModelIdentity, failure: FailureClassification): Promise<Next> {
    if (this.compacted || !this.call.compact || failure.reason !== "context_overflow") return "surface";
    this.compacted = true;
    this.options.emit({ type: "compacting", identity });
    try {
      return (await heeding(this.call.compact(this.lastError), this.call.signal)) ? "same" : "surface";
    } catch (error) {
      if (this.call.signal?.aborted) throw error;
      // What could not be shortened is still too long: that is what the caller has to know.
      return "surface";
    }
  }

  private backoff(attempt: number): number {
    const { backoffBaseMs: baseMs, backoffCapMs: capMs, random } = this.options;
    return backoffMs(attempt, { baseMs, capMs, random });
  }

  private finalError(): unknown {
    const asked = new Set(this.attempts.map(({ identity }) => JSON.stringify(identity)));
    if (asked.size <= 1) return this.lastError;
    const error = new FailoverExhaustedError(this.attempts, this.lastError);
    const failure = this.attempts.at(-1)?.failure;
    if (failure) rememberFailure(error, failure);
    return error;
  }

  /** Makes a candidate's model; a fallback that cannot be made is dropped, the primary's error surfaces. */
  private async resolve(standing: Standing): Promise<ReadyCandidate | undefined> {
    if (standing.out) return undefined;
    if (standing.candidate) return standing.candidate;
    try {
      standing.candidate = await heeding(standing.slot.resolve(), this.call.signal);
      return standing.candidate;
    } catch (error) {
      if (standing === this.standings[0] || this.call.signal?.aborted) throw error;
      standing.out = true;
      if (!standing.slot.dropped) {
        standing.slot.dropped = true;
        this.options.emit({ type: "candidate_dropped", label: standing.slot.label, error });
      }
      return undefined;
    }
  }

  /** The next to ask: the first healthy one that was not asked yet, else the one that is ready first. */
  private async choose(): Promise<
    { standing: Standing; candidate: ReadyCandidate; ticket: HealthTicket } | undefined
  > {
    for (const standing of this.standings) {
      if (standing.tries > 0) continue;
      const candidate = await this.resolve(standing);
      const ticket = candidate && this.options.health.begin(candidate.identity);
      if (candidate && ticket) return { standing, candidate, ticket };
    }
    const waiting = this.standings.filter((each) => !each.out && each.candidate !== undefined);
    // The one that just failed is the next one only where every other would have to be waited for longer.
    const ranked = waiting
      .map((standing) => ({ standing, readyAtMs: this.readyAt(standing, waiting.length === 1) }))
      .toSorted(
        (a, b) =>
          a.readyAtMs - b.readyAtMs || Number(a.standing === this.last) - Number(b.standing === this.last),
      );
    const first = ranked[0];
    const candidate = first?.standing.candidate;
    if (!first || !candidate) return undefined;
    const now = this.options.clock.now();
    this.deadlineMs ??= now + this.options.maxWaitMs;
    const delayMs = Math.max(0, Math.ceil(first.readyAtMs - now));
    const again = first.standing.tries > 0;
    const affordable = now + delayMs <= this.deadlineMs && (!again || this.options.maxWaitMs > 0);
    // A cooldown never refuses a call that has asked nobody yet.
    if (!affordable && this.attempts.length > 0) return undefined;
    if (affordable && delayMs > 0) {
      const failure = this.attempts.at(-1)?.failure;
      this.options.emit({
        type: "waiting",
        identity: candidate.identity,
        delayMs,
        ...(failure === undefined ? {} : { failure }),
      });
      await sleep(this.options.clock, delayMs, this.call.signal);
    }
    return { standing: first.standing, candidate, ticket: this.begin(candidate.identity) };
  }

  /** When a candidate may be asked again. */
  private readyAt(standing: Standing, only: boolean): number {
    if (standing.tries > 0 || !standing.candidate) return standing.readyAtMs;
    const health = this.options.health.availability(standing.candidate.identity);
    // Somebody else's probe is no reason to wait when nobody else is left.
    if (health.state !== "cooling") return 0;
    if (health.stated) return health.availableAtMs;
    // A refused key is not asked again by itself within a call.
    if (!only && health.reason !== undefined && !usuallyRetryable(health.reason)) return health.availableAtMs;
    // Our own cooldown is a guess: good for preferring another model, not for keeping the only one waiting.
    if (only) return 0;
    const pauseMs = this.backoff(health.consecutiveFailures);
    return Math.min(health.availableAtMs, (health.lastFailureAtMs ?? 0) + pauseMs);
  }
}
