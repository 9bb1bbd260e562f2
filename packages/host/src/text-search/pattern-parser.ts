import { HostError } from "../errors.js";
import { checkPatternText, regexFault } from "./pattern-text.js";
import type { ClassItem, ParsedPattern, PatternNode } from "./pattern-syntax.js";

const MAX_DEPTH = 200;
const MAX_REPEAT = 10_000;

const POSIX: Record<string, string> = {
  alpha: "A-Za-z",
  digit: "0-9",
  alnum: "0-9A-Za-z",
  upper: "A-Z",
  lower: "a-z",
  xdigit: "0-9A-Fa-f",
  word: "0-9A-Za-z_",
  space: " \t-\r",
  blank: " \t",
  punct: "!-/:-@[-`{-~",
};
const CONTROL: Record<string, number> = { t: 9, r: 13, f: 12, v: 11, a: 7, e: 27, "0": 0 };
/** What other dialects have, and what to write instead. */
const ELSEWHERE: Record<string, string> = {
  A: "use ^",
  z: "use $",
  Z: "use $",
  h: "use [ \\t]",
  Q: "use a literal search (regex: false)",
  E: "use a literal search (regex: false)",
  R: "a match lies within one line",
  n: "a match lies within one line",
  "<": "use \\b",
  ">": "use \\b",
};

const refuse = (pattern: string, at: number, problem: string): HostError =>
  new HostError(
    "invalid_argument",
    `the regular expression ${JSON.stringify(pattern)} is not understood at character ${at + 1}: ${problem}`,
  );

/**
 * Reads the common dialect: that of JavaScript with the flag `u`, minus what spans lines, plus what models write out of
 * habit and what can only mean one thing (`(?i)` in front, `(?P<name>…)`, `[[:alpha:]]`, a needless backslash before
 * punctuation, a brace that is no repetition).
 */
export const parsePattern = (pattern: string): ParsedPattern => new PatternParser(pattern).parse();

class PatternParser {
  readonly #pattern: string;
  #at = 0;
  #depth = 0;
  #groups = 0;
  readonly #names = new Set<string>();
  readonly #references: { to: number | string; at: number }[] = [];

  constructor(pattern: string) {
    checkPatternText(pattern);
    this.#pattern = pattern;
  }

