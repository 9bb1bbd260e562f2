import { DURATION_SOURCE, parseDuration } from "./durations.js";
import type { Facts } from "./facts.js";

/** Epoch values below this are seconds: it is 1973 in milliseconds and the year 5138 in seconds. */
const MILLISECONDS_FROM = 100_000_000_000;

const fromHeader = (value: string, now: number): number | undefined => {
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  const date = Date.parse(text);
  if (!Number.isNaN(date)) return Math.max(0, date - now);
  return parseDuration(text);
};

/** What a `…ratelimit-reset…` header says: a duration ("6m0s"), a date, an epoch, or bare seconds. */
const fromReset = (value: string, now: number): number | undefined => {
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const number = Number(text);
    if (number >= MILLISECONDS_FROM) return Math.max(0, number - now);
    if (number >= 1_000_000_000) return Math.max(0, number * 1000 - now);
    return Math.round(number * 1000);
  }
  if (/^\d{4}-\d\d-\d\dT/.test(text)) {
    const date = Date.parse(text);
    return Number.isNaN(date) ? undefined : Math.max(0, date - now);
  }
  return parseDuration(text);
};

/**
 * Several limits are reported at once; the one that was hit has none remaining. Without that information the longest
 * wait is the safe one.
 */
const fromResets = (headers: ReadonlyMap<string, string>, now: number): number | undefined => {
  let hit: number | undefined;
  let any: number | undefined;
  let informed = false;
  for (const [name, value] of headers) {
    if (!/ratelimit-(?:[a-z-]+-)?reset/.test(name)) continue;
    const delay = fromReset(value, now);
    if (delay === undefined) continue;
    const remaining = headers.get(name.replace("reset", "remaining"));
    informed ||= remaining !== undefined;
    any = Math.max(any ?? 0, delay);
    if (remaining !== undefined && Number(remaining) <= 0) hit = Math.max(hit ?? 0, delay);
  }
  return hit ?? (informed ? undefined : any);
};

const PROSE = new RegExp(
  String.raw`(?:try again|retry(?:ing)?|retry-after|wait(?:ing)?|reset|resets|available(?: again)?|back)(?: request)?(?:\s(?:in|after|for|at least|another)){0,2}(?:\s(?:about|approximately|around))?:?\s{0,2}(${DURATION_SOURCE})`,
);
const TEXT_HEADER = /retry-after(-ms)?["']?\s{0,2}[:=]\s{0,2}["']?(\d{1,9})\b/;
// "Claude AI usage limit reached|1760000400", seen from the command line tool of Anthropic.
const PIPE_EPOCH = /limit reached\|(\d{10})\b/;
const MOMENT =
  /(?:reset|resets|try again|available|retry|重置)[^\n]{0,24}?(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?\s?(z|utc|[+-]\d\d:?\d\d)?/;
const MOMENT_BEFORE = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s?重置/;

const fromProse = (text: string, now: number): number | undefined => {
  const header = TEXT_HEADER.exec(text);
  if (header) return Number(header[2]) * (header[1] ? 1 : 1000);
  const prose = PROSE.exec(text);
  if (prose?.[1] !== undefined) return parseDuration(prose[1]);
  const epoch = PIPE_EPOCH.exec(text);
  if (epoch) return Math.max(0, Number(epoch[1]) * 1000 - now);
  const moment = MOMENT_BEFORE.exec(text) ?? MOMENT.exec(text);
  if (moment) {
    // Zhipu prints the time of day in China without saying so; nobody else prints a moment without a zone.
    const zone = moment[3] === undefined ? "+08:00" : moment[3] === "utc" ? "Z" : moment[3].toUpperCase();
    const date = Date.parse(`${moment[1]}T${moment[2]}${zone}`);
    if (!Number.isNaN(date)) return Math.max(0, date - now);
  }
  return undefined;
};

/** The wait that the payload states, in milliseconds: its headers, then its fields, then its words. */
export const retryDelayOf = (facts: Facts, now: number): number | undefined => {
  const { headers } = facts;
  const milliseconds = headers.get("retry-after-ms") ?? headers.get("x-ms-retry-after-ms");
  if (milliseconds !== undefined && /^\d+(?:\.\d+)?$/.test(milliseconds.trim()))
    return Math.round(Number(milliseconds));
  const header = headers.get("retry-after");
  const fromRetryAfter = header === undefined ? undefined : fromHeader(header, now);
  if (fromRetryAfter !== undefined) return fromRetryAfter;
  if (facts.delaysMs.length > 0) return Math.max(...facts.delaysMs);
  const reset = facts.resetsAtMs.length > 0 ? Math.max(...facts.resetsAtMs) - now : undefined;
  if (reset !== undefined && reset > 0) return reset;
  const prose = fromProse(facts.text, now);
  if (prose !== undefined) return prose;
  const codex = headers.get("x-codex-primary-reset-after-seconds");
  if (codex !== undefined && Number.isFinite(Number(codex))) return Number(codex) * 1000;
  return fromResets(headers, now);
};
