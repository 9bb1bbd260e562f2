const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sk|pk|rk|gsk|xai|key|hf|r8|nvapi|csk|fw|tgp|pplx)[-_][\w-]{6,}/gi, "[redacted]"],
  [/\bAIza[\w-]{10,}|\bya29\.[\w.-]+|\b(?:AKIA|ASIA)[A-Z0-9]{10,}/gi, "[redacted]"],
  [
    /\b(bearer|basic|token|x-api-key|api[-_ ]?key)(["']?\s{0,3}[:=]?\s{0,3}["']?)(?=[\w.+/=-]*\d)[\w.+/=-]{8,}/gi,
    "$1$2[redacted]",
  ],
  [/\beyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*)?/gi, "[redacted]"],
  [/\b(?=[a-z_-]*\d)[\w+/-]{28,}={0,2}/gi, "[redacted]"],
];

/** A short piece of text without anything that looks like a key. */
export const redacted = (text: string, maxChars = 120): string => {
  let out = text.slice(0, maxChars * 4);
  for (const [pattern, replacement] of SECRETS) out = out.replaceAll(pattern, replacement);
  out = out.replaceAll(/\s+/g, " ").trim();
  return out.length <= maxChars ? out : `${out.slice(0, maxChars - 1)}…`;
};