  parse(): ParsedPattern {
    let ignoreCase = false;
    const flags = /^\(\?([imsu]*)(?:-([imsu]*))?\)/.exec(this.#pattern);
    if (flags && flags[0] !== "(?)") {
      ignoreCase = (flags[1] ?? "").includes("i") && !(flags[2] ?? "").includes("i");
      this.#at = flags[0].length;
    }
    const root = this.#alternatives();
    if (this.#at < this.#pattern.length) throw this.#error("this ) closes nothing; write \\)");
    for (const { to, at } of this.#references) {
      if (typeof to === "number" ? to > this.#groups : !this.#names.has(to))
        throw refuse(this.#pattern, at, `there is no group ${to}`);
    }
    return { root, ignoreCase };
  }

  #error(problem: string, at = this.#at): HostError {
    return refuse(this.#pattern, at, problem);
  }

  #eat(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern);
    if (!found) return undefined;
    this.#at = expression.lastIndex;
    return found;
  }

  #alternatives(): PatternNode {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.#error(`more than ${MAX_DEPTH} groups in each other`);
    const parts = [this.#sequence()];
    while (this.#eat("|")) parts.push(this.#sequence());
    this.#depth -= 1;
    return parts.length === 1 ? (parts[0] as PatternNode) : { kind: "alternatives", parts };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#pattern.length && !"|)".includes(this.#pattern[this.#at] as string))
      parts.push(this.#repeat(this.#atom()));
    return parts.length === 1 ? (parts[0] as PatternNode) : { kind: "sequence", parts };
  }

  #repeat(body: PatternNode): PatternNode {
    const start = this.#at;
    const found = this.#take(/(?:[*+?]|\{(\d+)(,?)(\d*)\})/y);
    if (!found) return body;
    if (body.kind === "assert" || body.kind === "look")
      throw this.#error("nothing to repeat before this", start);
    const [sign, low, comma, high] = found;
    const min = low === undefined ? (sign === "+" ? 1 : 0) : Number(low);
    const max =
      low === undefined
        ? sign === "?"
          ? 1
          : Infinity
        : comma === ""
          ? min
          : high === ""
            ? Infinity
            : Number(high);
    if (max < min) throw this.#error("the upper bound is below the lower", start);
    if (min > MAX_REPEAT || (max !== Infinity && max > MAX_REPEAT))
      throw this.#error(`a repetition goes up to ${MAX_REPEAT}`, start);
    const lazy = this.#eat("?");
    if (this.#take(/[*+]|\{\d+,?\d*\}/y))
      throw this.#error("a repetition of a repetition (possessive?); write (?:…) around the first", start);
    return { kind: "repeat", body, min, max, lazy };
  }

  #atom(): PatternNode {
    const start = this.#at;
    if (this.#eat(".")) return { kind: "any" };
    if (this.#eat("^")) return { kind: "assert", assertion: "start" };
    if (this.#eat("$")) return { kind: "assert", assertion: "end" };
    if (this.#eat("[")) return this.#class();
    if (this.#eat("(")) return this.#group(start);
    if (this.#eat("\\")) return this.#escape(start);
    if (this.#take(/[*+?]|\{\d+,?\d*\}/y))
      throw this.#error("nothing to repeat before this; write a backslash before it", start);
    return { kind: "char", code: this.#code() };
  }

  #code(): number {
    const code = this.#pattern.codePointAt(this.#at);
    if (code === undefined) throw this.#error("it ends too early");
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  #group(start: number): PatternNode {
    const close = (body: PatternNode): PatternNode => {
      if (!this.#eat(")")) throw this.#error("this ( is never closed; write \\(", start);
      return body;
    };
    for (const [sign, ahead, negated] of [
      ["?=", true, false],
      ["?!", true, true],
      ["?<=", false, false],
      ["?<!", false, true],
    ] as const) {
      if (this.#eat(sign)) return { kind: "look", ahead, negated, body: close(this.#alternatives()) };
    }
    if (this.#eat("?:")) return { kind: "group", capture: false, body: close(this.#alternatives()) };
    const reference = this.#take(/\?P=([A-Za-z_]\w*)/y)?.[1];
    if (reference !== undefined) return close(this.#reference(reference, start));
    const name = this.#take(/\?P?<([A-Za-z_]\w*)>/y)?.[1];
    if (name === undefined && this.#eat("?"))
      throw this.#error(
        "this kind of group is not supported; (?:…), (?<name>…), (?=…), (?!…), (?<=…), (?<!…) are, and (?i) in front of all",
        start,
      );
    this.#groups += 1;
    if (name === undefined) return { kind: "group", capture: true, body: close(this.#alternatives()) };
    if (this.#names.has(name)) throw this.#error(`there are two groups named ${name}`, start);
    this.#names.add(name);
    return { kind: "group", capture: true, name, body: close(this.#alternatives()) };
  }

  #reference(to: number | string, at: number): PatternNode {
    this.#references.push({ to, at });
    return { kind: "reference", to };
  }

  #escape(start: number): PatternNode {
    if (this.#eat("b")) return { kind: "assert", assertion: "word" };
    if (this.#eat("B")) return { kind: "assert", assertion: "notWord" };
    const number = this.#take(/[1-9]\d?/y);
    if (number) return this.#reference(Number(number[0]), start);
    const name = this.#take(/k[<{]([A-Za-z_]\w*)[>}]/y)?.[1];
    if (name !== undefined) return this.#reference(name, start);
    const item = this.#escapedItem(start);
    return item.kind === "range"
      ? { kind: "char", code: item.from }
      : { kind: "class", negated: false, items: [item] };
  }

  /** After the backslash, in a class or outside. */
  #escapedItem(start: number): ClassItem {
    const one = (code: number): ClassItem => {
      if (code === 10) throw this.#error("a match lies within one line", start);
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        throw this.#error("this is no character", start);
      return { kind: "range", from: code, to: code };
    };
    const set = this.#take(/[dDwWsS]/y)?.[0];
    if (set !== undefined) return { kind: "set", set: set as "d" };
    const property = this.#take(/([pP])(?:\{(\^?)([\w=]+)\}|([A-Z]))/y);
    if (property) {
      const name = property[3] ?? property[4] ?? "";
      if (regexFault(`\\p{${name}}`, "u"))
        throw this.#error(
          `there is no Unicode property ${name}; \\p{L}, \\p{Lu}, \\p{Script=Greek} are`,
          start,
        );
      return { kind: "property", negated: (property[1] === "P") !== (property[2] === "^"), name };
    }
    const code = this.#take(/x([0-9A-Fa-f]{2})|[xu]\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})/y);
    if (code) return one(parseInt(code[1] ?? code[2] ?? code[3] ?? "", 16));
    const control = this.#take(/c([A-Za-z])/y)?.[1];
    if (control !== undefined) return one(control.charCodeAt(0) % 32);
    const next = this.#pattern[this.#at];
    if (next === undefined) throw this.#error("a backslash at the end; write \\\\", start);
    const simple = CONTROL[next];
    if (simple !== undefined) {
      this.#at += 1;
      return one(simple);
    }
    const instead = ELSEWHERE[next];
    if (instead !== undefined) throw this.#error(`\\${next} is not supported; ${instead}`, start);
    if (/[A-Za-z0-9]/.test(next)) throw this.#error(`\\${next} is not supported`, start);
    return one(this.#code());
  }

  #class(): PatternNode {
    const start = this.#at - 1;
    const negated = this.#eat("^");
    const items: ClassItem[] = [];
    if (this.#pattern[this.#at] === "]")
      throw this.#error("an empty class; write [\\]] for the bracket", start);
    while (!this.#eat("]")) {
      if (this.#at >= this.#pattern.length) throw this.#error("this [ is never closed; write \\[", start);
      const posix = this.#take(/\[:([a-z]+):\]/y)?.[1];
      if (posix !== undefined) {
        const members = POSIX[posix];
        if (members === undefined) throw this.#error(`there is no class [:${posix}:]`, start);
        for (const range of members.match(/.-.|./gs) ?? [])
          items.push({ kind: "range", from: range.charCodeAt(0), to: range.charCodeAt(range.length - 1) });
        continue;
      }
      const item = this.#classItem();
      if (item.kind === "range" && this.#take(/-(?!\])/y)) {
        const end = this.#classItem();
        if (end.kind !== "range") items.push(item, { kind: "range", from: 45, to: 45 }, end);
        else if (end.to < item.from) throw this.#error("a range that runs backwards", start);
        else items.push({ kind: "range", from: item.from, to: end.to });
      } else items.push(item);
    }
    return { kind: "class", negated, items };
  }

  #classItem(): ClassItem {
    const start = this.#at;
    if (this.#eat("\\")) {
      if (this.#eat("b")) return { kind: "range", from: 8, to: 8 };
      return this.#escapedItem(start);
    }
    const code = this.#code();
    return { kind: "range", from: code, to: code };
  }
}
