/** The usual rule of thumb for English text and code; compaction corrects it by what providers count. */
export const CHARS_PER_TOKEN = 4;

/** The text's end that fits, not cut inside a surrogate pair. */
export const fittingEnd = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text;
  const start = text.length - Math.max(0, Math.trunc(maxChars));
  const code = text.charCodeAt(start);
  return text.slice(code >= 0xdc00 && code <= 0xdfff ? start + 1 : start);
};

/** The text's beginning that fits, not cut inside a surrogate pair. */
export const fitting = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text;
  const end = Math.max(0, Math.trunc(maxChars));
  const code = text.charCodeAt(end - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end);
};
