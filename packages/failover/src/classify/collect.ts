import { parseDuration } from "./durations.js";
import { emptyFacts, type Facts } from "./facts.js";
import { readHeaders } from "./headers.js";
import { bounded, namesInText, pairsInText, statusInText, withoutHtml } from "./text-facts.js";

const MAX_DEPTH = 10;
const MAX_NODES = 160;
const MAX_TEXT_CHARS = 40_000;

/** What a field may say. One field may say several things: `status: 429`, `status: "RESOURCE_EXHAUSTED"`. */
type Meaning =
  "nested" | "text" | "status" | "code" | "place" | "witness" | "quota" | "headers" | "delay" | "resets";

const FIELDS = new Map<string, readonly Meaning[]>();
const say = (meaning: Meaning, names: string): void => {
  for (const name of names.split(" ")) FIELDS.set(name, [...(FIELDS.get(name) ?? []), meaning]);
};
say("status", "status statusCode status_code httpStatusCode http_status raw_status_code");
say("code", "code type status reason lc_error_code errorType error_code __type errno Code");
say("text", "message error_description error_message msg title statusText description");
say("place", "syscall url hostname documentation_url");
say("witness", "$fault syscall documentation_url issues severity lc_error_code spawnargs");
say("quota", "quotaId quotaMetric quota_limit");
say("headers", "headers responseHeaders");
say("delay", "retryDelay retry_after retryAfter retry_after_seconds retryAfterSeconds resets_in_seconds");
say("delay", "retry_after_ms retryAfterMs");
say("resets", "resets_at");
// Where an error hides another. Fields that echo the request are not among them.
say(
  "nested",
  "error errors cause body data response responseBody details errorDetails metadata $metadata $response",
);
say(
  "nested",
  "innererror innerError inner original originalError lastError err exception violations param detail raw",
);
say("nested", "reason message");

/** What instances of classes have from their prototype: DOMException, fetch's Response, an SDK's getters. */
const INHERITED = [
  "message",
  "code",
  "status",
  "statusCode",
  "statusText",
  "headers",
  "cause",
  "url",
  "error",
];
const MAX_FIELDS = 100;

interface Candidate {
  readonly status: number;
  readonly depth: number;
  readonly structured: boolean;
}

