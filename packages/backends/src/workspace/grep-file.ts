import { isUtf8 } from "node:buffer";
import { decodeText, detectFormat } from "./text-codec.js";

const MAX_TEXT_CHARS = 500;

/** A line that holds the pattern. */
export interface LineMatch {
  /** Counted from 1. */
  readonly line: number;
  /** The line without its end; of a long one the part around the match. */
  readonly text: string;
}

/** Not within a surrogate pair. */
const safe = (text: string, at: number): number => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc_00 && unit <= 0xdf_ff ? at - 1 : at;
};

const shown = (text: string, start: number, end: number, at: number, length: number): string => {
  if (end - start <= MAX_TEXT_CHARS) return text.slice(start, end);
  const room = Math.max(0, MAX_TEXT_CHARS - length) >> 1;
  const from = safe(text, Math.max(start, Math.min(at - room, end - MAX_TEXT_CHARS)));
  const to = safe(text, Math.min(end, from + MAX_TEXT_CHARS));
  return `${from > start ? "…" : ""}${text.slice(from, to)}${to < end ? "…" : ""}`;
};

/** A text to look for, and what of it can be looked for in bytes. */
export interface Wanted {
  readonly text: string;
  /** Its longest line in UTF-8. */
  readonly bytes: Buffer;
  /** Looks the same in every encoding but UTF-16. */
  readonly ascii: boolean;
}

export const wantedOf = (pattern: string): Wanted => {
  const text = pattern.replaceAll("\r\n", "\n");
  const [longest = ""] = text.split("\n").sort((one, other) => other.length - one.length);
  // eslint-disable-next-line no-control-regex -- ASCII is what is meant
  return { text, bytes: Buffer.from(longest), ascii: /^[\u0000-\u007f]*$/.test(text) };
};

/** Whether bytes that do not hold the text as UTF-8 may hold it in another encoding. Uses nothing but what it is given. */
export const mayHoldOtherwise = (
  bytes: Buffer,
  ascii: boolean,
  isUtf8: (bytes: Buffer) => boolean,
): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) ||
  (bytes[0] === 0xfe && bytes[1] === 0xff) ||
  (!ascii && !isUtf8(bytes));

/** Finds lines that hold a text; a text with line breaks is found at the line where it begins. */
export const fileGrep = (wanted: Wanted): ((bytes: Buffer, limit: number) => LineMatch[]) => {
  const spansLines = wanted.text.includes("\n");
  return (bytes, limit) => {
    if (!bytes.includes(wanted.bytes) && !mayHoldOtherwise(bytes, wanted.ascii, isUtf8)) return [];
    const format = detectFormat(bytes);
    if (!format) return [];
    const decoded = decodeText(bytes, format);
    const text = spansLines ? decoded.replaceAll("\r\n", "\n") : decoded;
    const found: LineMatch[] = [];
    let line = 1;
    let counted = 0;
    for (let at = text.indexOf(wanted.text); at >= 0 && found.length < limit;) {
      for (
        let next = text.indexOf("\n", counted);
        next >= 0 && next < at;
        next = text.indexOf("\n", counted)
      ) {
        line += 1;
        counted = next + 1;
      }
      const newline = text.indexOf("\n", at);
      const lineEnd = newline < 0 ? text.length : newline;
      const end = newline > 0 && text[newline - 1] === "\r" ? newline - 1 : lineEnd;
      found.push({ line, text: shown(text, counted, Math.max(end, counted), at, wanted.text.length) });
      at = text.indexOf(wanted.text, Math.max(lineEnd, at + 1));
    }
    return found;
  };
};
