import { PipelineError } from "../errors.js";

export interface RedactOptions {
  /** More names of fields whose values are secret; case, `-` and `_` do not count, and a name that ends in one is meant too. */
  keys?: readonly string[];
  /** More shapes of secrets. */
  patterns?: readonly RegExp[];
}

const REDACTED = "[redacted]";
const MAX_STRING_CHARS = 2_000;
/** What is looked at of a string: more than is shown, so that no secret is cut where it is shown. */
const MAX_LOOKED_AT_CHARS = 20_000;
const MAX_DEPTH = 8;
const MAX_ITEMS = 200;

const KEYS = [
  "password",
  "passwd",
  "pwd",
  "passphrase",
  "secret",
  "token",
  "apikey",
  "accesskey",
  "secretkey",
  "privatekey",
  "authorization",
  "cookie",
  "credential",
  "credentials",
];

const PATTERNS: readonly RegExp[] = [
  // To its end, or to the end of the text: an encrypted key has headers with dashes in them.
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  /\b(?:sk|pk|rk)[-_][\w-]{16,}/g, // OpenAI, Anthropic, Stripe
  /\b(?:gh[pousr]_|github_pat_|glpat-|npm_|hf_|gsk_|xai-|ya29\.|dop_v1_|shpat_)[\w-]{16,}/g,
  /\bxox[a-z]-[\w-]{10,}/g, // Slack
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, // AWS
  /\bAIza[\w-]{30,}/g, // Google
  /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, // JSON Web Token
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}/gi,
];
const NAMES =
  "(?:password|passwd|passphrase|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential)s?";

/** Keeps what is around the secret: `https://user:…@host`, `API_KEY=…`, `--password …`. */
const AROUND: readonly RegExp[] = [
  // To the last @ before the path: passwords may hold one.
  /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,200}:)[^\s/]{1,500}(?=@)/gi,
  // A quoted value to its closing quote.
  new RegExp(`(${NAMES}["']?\\s{0,3}[=:]\\s{0,3}\\$?")(?:\\\\.|[^"\\\\]){1,2000}(?=")`, "gi"),
  new RegExp(`(${NAMES}["']?\\s{0,3}[=:]\\s{0,3}\\$?')[^']{1,2000}(?=')`, "gi"),
  new RegExp(`(${NAMES}["']?\\s{0,3}[=:]\\s{0,3})[^\\s"',;&]{3,}`, "gi"),
  new RegExp(`(--(?:${NAMES})[=\\s]\\s{0,3}["']?)[^\\s"']{2,}`, "gi"),
  /(\bcurl\b[^\n]{0,200}?\s(?:-u|--user)\s{0,3}["']?[^\s:"']{1,100}:)[^\s"']{1,200}/gi,
  /(\bAuthorization["']?\s{0,3}[:=]\s{0,3}["']?(?:[A-Za-z]{2,20}\s{1,3})?)[^\s"',;]{3,}/gi,
];

/**
 * A wrong option of a safety feature would be one that is silently off.
 *
 * @throws {PipelineError} `invalid_option`
 */
export const checkRedactOptions = (options: RedactOptions): void => {
  const refuse = (why: string): never => {
    throw new PipelineError("invalid_option", `\`redact\`: ${why}.`);
  };
  for (const name of Object.keys(options))
    if (name !== "keys" && name !== "patterns")
      refuse(`there is no option "${name}"; use \`keys\` and \`patterns\``);
  const { keys = [], patterns = [] } = options as { keys?: unknown; patterns?: unknown };
  if (!Array.isArray(keys) || keys.some((key) => typeof key !== "string" || key === ""))
    refuse("`keys` must be a list of names");
  if (!Array.isArray(patterns) || patterns.some((pattern) => !(pattern instanceof RegExp)))
    refuse("`patterns` must be a list of regular expressions");
};

/** Replaces what looks like a secret in a text. */
export const redactText = (text: string, patterns: readonly RegExp[] = []): string => {
  let clean = text.slice(0, MAX_LOOKED_AT_CHARS);
  for (const pattern of AROUND) clean = clean.replace(pattern, `$1${REDACTED}`);
  for (const pattern of PATTERNS) clean = clean.replace(pattern, REDACTED);
  // All of them, whatever flags a pattern of the user's has.
  for (const { source, flags } of patterns)
    clean = clean.replace(new RegExp(source, `${flags.replaceAll(/[gy]/g, "")}g`), REDACTED);
  return clean.length > MAX_STRING_CHARS
    ? `${clean.slice(0, MAX_STRING_CHARS)}[… ${text.length} characters]`
    : clean;
};

/**
 * A copy of a value for a log: fields with a secret's name lose their value, texts lose what has the shape of a known kind of
 * token, and what is deep, long or many is cut. It is a net, not a proof: a secret that looks like a word gets through.
 *
 * @example
 * ```ts
 * import { redact } from "@fiveseam/tool-pipeline";
 *
 * redact({ apiKey: "abc", maxTokens: 5 }); // { apiKey: "[redacted]", maxTokens: 5 }
 * redact("curl https://me:hunter2@example.com"); // "curl https://me:[redacted]@example.com"
 * ```
 */
export const redact = (value: unknown, options: RedactOptions = {}): unknown => {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, "");
  checkRedactOptions(options);
  const keys = [...KEYS, ...(options.keys ?? []).map(plain)];
  // A number of tokens is no token.
  const isSecret = (name: string, field: unknown): boolean =>
    keys.some(
      (key) => plain(name).endsWith(key) || (plain(name).endsWith(`${key}s`) && typeof field !== "number"),
    );
  const visit = (each: unknown, depth: number): unknown => {
    if (typeof each === "string") return redactText(each, options.patterns);
    if (typeof each === "bigint") return `${each}n`;
    if (typeof each !== "object" || each === null) return each;
    if (depth >= MAX_DEPTH) return "[…]";
    if (Array.isArray(each)) return each.slice(0, MAX_ITEMS).map((item) => visit(item, depth + 1));
    return Object.fromEntries(
      Object.entries(each)
        .slice(0, MAX_ITEMS)
        .map(([name, field]) => [
          redactText(name, options.patterns),
          isSecret(name, field) && field !== null && field !== undefined ? REDACTED : visit(field, depth + 1),
        ]),
    );
  };
  return visit(value, 0);
};