/** A property, or undefined when reading it throws: getters and proxies of strangers may do anything. */
const read = (object: object, key: string): unknown => {
  try {
    return (object as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
};

const ownNames = (object: object): readonly string[] => {
  try {
    const names = Object.getOwnPropertyNames(object);
    return names.length > MAX_FIELDS ? names.slice(0, MAX_FIELDS) : names;
  } catch {
    return []; // A proxy that refuses: what it has under known names is still read.
  }
};

const isPlain = (object: object): boolean => {
  try {
    const prototype: unknown = Object.getPrototypeOf(object);
    return prototype === Object.prototype || prototype === null;
  } catch {
    return false;
  }
};

/** Walks whatever was thrown, within bounds, and collects what it says. Never throws. */
export class Collector {
  readonly facts: Facts = emptyFacts();
  private readonly seen = new Set<object>();
  private readonly texts = new Set<string>();
  private readonly statuses: Candidate[] = [];
  private nodes = 0;
  private chars = 0;

  collect(error: unknown): Facts {
    this.visit(error, 0);
    const { facts } = this;
    facts.text = [...this.texts].join("\n").toLowerCase();
    this.chooseStatus();
    return facts;
  }

  private visit(value: unknown, depth: number): void {
    if (typeof value === "string") this.string(value, depth);
    else if (typeof value === "object" && value !== null) this.object(value, depth);
  }

  private object(value: object, depth: number): void {
    if (depth > MAX_DEPTH || this.nodes >= MAX_NODES || this.seen.has(value)) return;
    this.seen.add(value);
    this.nodes += 1;
    let list = false;
    try {
      list = Array.isArray(value);
    } catch {
      return; // A revoked proxy: nothing can be read from it.
    }
    if (list) {
      for (let index = 0; index < 16; index += 1) this.visit(read(value, String(index)), depth + 1);
      return;
    }
    this.name(value);
    const own = ownNames(value);
    for (const key of own) this.field(value, key, depth);
    if (isPlain(value)) return;
    for (const key of INHERITED) if (!own.includes(key)) this.field(value, key, depth);
  }

  private field(object: object, key: string, depth: number): void {
    const meanings = FIELDS.get(key);
    if (!meanings) return;
    const value = read(object, key);
    if (value === undefined || value === null) return;
    for (const meaning of meanings) this.take(meaning, key, value, depth);
  }

  private take(meaning: Meaning, key: string, value: unknown, depth: number): void {
    const { facts } = this;
    switch (meaning) {
      case "status":
        this.status(value, depth, true);
        break;
      case "code":
        this.code(value, depth);
        break;
      case "text":
        if (typeof value === "string") this.string(value, depth);
        break;
      case "place":
        if (typeof value === "string") facts.places.push(value.slice(0, 300).toLowerCase());
        break;
      case "witness":
        facts.fields.add(key);
        break;
      case "quota":
        if (typeof value === "string") facts.quotas.push(value.slice(0, 200).toLowerCase());
        break;
      case "headers":
        this.headers(value);
        break;
      case "delay":
        this.delay(value, /ms$/i.test(key) ? 1 : 1000);
        break;
      case "resets":
        if (typeof value === "number" && Number.isFinite(value) && value > 1_000_000_000)
          facts.resetsAtMs.push(value > 100_000_000_000 ? value : value * 1000);
        break;
      case "nested":
        if (typeof value !== "string") this.visit(value, depth + 1);
        else if (key !== "message" && key !== "reason") this.string(value, depth + 1);
        break;
    }
  }

  private name(value: object): void {
    const name = read(value, "name");
    if (typeof name === "string" && /^[\w.$]{2,80}$/.test(name))
      this.facts.names.add(name.slice(name.lastIndexOf(".") + 1).toLowerCase());
    // SDKs leave `name` at "Error"; their class says more (until a bundler shortens it).
    const maker = read(value, "constructor");
    if (typeof maker === "function") {
      const own = read(maker, "name");
      if (typeof own === "string" && own.length < 80 && own !== "Object" && own !== "Error")
        this.facts.names.add(own.toLowerCase());
    }
  }

  private status(value: unknown, depth: number, structured: boolean): void {
    const number = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
    if (typeof number === "number" && Number.isInteger(number) && number >= 400 && number < 600)
      this.statuses.push({ status: number, depth, structured });
  }

  private code(value: unknown, depth: number): void {
    if (typeof value === "number") {
      this.status(value, depth + 1, true);
      if (value >= 1000 && value < 2000) this.facts.codes.add(String(value));
    } else if (typeof value === "string" && value.length > 0 && value.length <= 200) {
      if (/^\d{3}$/.test(value)) this.status(value, depth + 1, true);
      else if (/^(?:E[A-Z_]{2,}|UND_ERR_\w+|ERR_\w+)$/.test(value) || /CERT|ISSUER|SIGNATURE/.test(value)) {
        this.facts.errnos.add(value);
        this.facts.codes.add(value.toLowerCase());
      } else if (/^[\w.:/@#$-]+$/.test(value)) this.facts.codes.add(value.toLowerCase());
      else this.string(value, depth); // xAI puts a sentence into `code`.
    }
  }

  private delay(value: unknown, factor: number): void {
    let found: number | undefined;
    if (typeof value === "number") found = value * factor;
    else if (typeof value === "string" && value.length < 80)
      found = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * factor : parseDuration(value);
    else if (typeof value === "object" && value !== null) {
      const seconds = Number(read(value, "seconds")); // google.protobuf.Duration as gRPC gives it
      if (Number.isFinite(seconds)) found = seconds * 1000 + Number(read(value, "nanos") ?? 0) / 1e6;
    }
    if (found !== undefined && Number.isFinite(found) && found >= 0)
      this.facts.delaysMs.push(Math.round(found));
  }

  private headers(source: unknown): void {
    try {
      readHeaders(source, this.facts.headers);
    } catch {
      // Headers of a stranger that throw when read say nothing; the rest of the error still does.
    }
  }

  private string(raw: string, depth: number): void {
    if (raw.length === 0 || depth > MAX_DEPTH || this.chars >= MAX_TEXT_CHARS) return;
    const { text, html } = withoutHtml(bounded(raw));
    if (html) this.facts.html = true;
    const rest = text.includes("{") ? this.json(text, depth) : text;
    if (rest.length === 0 || this.texts.has(rest)) return;
    this.chars += rest.length;
    // "invalid_grant", "err.not_enough_balance": a code where words are expected.
    if (/^[a-z]+(?:[_.][a-z]+)+$/.test(rest)) this.facts.codes.add(rest);
    this.texts.add(rest);
    namesInText(rest, this.facts);
    const lower = rest.toLowerCase();
    const status = statusInText(lower.trimStart());
    if (status !== undefined) this.status(status, depth, false);
    if (rest.includes("'") || rest.includes('"'))
      pairsInText(lower.replaceAll(/\\+(["'])/g, "$1"), (key, value) => {
        if (key === "retrydelay" || key === "resets_in_seconds") this.delay(value, 1000);
        else if (key.startsWith("quota")) this.facts.quotas.push(String(value));
        else this.pair(value, depth + 1);
      });
  }

  private pair(value: string | number, depth: number): void {
    if (typeof value === "number" || /^\d+$/.test(value)) {
      const number = Number(value);
      this.status(number, depth, false);
      if (number >= 1000 && number < 2000) this.facts.codes.add(String(number));
    } else if (/^[\w.:/@#$-]+$/.test(value)) this.facts.codes.add(value);
  }

  /** Walks the JSON inside a string as if it had been an object; returns the words around it. */
  private json(text: string, depth: number): string {
    const start = text.search(/[[{]\s*["{[]/);
    const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
    if (start < 0 || end <= start) return text;
    let parsed: unknown;
    try {
      parsed = JSON.parse(text.slice(start, end + 1));
    } catch {
      return text; // Not JSON, or cut short: `pairsInText` reads what is left of it.
    }
    this.visit(parsed, depth + 1);
    return `${text.slice(0, start)} ${text.slice(end + 1)}`.trim();
  }

  /**
   * The outermost status counts, except when it only says that a gateway failed (5xx) and something inside knows better.
   * Fields beat words.
   */
  private chooseStatus(): void {
    const order = this.statuses.toSorted(
      (a, b) => Number(b.structured) - Number(a.structured) || a.depth - b.depth,
    );
    const outer = order[0];
    if (!outer) return;
    const inner = outer.status >= 500 ? order.find((each) => each.status < 500) : undefined;
    const chosen = inner ?? outer;
    this.facts.status = chosen.status;
    this.facts.statusIsStructured = chosen.structured;
  }
}
