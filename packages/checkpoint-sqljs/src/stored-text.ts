/**
 * Identifiers may be any JavaScript string, but SQLite text is UTF-8 (a lone surrogate would be lost, and two ids fall
 * together) and C strings end at NUL. Those characters, and the mark itself, are written as U+001A ("substitute") and
 * four hex digits. Ordinary ids are stored as they are, so the file stays readable with any SQLite tool.
 */
const MARK = "\u001a";
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\0\u001a]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export const toStoredText = (value: string): string =>
  value.replace(UNSAFE, (unit) => MARK + unit.charCodeAt(0).toString(16).padStart(4, "0"));

export const fromStoredText = (stored: string): string =>
  // oxlint-disable-next-line no-control-regex
  stored.replace(/\u001a([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
