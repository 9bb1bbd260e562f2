import type { ClassItem, PatternNode } from "./pattern-syntax.js";

const hex = (code: number): string => code.toString(16).toUpperCase();
const plain = (code: number): boolean => /[A-Za-z0-9_ ]/.test(String.fromCodePoint(code));

/** The pattern for JavaScript, flags `us`: this is what decides. */
export const toJavaScript = (node: PatternNode): string => {
  switch (node.kind) {
    case "char":
      return plain(node.code) ? String.fromCodePoint(node.code) : `\\u{${hex(node.code)}}`;
    case "any":
      return ".";
    case "class":
      return `[${node.negated ? "^" : ""}${node.items.map(classItem).join("")}]`;
    case "assert":
      return { start: "^", end: "$", word: "\\b", notWord: "\\B" }[node.assertion];
    case "group":
      return `(${node.capture ? (node.name === undefined ? "" : `?<${node.name}>`) : "?:"}${toJavaScript(node.body)})`;
    case "look":
      return `(?${node.ahead ? "" : "<"}${node.negated ? "!" : "="}${toJavaScript(node.body)})`;
    case "reference":
      // In a group of its own: what follows may be a digit.
      return typeof node.to === "number" ? `(?:\\${node.to})` : `\\k<${node.to}>`;
    case "repeat":
      return `${toJavaScript(node.body)}${repetition(node.min, node.max)}${node.lazy ? "?" : ""}`;
    case "sequence":
      return node.parts.map(toJavaScript).join("");
    case "alternatives":
      return node.parts.map(toJavaScript).join("|");
  }
};

const repetition = (min: number, max: number): string => `{${min},${max === Infinity ? "" : max}}`;

const classItem = (item: ClassItem): string => {
  if (item.kind === "set") return `\\${item.set}`;
  if (item.kind === "property") return `\\${item.negated ? "P" : "p"}{${item.name}}`;
  return `\\u{${hex(item.from)}}-\\u{${hex(item.to)}}`;
};

/** A byte that is no UTF-8, three at most of which are one U+FFFD to the reader; any byte but the end of a line. */
const BROKEN = "(?-u:[\\x80-\\xFF]){1,3}";
const ANY = "(?-u:[^\\n])";
/** What `\s` is in JavaScript; ripgrep's own differs by U+0085 and U+FEFF. */
const SPACES =
  "\\x{9}\\x{B}-\\x{D} \\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}";
const SETS = { d: "0-9", w: "0-9A-Za-z_", s: SPACES };

/**
 * The pattern for ripgrep, which only proposes files: it matches every line that the JavaScript pattern matches, and may
 * match more. So lookarounds go, a back reference becomes anything, and anything that matches U+FFFD matches invalid
 * bytes too.
 */
export const toRipgrep = (node: PatternNode, ignoreCase: boolean): string => {
  const emit = (each: PatternNode): string => {
    switch (each.kind) {
      case "char":
        return each.code === 0xfffd ? `(?:\\x{FFFD}|${BROKEN})` : rustChar(each.code);
      case "any":
        return `(?:.|${BROKEN})`;
      case "class":
        return rustClass(each.items, each.negated);
      case "assert":
        switch (each.assertion) {
          case "start":
            // The reader takes a byte-order mark away.
            return "^\\x{FEFF}*";
          case "end":
            return "\\r?$";
          case "word":
            // With flags `iu` two letters outside of ASCII are word characters to JavaScript.
            return ignoreCase ? "" : "(?-u:\\b)";
          case "notWord":
            return "";
        }
      // eslint-disable-next-line no-fallthrough
      case "group":
        return `(?:${emit(each.body)})`;
      case "look":
        return "";
      case "reference":
        return `${ANY}*`;
      case "repeat":
        return `(?:${emit(each.body)})${repetition(each.min, each.max)}`;
      case "sequence":
        return each.parts.map(emit).join("");
      case "alternatives":
        return each.parts.map(emit).join("|");
    }
  };
  return emit(node);
};

const rustChar = (code: number): string => (plain(code) ? String.fromCodePoint(code) : `\\x{${hex(code)}}`);

const rustClass = (items: readonly ClassItem[], negated: boolean): string => {
  // The two engines may know different releases of Unicode.
  if (items.some(({ kind }) => kind === "property")) return `(?:.|${BROKEN})`;
  let broken = negated;
  const inside = items.map((item) => {
    if (item.kind === "property") return "";
    if (item.kind === "range") {
      if (item.from <= 0xfffd && item.to >= 0xfffd) broken = true;
      return `\\x{${hex(item.from)}}-\\x{${hex(item.to)}}`;
    }
    const lower = item.set.toLowerCase() as "d" | "w" | "s";
    if (item.set === lower) return SETS[lower];
    broken = true;
    return `[^${SETS[lower]}]`;
  });
  const source = `[${negated ? "^" : ""}${inside.join("")}]`;
  return broken ? `(?:${source}|${BROKEN})` : source;
};
