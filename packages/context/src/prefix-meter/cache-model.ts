import { digestOf, type Prompt, type PromptSegment } from "./prompt.js";
import type { ModelCacheRules } from "./rules.js";

/** What the simulated cache did with one request. */
export interface Served {
  promptTokens: number;
  reusedTokens: number;
  writtenTokens: number;
  /** Segments from the start that were found in the cache, whole. */
  reusedSegments: number;
  /** Segments from the start that are in the cache now. */
  keptSegments: number;
  /** More marks than the provider takes: the request is an error there, and nothing is read or kept. */
  refused: boolean;
  /** Set when a longer prefix had been kept and its time was over. */
  expired?: { segments: number; idleMs: number; lifetimeMs: number };
  /** Set when a longer prefix is kept but stands further back than the provider looks. */
  outOfReach?: { segments: number; blocks: number };
}

interface Entry {
  lastUsedMs: number;
  lifetimeMs: number;
}

/** A place up to which a prefix can be kept: after a segment, or inside a long text. */
interface Place {
  key: string;
  /** Tokens up to here. */
  tokens: number;
  /** Segments that are whole up to here. */
  segments: number;
  /** Blocks up to here. */
  blocks: number;
  mark?: { lifetime?: string } | undefined;
}

/** Characters of the pieces into which a text is cut where a provider matches inside it: 128 tokens of four. */
const PIECE_CHARS = 512;
/** A longer text (a picture as base64) is compared as a whole. */
const MAX_CUT_CHARS = 200_000;

const piecesOf = (segment: PromptSegment, cut: boolean): { digest: string; share: number }[] => {
  const { text, digest } = segment;
  if (!cut || text.length <= PIECE_CHARS || text.length > MAX_CUT_CHARS) return [{ digest, share: 1 }];
  const pieces: { digest: string; share: number }[] = [];
  for (let end = PIECE_CHARS; end < text.length; end += PIECE_CHARS)
    pieces.push({
      digest: digestOf(`${segment.where}\n${segment.label}\n${text.slice(end - PIECE_CHARS, end)}`),
      share: end / text.length,
    });
  return [...pieces, { digest, share: 1 }];
};

const placesOf = (prompt: Prompt, rules: ModelCacheRules): Place[] => {
  const places: Place[] = [];
  let [key, tokens, blocks] = [digestOf(prompt.seed), 0, 0];
  for (const [index, segment] of prompt.segments.entries()) {
    if (segment.kind === "block") blocks += 1;
    const pieces = piecesOf(segment, rules.matching === "steps");
    const before = key;
    for (const [at, { digest, share }] of pieces.entries()) {
      const whole = at === pieces.length - 1;
      // The whole segment hangs on what was before it, so that its key does not depend on how it was cut.
      key = digestOf(`${whole ? before : key}\n${digest}`);
      places.push({
        key,
        tokens: tokens + Math.floor(segment.tokens * share),
        segments: whole ? index + 1 : index,
        blocks,
        mark: whole ? segment.mark : undefined,
      });
    }
    tokens += segment.tokens;
  }
  return places;
};

/**
 * A provider's cache over the requests of a test: addressed by content, so that delegates and parallel conversations
 * share what they have in common. At most `maxEntries` prefixes, the longest unused forgotten first.
 */
