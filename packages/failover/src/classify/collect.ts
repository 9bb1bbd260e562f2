import { parseDuration } from "./durations";
import { emptyFacts, type Facts } from "./facts";
import { readHeaders } from "./headers";
import { bounded, namesInText, pairsInText, statusInText, withoutHtml } from "./text-facts";

const MAX_DEPTH = 10;
const MAX_NODES = 160;
const MAX_TEXT_CHARS = 40_000;

/** Where an error hides another. Fields that echo the request are not among them. */
const NESTED = [
  "error",
  "errors",
  "cause",
  "body",
  "data",
  "response",
  "responseBody",
  "details",
  "errorDetails",
  "metadata",
  "$metadata",
  "$response",
  "innererror",
  "innerError",
  "inner",
  "original",
  "originalError",
  "lastError",
  "err",
  "exception",
  "violations",
  "param",
  "detail",
  "raw",
  "reason",
  "message",
] as const;
const TEXTS = [
  "message",
  "error_description",
  "error_message",
  "msg",
  "title",
  "statusText",
  "description",
] as const;
const STATUSES = [
  "status",
  "statusCode",
  "status_code",
  "httpStatusCode",
  "http_status",
  "raw_status_code",
] as const;
const CODES = [
  "code",
  "type",
  "status",
  "reason",
  "lc_error_code",
  "errorType",
  "error_code",
  "__type",
  "errno",
  "Code",
] as const;
const PLACES = ["syscall", "url", "hostname", "documentation_url"] as const;
const WITNESSES = [
  "$fault",
  "syscall",
  "documentation_url",
  "issues",
  "severity",
  "lc_error_code",
  "spawnargs",
] as const;
const DELAYS: Readonly<Record<string, number>> = {
  retryDelay: 1000,
  retry_after: 1000,
  retryAfter: 1000,
  retry_after_seconds: 1000,
  retryAfterSeconds: 1000,
  resets_in_seconds: 1000,
  retry_after_ms: 1,
  retryAfterMs: 1,
};

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
    for (const key of STATUSES) this.status(read(value, key), depth, true);
    for (const key of CODES) this.code(read(value, key), depth);
    for (const key of TEXTS) {
      const text = read(value, key);
      if (typeof text === "string") this.string(text, depth);
    }
    this.witnesses(value);
    this.delays(value);
    for (const key of ["headers", "responseHeaders"]) this.headers(read(value, key));
    for (const key of NESTED) {
      const nested = read(value, key);
      if (typeof nested === "string") {
        if (key !== "message" && key !== "reason") this.string(nested, depth + 1);
      } else if (nested !== undefined) this.visit(nested, depth + 1);
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

  private witnesses(value: object): void {
    for (const key of WITNESSES) if (read(value, key) !== undefined) this.facts.fields.add(key);
    for (const key of PLACES) {
      const place = read(value, key);
      if (typeof place === "string") this.facts.places.push(place.slice(0, 300).toLowerCase());
    }
    for (const key of ["quotaId", "quotaMetric", "quota_limit"]) {
      const quota = read(value, key);
      if (typeof quota === "string") this.facts.quotas.push(quota.slice(0, 200).toLowerCase());
    }
  }

  private delays(value: object): void {
    for (const key of Object.keys(DELAYS)) this.delay(read(value, key), DELAYS[key] ?? 1000);
    const resets = read(value, "resets_at");
    if (typeof resets === "number" && Number.isFinite(resets) && resets > 1_000_000_000)
      this.facts.resetsAtMs.push(resets > 100_000_000_000 ? resets : resets * 1000);
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
