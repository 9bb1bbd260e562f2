/** Shorter values are words, not keys: replacing them would garble every text that holds them. */
const SHORTEST_KEY = 6;
const REDACTED = "[redacted]";
const MAX_DEPTH = 32;
const MAX_NODES = 100_000;

export type Redact = (text: string) => string;

/** Replaces the given secrets in a text. */
export const redactor = (secrets: readonly string[]): Redact => {
  const real = secrets
    .filter((secret) => secret.length >= SHORTEST_KEY)
    // As servers may give it back.
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64"),
      Buffer.from(secret).toString("base64url"),
    ]);
  return (text) => real.reduce((clean, secret) => clean.replaceAll(secret, REDACTED), text);
};

/** A copy of plain data without the secrets, for `toJSON`. Everything that is no string, array or plain object stays. */
export const redactData = (value: unknown, redact: Redact, depth = 0): unknown => {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => redactData(item, redact, depth + 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, redactData(item, redact, depth + 1)]),
  );
};

/** Headers of a response are immutable: a clean copy takes their place. */
const cleanHeaders = (headers: Headers, redact: Redact): Headers =>
  [...headers.values()].some((text) => redact(text) !== text)
    ? new Headers([...headers].map(([name, text]): [string, string] => [name, redact(text)]))
    : headers;

/** Cleans one property, and returns its value when there is more to clean inside. */
const redactEntry = (holder: object, key: PropertyKey, redact: Redact): unknown => {
  const property = Reflect.getOwnPropertyDescriptor(holder, key);
  if (!property || !("value" in property)) return undefined;
  const value: unknown = property.value;
  const text = typeof value === "string";
  if (!text && !(value instanceof Headers)) return value;
  const clean = text ? redact(value) : cleanHeaders(value, redact);
  // A frozen error keeps its text; Reflect says so with false, and there is nothing more to do about it.
  if (clean !== value) Reflect.defineProperty(holder, key, { ...property, value: clean });
  return undefined;
};

/** A body may have a key for a key. */
const redactName = (holder: object, key: string, redact: Redact): void => {
  const clean = redact(key);
  if (clean === key) return;
  const property = Reflect.getOwnPropertyDescriptor(holder, key);
  if (property && Reflect.deleteProperty(holder, key)) Reflect.defineProperty(holder, clean, property);
};

/**
 * Takes the secrets out of an error, in place, so that it stays the error that the client threw: message, stack, cause,
 * and the parsed body that an SDK hangs on it. A server that does not accept a key may repeat it (LiteLLM and several
 * local servers do).
 */
export const redactError = (error: unknown, redact: Redact): void => {
  const seen = new Set<object>();
  const waiting: { value: unknown; depth: number }[] = [{ value: error, depth: 0 }];
  for (let next = waiting.pop(); next && seen.size < MAX_NODES; next = waiting.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null || seen.has(value) || depth > MAX_DEPTH) continue;
    seen.add(value);
    for (const key of Reflect.ownKeys(value)) {
      waiting.push({ value: redactEntry(value, key, redact), depth: depth + 1 });
      if (typeof key === "string") redactName(value, key, redact);
    }
  }
};
