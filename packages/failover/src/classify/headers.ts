const NAMES =
  /^(?:retry-after(?:-ms)?|x-should-retry|(?:x-|anthropic-)?ratelimit-[a-z-]*|x-codex-primary-reset-after-seconds|x-github-request-id|server|content-type|cf-ray|x-ms-retry-after-ms)$/;

const keep = (into: Map<string, string>, name: unknown, value: unknown): void => {
  if (typeof name !== "string" || name.length > 80) return;
  const key = name.toLowerCase();
  if (!NAMES.test(key) || into.has(key)) return;
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === "string") into.set(key, first.slice(0, 200));
  else if (typeof first === "number") into.set(key, String(first));
};

/**
 * Reads the headers that say something about a failure from a `Headers`, a `Map`, an array of pairs or an object, in any
 * case. Others are not even kept: some hold cookies and account ids.
 */
export const readHeaders = (source: unknown, into: Map<string, string>): void => {
  if (typeof source !== "object" || source === null) return;
  const pairs = (source as { entries?: unknown }).entries;
  if (typeof pairs === "function" && !Array.isArray(source)) {
    let left = 200;
    for (const entry of pairs.call(source) as Iterable<unknown>) {
      if (left-- <= 0) return;
      if (Array.isArray(entry)) keep(into, entry[0], entry[1]);
    }
    return;
  }
  if (Array.isArray(source)) {
    for (const entry of source.slice(0, 200)) if (Array.isArray(entry)) keep(into, entry[0], entry[1]);
    return;
  }
  for (const name of Object.keys(source).slice(0, 200))
    keep(into, name, (source as Record<string, unknown>)[name]);
};
