const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  s: 1000,
  sec: 1000,
  second: 1000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
};

const PART = String.raw`\d{1,9}(?:\.\d{1,12})?\s{0,2}(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|hr|h|days?|d)(?![a-z])`;
const SEQUENCE = String.raw`${PART}(?:(?:,?\s{0,2}(?:and\s)?)${PART}){0,4}`;

/** A duration as machines and people print it: "6m0s", "37.5s", "174ms", "5 days 22 hours 11 minutes". */
export const DURATION_SOURCE: string = SEQUENCE;

const ONE = /(\d{1,9}(?:\.\d{1,12})?)\s{0,2}([a-z]+)/g;

/** Milliseconds of a text that is a duration; undefined when it is none. */
export const parseDuration = (text: string): number | undefined => {
  let total = 0;
  let found = false;
  for (const [, amount, unit] of text.toLowerCase().matchAll(ONE)) {
    const name = unit ?? "";
    const factor = UNITS[name] ?? UNITS[name.replace(/s$/, "")];
    if (factor === undefined) continue;
    total += Number(amount) * factor;
    found = true;
  }
  return found && Number.isFinite(total) ? Math.round(total) : undefined;
};
