import type { Facts } from "./facts.js";

/** Longest part of one string that is looked at; errors say what they are at the start or at the end. */
const HEAD_CHARS = 6000;
const TAIL_CHARS = 2000;

/** A string of any length, cut to what is worth reading. */
export const bounded = (text: string): string =>
  text.length <= HEAD_CHARS + TAIL_CHARS
    ? text
    : `${text.slice(0, HEAD_CHARS)}\n${text.slice(text.length - TAIL_CHARS)}`;

const isHtml = (text: string): boolean =>
  /<!doctype html|<html[\s>]|<head[\s>]|<body[\s>]|<center>/i.test(text);

/** Takes scripts, styles and tags out by scanning, so that an unclosed tag costs no more than its length. */
export const stripTags = (html: string): string => {
  let out = "";
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open < 0) return out + html.slice(at);
    out += `${html.slice(at, open)} `;
    const block = /^<(script|style)\b/i.exec(html.slice(open, open + 8));
    const close = block ? html.toLowerCase().indexOf(`</${block[1]?.toLowerCase()}`, open) : open;
    const end = html.indexOf(">", close < 0 ? html.length : close);
    if (end < 0) return out;
    at = end + 1;
  }
  return out;
};

const HTTP_WORDS =
  "bad request|unauthorized|payment required|forbidden|not found|request time-?out|conflict|gone|payload too large|request entity too large|unprocessable|too many requests|internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out";

/** The ways in which clients print a status; a number alone (a port, a line, a model's size) is none. */
const STATUS = new RegExp(
  [
    String.raw`^(?:error:?\s{0,2})?([45]\d\d)(?=[\s:{"·-]|$)`,
    String.raw`\b(?:status(?:[ _-]?code)?|statuscode|error[ _-]?code|http(?:\/\d(?:\.\d)?)?|api error|error response)["']?\s{0,2}(?:is|was)?[:=]?\s{0,2}[("']?([45]\d\d)\b`,
    String.raw`\b(?:error|forbidden|unauthorized|unavailable|requests|failed)\s{0,2}:?\s{0,2}\(?([45]\d\d)\b`,
    String.raw`\[([45]\d\d)(?: [a-z]|\])`,
    String.raw`\breturned (?:error |status )?([45]\d\d)\b`,
    String.raw`\b([45]\d\d) (?:${HTTP_WORDS})\b`,
    String.raw`\b[a-z.-]+ \| ([45]\d\d): `,
    String.raw`<([45]\d\d)> `,
  ].join("|"),
  "m",
);

/** The HTTP status that a lower-case text names. */
export const statusInText = (text: string): number | undefined => {
  const match = STATUS.exec(text);
  const digits = match?.slice(1).find((group) => group !== undefined);
  return digits === undefined ? undefined : Number(digits);
};

// Python's printed dictionaries and JSON that a log cut short are read pair by pair.
const PAIR =
  /["'](code|type|status|reason|retrydelay|quotaid|quotametric|lc_error_code|resets_in_seconds|errortype|error_code|__type)["']\s{0,3}:\s{0,3}(?:["']([^"'\n]{1,80})["']|(-?\d{1,10}(?:\.\d{1,6})?))/g;

/** Hands each `"code": …` like pair of a lower-case text to `take`. */
export const pairsInText = (text: string, take: (key: string, value: string | number) => void): void => {
  if (!text.includes(":")) return;
  for (const [, key, quoted, number] of text.matchAll(PAIR)) {
    if (key !== undefined) take(key, quoted ?? Number(number));
  }
};

const CLASS_NAME = /\b([A-Z][A-Za-z]{2,40}(?:Error|Exception|Interrupt))\b/g;
const UPPER = /\b[A-Z][A-Z_\d]{2,40}\b/g;
const ERRNO =
  /^(?:E(?:CONN(?:RESET|REFUSED|ABORTED)|TIMEDOUT|SOCKETTIMEDOUT|NOTFOUND|AI_AGAIN|PIPE|HOSTUNREACH|NETUNREACH|NETDOWN|HOSTDOWN|NOENT|ACCES|PERM|NOSPC|ADDRINUSE|ISDIR|MFILE|PROTO)|UND_ERR_\w+|ERR_\w+|\w*(?:CERT|SIGNATURE|ISSUER)_\w+|EOF)$/;

/** Class names and errnos that a text, in its own case, prints. */
export const namesInText = (text: string, facts: Facts): void => {
  for (const [, name] of text.matchAll(CLASS_NAME)) if (name) facts.names.add(name.toLowerCase());
  for (const [token] of text.matchAll(UPPER)) if (ERRNO.test(token)) facts.errnos.add(token);
};

/** The text without tags, and whether it was a page. */
export const withoutHtml = (text: string): { text: string; html: boolean } =>
  text.includes("<") && isHtml(text) ? { text: stripTags(text), html: true } : { text, html: false };
