import { mapStrings } from "./json.js";

/** What must not get onto a cassette beside what is known by its shape. */
export interface RedactOptions {
  /** Values to take out wherever they stand. Those under 8 characters are words, and stay. */
  secrets?: readonly string[];
  /** Variables whose values are secret when their names say so (`…_KEY`, `…TOKEN`, …); default `process.env`. */
  env?: Readonly<Record<string, string | undefined>>;
  /** More shapes of secrets. */
  patterns?: readonly RegExp[];
}

export interface Redactor {
  /** A copy without secrets. */
  readonly value: (value: unknown) => unknown;
  readonly text: (text: string) => string;
}

const OPTIONS = new Set(["secrets", "env", "patterns"]);
const REDACTED = "[redacted]";
const SHORTEST_SECRET = 8;
/** Values of the environment are guessed by name: a short one may as well be the word "production". */
const SHORTEST_IN_ENV = 16;
const SECRET_VARIABLE = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;
const SECRET_FIELD =
  /^(?:x-?)?(?:api[-_]?key|access[-_]?(?:key|token)|auth[-_]?token|secret[-_]?(?:key)?|client[-_]?secret|private[-_]?key|refresh[-_]?token|password|passwd|passphrase|authorization|cookie|set-cookie)$/i;

/**
 * Shapes only. The audit log of a tool pipeline also cuts what follows `token =` in a text; here the text is code that
 * an agent writes, and must replay as it was.
 */
const PATTERNS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  /\b(?:sk|pk|rk)[-_][\w-]{16,}/g, // OpenAI, Anthropic, Stripe
  /\b(?:gh[pousr]_|github_pat_|glpat-|npm_|hf_|gsk_|xai-|ya29\.|dop_v1_|shpat_)[\w-]{16,}/g,
  /\bxox[a-z]-[\w-]{10,}/g, // Slack
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, // AWS
  /\bAIza[\w-]{30,}/g, // Google
  /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, // JSON Web Token
];
/** Keeps what stands before the secret. */
const AROUND: readonly RegExp[] = [
  /\b((?:Bearer|Basic)\s+)[\w.~+/=-]{16,}/gi,
  /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,200}:)[^\s/@]{1,500}(?=@)/gi,
  // A field of JSON arguments, which a provider streams as text.
  new RegExp(
    `("${SECRET_FIELD.source.slice(1, -1)}"\\s{0,3}:\\s{0,3}")(?:\\\\.|[^"\\\\]){1,2000}(?=")`,
    "gi",
  ),
];

const everywhere = ({ source, flags }: RegExp): RegExp =>
  new RegExp(source, `${flags.replaceAll(/[gy]/g, "")}g`);

/** A net, not a proof: a secret that looks like a word gets through unless it is given. */
export const createRedactor = (options: RedactOptions = {}): Redactor => {
  // A wrong option of a safety feature would be one that is silently off.
  for (const name of Object.keys(options))
    if (!OPTIONS.has(name))
      throw new TypeError(`\`redact\` has no option "${name}"; use \`secrets\`, \`env\` and \`patterns\`.`);
  const { secrets = [], env = process.env, patterns = [] } = options;
  const fromEnv = Object.entries(env).flatMap(([name, value]) =>
    SECRET_VARIABLE.test(name) && value !== undefined && value.length >= SHORTEST_IN_ENV ? [value] : [],
  );
  const values = [...secrets.filter((secret) => secret.length >= SHORTEST_SECRET), ...fromEnv]
    .flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")])
    // The longest first: a secret may begin with another one.
    .sort((a, b) => b.length - a.length);
  const own = patterns.map(everywhere);
  const text = (given: string): string => {
    let clean = given;
    for (const value of values) clean = clean.replaceAll(value, REDACTED);
    for (const pattern of AROUND) clean = clean.replace(pattern, `$1${REDACTED}`);
    for (const pattern of PATTERNS) clean = clean.replace(pattern, REDACTED);
    for (const pattern of own) clean = clean.replace(pattern, REDACTED);
    return clean;
  };
  return {
    text,
    value: (given) =>
      mapStrings(given, (each, key) =>
        key !== undefined && SECRET_FIELD.test(key) && each !== "" ? REDACTED : text(each),
      ),
  };
};
