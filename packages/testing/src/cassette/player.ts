import { CassetteError, CassetteMissError } from "../errors.js";
import type { CassetteAnswer } from "./answer.js";
import { firstDifference } from "./difference.js";
import type { CassetteEntry } from "./format.js";
import { canonical, mapStrings } from "./json.js";
import type { Redactor } from "./redact.js";
import { commonMessages, messageKeys, type CassetteRequest } from "./request.js";

export type MatchMode = "strict" | "lenient";

interface Compared {
  readonly request: CassetteRequest;
  readonly digest: string;
  readonly messages: readonly string[];
  readonly tools: string;
}

/** Chooses which recorded answer a request gets. One answer, one request. */
export class Player {
  readonly #file: string;
  readonly #entries: readonly CassetteEntry[];
  readonly #match: MatchMode;
  readonly #normalise: (request: CassetteRequest) => CassetteRequest;
  readonly #recorded: readonly Compared[];
  readonly #used = new Set<number>();

  constructor(
    file: string,
    entries: readonly CassetteEntry[],
    options: { match: MatchMode; ignore: readonly RegExp[]; redactor: Redactor },
  ) {
    const ignored = options.ignore.map(
      ({ source, flags }) => new RegExp(source, `${flags.replaceAll(/[gy]/g, "")}g`),
    );
    const blank = (text: string): string =>
      ignored.reduce((rest, pattern) => rest.replace(pattern, "[ignored]"), text);
    this.#file = file;
    this.#entries = entries;
    this.#match = options.match;
    // Before secrets: a pattern is written for the text as it is.
    this.#normalise = (request) => options.redactor.value(mapStrings(request, blank)) as CassetteRequest;
    this.#recorded = entries.map(({ request }) => this.#compared(request));
  }

  /** Numbers, from 1, of the calls that nobody asked for. */
  get unused(): number[] {
    return this.#entries.flatMap((_, at) => (this.#used.has(at) ? [] : [at + 1]));
  }

  /** The answer that `next` would give, without using it up. */
  peek(request: CassetteRequest): CassetteAnswer | undefined {
    return this.#entries[this.#find(this.#compared(request))]?.answer;
  }

  next(request: CassetteRequest): CassetteAnswer {
    const asked = this.#compared(request);
    const at = this.#find(asked);
    const entry = this.#entries[at];
    if (!entry) throw this.#miss(asked);
    this.#used.add(at);
    return entry.answer;
  }

  assertFinished(): void {
    const { unused } = this;
    if (unused.length === 0) return;
    throw new CassetteError(
      "cassette_unused",
      this.#file,
      `${unused.length} of ${this.#entries.length} recorded calls were never asked for, from call ` +
        `${unused[0]} on. The run took another way; look why, or record ${this.#file} again.`,
    );
  }

  #compared(given: CassetteRequest): Compared {
    const request = this.#normalise(given);
    const tools = canonical(request.tools);
    return { request, tools, messages: messageKeys(request), digest: canonical(request) };
  }

  #find({ digest }: Compared): number {
    return this.#recorded.findIndex(
      (each, at) => !this.#used.has(at) && (this.#match === "lenient" || each.digest === digest),
    );
  }

  /** Most messages in common from the start, then the same tools, then the same length; of equals an unused one. */
  #nearest(asked: Compared): number {
    const likeness = (each: Compared, at: number): number[] => [
      Number(each.digest === asked.digest),
      commonMessages(each.messages, asked.messages),
      Number(each.tools === asked.tools),
      -Math.abs(each.messages.length - asked.messages.length),
      Number(!this.#used.has(at)),
    ];
    let best = -1;
    let score: number[] = [];
    for (const [at, each] of this.#recorded.entries()) {
      const found = likeness(each, at);
      const differs = found.findIndex((value, index) => value !== score[index]);
      if (best !== -1 && (differs === -1 || (found[differs] ?? 0) < (score[differs] ?? 0))) continue;
      [best, score] = [at, found];
    }
    return best;
  }

  #miss(asked: Compared): CassetteMissError {
    const start = `No recorded answer for this request (${asked.request.messages.length} messages) on ${this.#file}.`;
    const at = this.#nearest(asked);
    const nearest = this.#recorded[at];
    if (!nearest) return new CassetteMissError(this.#file, `${start} The cassette holds no calls.`);
    const difference = firstDifference(nearest.request, asked.request);
    const again = "Record the cassette again if the change is meant.";
    const why =
      difference === undefined
        ? `It equals call ${at + 1}, which was answered already: it is asked more often than it was recorded.`
        : this.#match === "lenient"
          ? `All ${this.#entries.length} recorded calls were answered already. The nearest is call ${at + 1}: ${difference}.`
          : `The nearest is call ${at + 1} of ${this.#entries.length}, and differs at ${difference}.`;
    return new CassetteMissError(this.#file, `${start} ${why} ${again}`, at + 1, difference);
  }
}