export class SimulatedCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** Reads what is there, keeps what the rules keep. */
  serve(prompt: Prompt, rules: ModelCacheRules, atMs: number): Served {
    const places = placesOf(prompt, rules);
    const promptTokens = places.at(-1)?.tokens ?? 0;
    const nothing = { promptTokens, reusedTokens: 0, writtenTokens: 0, reusedSegments: 0, keptSegments: 0 };
    if (prompt.marks > rules.maxMarks && rules.tooManyMarks === "refuse")
      return { ...nothing, refused: true };
    const served =
      rules.matching === "steps"
        ? this.#serveSteps(places, prompt, rules, atMs)
        : this.#serveMarks(places, prompt, rules, atMs);
    while (this.#entries.size > this.#maxEntries) {
      this.#entries.delete(this.#entries.keys().next().value as string);
    }
    return { ...nothing, refused: false, ...served };
  }

  #serveMarks(
    places: readonly Place[],
    prompt: Prompt,
    rules: ModelCacheRules,
    atMs: number,
  ): Partial<Served> {
    const marked = places.filter((place) => place.mark !== undefined).slice(-rules.maxMarks);
    const reach = (place: Place): number =>
      Math.min(
        ...marked
          .filter((mark) => mark.segments >= place.segments)
          .map((mark) => mark.blocks - place.blocks + 1),
      );
    const known = places.filter((place) => this.#entries.has(place.key)).reverse();
    const live = known.filter((place) => this.#isLive(place.key, atMs));
    const hit = live.find((place) => reach(place) <= rules.lookbackBlocks);
    const expired = this.#expired(known[0], hit, atMs);
    if (hit) this.#use(hit.key, atMs);

    const eligible = marked.filter((mark) => mark.tokens >= rules.minTokens);
    for (const mark of eligible) {
      const named = mark.mark?.lifetime ?? prompt.lifetime ?? "";
      this.#keep(mark.key, atMs, rules.lifetimesMs[named] ?? rules.lifetimeMs);
    }
    const kept = eligible.at(-1);
    const reusedTokens = hit?.tokens ?? 0;
    const far = live.find((place) => place.segments > (hit?.segments ?? 0));
    return {
      reusedTokens,
      reusedSegments: hit?.segments ?? 0,
      writtenTokens: Math.max(0, (kept?.tokens ?? 0) - reusedTokens),
      keptSegments: Math.max(kept?.segments ?? 0, hit?.segments ?? 0),
      ...expired,
      ...(far ? { outOfReach: { segments: far.segments, blocks: reach(far) } } : {}),
    };
  }

  #serveSteps(
    places: readonly Place[],
    prompt: Prompt,
    rules: ModelCacheRules,
    atMs: number,
  ): Partial<Served> {
    const promptTokens = places.at(-1)?.tokens ?? 0;
    if (promptTokens < rules.minTokens) return {};
    const known = places.findLast((place) => this.#entries.has(place.key));
    const hit = places.findLast((place) => this.#isLive(place.key, atMs));
    const expired = this.#expired(known, hit, atMs);
    const lifetimeMs = rules.lifetimesMs[prompt.lifetime ?? ""] ?? rules.lifetimeMs;
    for (const place of places) this.#keep(place.key, atMs, lifetimeMs);
    const steps = (tokens: number): number => Math.floor(tokens / rules.stepTokens) * rules.stepTokens;
    const reusedTokens = hit && hit.tokens >= rules.minTokens ? steps(hit.tokens) : 0;
    return {
      reusedTokens,
      reusedSegments: hit?.segments ?? 0,
      writtenTokens: steps(promptTokens) - reusedTokens,
      keptSegments: prompt.segments.length,
      ...expired,
    };
  }

  #expired(known: Place | undefined, hit: Place | undefined, atMs: number): Pick<Served, "expired"> {
    const entry = known && this.#entries.get(known.key);
    if (!known || !entry || known.segments <= (hit?.segments ?? 0)) return {};
    const idleMs = atMs - entry.lastUsedMs;
    if (idleMs <= entry.lifetimeMs) return {};
    return { expired: { segments: known.segments, idleMs, lifetimeMs: entry.lifetimeMs } };
  }

  #isLive(key: string, atMs: number): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && atMs - entry.lastUsedMs <= entry.lifetimeMs;
  }

  #use(key: string, atMs: number): void {
    const entry = this.#entries.get(key);
    if (entry) this.#put(key, { ...entry, lastUsedMs: Math.max(entry.lastUsedMs, atMs) });
  }

  #keep(key: string, atMs: number, lifetimeMs: number): void {
    const before = this.#entries.get(key);
    const lives = before !== undefined && this.#isLive(key, atMs);
    // A shorter lifetime does not shorten what a longer one keeps.
    this.#put(key, {
      lastUsedMs: atMs,
      lifetimeMs: lives ? Math.max(before.lifetimeMs, lifetimeMs) : lifetimeMs,
    });
  }

  #put(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
  }
}
