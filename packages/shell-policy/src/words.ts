import { expandBraces, type Pieces } from "./braces.js";
import { isKnown, markGlobs, PIPE, SPREAD, UNKNOWN } from "./field.js";
import type { Node } from "./parser.js";
import type { Scope, Value } from "./scope.js";

/** Looks into the commands of a substitution and gives what they print, where that is known. */
export type Substitute = (node: Node, scope: Scope) => string | undefined;

/** Looks at what an expansion evaluates. */
export type Evaluate = (node: Node, scope: Scope) => void;

interface Part {
  readonly text: string;
  readonly quoted: boolean;
  /** Unquoted results of expansions are split at white space. */
  readonly split?: boolean;
  /** `"$@"`: more than one field. */
  readonly fields?: readonly string[];
}

const ANSI: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

/** The text of `$'…'`. */
export const ansiText = (inner: string): string =>
  inner.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|([^]))/g,
    (whole, hex, u4, u8, octal, control, plain: string | undefined) => {
      const code = (hex ?? u4 ?? u8) as string | undefined;
      if (code !== undefined) {
        const point = Number.parseInt(code, 16);
        return point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole;
      }
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal as string, 8) & 0xff);
      if (control !== undefined) return String.fromCharCode((control as string).charCodeAt(0) & 0x1f);
      return plain === undefined ? whole : (ANSI[plain] ?? `\\${plain}`);
    },
  );

const join = (value: Value): string | undefined => (typeof value === "object" ? value.join(" ") : value);

/** Turns words into the fields that a command gets. */
export class Words {
  readonly #substitute: Substitute;
  readonly #evaluate: Evaluate;
  readonly #home: string;
  readonly #user: string;

  constructor(options: { substitute: Substitute; evaluate: Evaluate; home: string }) {
    this.#substitute = options.substitute;
    this.#evaluate = options.evaluate;
    this.#home = options.home;
    this.#user = options.home.slice(options.home.lastIndexOf("/") + 1);
  }

  /** All fields of a word. */
  fields(node: Node, scope: Scope): string[] {
    const parts = this.#parts(node, scope);
    const before = this.#splitFields(parts);
    return before.flatMap((pieces) => {
      const expanded = expandBraces(pieces);
      if (!expanded) return [UNKNOWN];
      return expanded.map((each) => this.#finish(each));
    });
  }

  /** The word as one text, as in an assignment or a redirect: not split, no globs. */
  text(node: Node, scope: Scope): string {
    const parts = this.#parts(node, scope);
    const pieces = parts.map(({ text, quoted, fields }) => ({
      text: fields ? fields.join(" ") : text,
      quoted,
    }));
    return this.#tilde(pieces)
      .map(({ text }) => text)
      .join("");
  }

  #finish(pieces: Pieces): string {
    return this.#tilde(pieces)
      .map(({ text, quoted }) => (quoted ? text : markGlobs(text).replaceAll(UNKNOWN, `${UNKNOWN}${SPREAD}`)))
      .join("");
  }

  #tilde(pieces: Pieces): Pieces {
    const [first, ...rest] = pieces;
    if (!first || first.quoted || !first.text.startsWith("~")) return pieces;
    const user = /^~([A-Za-z0-9_.-]*|\+|-)(?=\/|$)/.exec(first.text);
    if (
      !user ||
      (user[0].length === first.text.length && rest.some(({ text }) => text !== "" && !text.startsWith("/")))
    )
      return pieces;
    const name = user[1] ?? "";
    const home =
      name === "" || name === this.#user
        ? this.#home
        : name === "root"
          ? "/root"
          : name === "+" || name === "-"
            ? UNKNOWN
            : `/home/${name}`;
    return [{ text: home, quoted: true }, { text: first.text.slice(user[0].length), quoted: false }, ...rest];
  }

  /** Cuts at the white space of unquoted expansions. */
  #splitFields(parts: readonly Part[]): Pieces[] {
    const all: { text: string; quoted: boolean }[][] = [];
    let current: { text: string; quoted: boolean }[] | undefined;
    for (const part of parts) {
      if (part.fields) {
        for (const [at, field] of part.fields.entries()) {
          if (at > 0 && current) {
            all.push(current);
            current = undefined;
          }
          (current ??= []).push({ text: field, quoted: true });
        }
        continue;
      }
      if (!part.split) {
        (current ??= []).push({ text: part.text, quoted: part.quoted });
        continue;
      }
      const words = part.text.split(/[ \t\n]+/);
      for (const [at, word] of words.entries()) {
        if (at > 0 && current) {
          all.push(current);
          current = undefined;
        }
        if (word !== "") (current ??= []).push({ text: word, quoted: false });
      }
    }
    if (current) all.push(current);
    return all;
  }

  #parts(node: Node, scope: Scope): Part[] {
    const { type, text } = node;
    switch (type) {
      case "word":
      case "variable_name":
      case "special_variable_name":
      case "extglob_pattern":
      case "regex":
      case "test_operator":
      case "file_descriptor":
        return unescape(text);
      case "number":
      case "heredoc_start":
      case "heredoc_end":
        return [{ text, quoted: false }];
      case "raw_string":
        return [{ text: text.slice(1, -1), quoted: true }];
      case "ansi_c_string":
        return [{ text: ansiText(text.slice(2, -1)), quoted: true }];
      case "string":
      case "translated_string":
        return this.#string(node, scope);
      case "command_name":
      case "concatenation":
      case "arguments":
        return this.#children(node, scope);
      case "brace_expression":
        return [{ text, quoted: false }];
      case "simple_expansion":
      case "expansion":
        return this.#variable(node, scope, false);
      case "command_substitution": {
        const printed = this.#substitute(node, scope);
        return [{ text: printed?.replace(/\n+$/, "") ?? UNKNOWN, quoted: false, split: true }];
      }
      case "process_substitution":
        this.#substitute(node, scope);
        return [{ text: PIPE, quoted: true }];
      case "arithmetic_expansion":
        for (const child of node.descendantsOfType(["command_substitution"]))
          if (child) this.#substitute(child, scope);
        this.#evaluate(node, scope);
        return [{ text: UNKNOWN, quoted: true }];
      case "array":
        return [
          {
            text: "",
            quoted: true,
            fields: node.namedChildren.flatMap((child) => (child ? this.fields(child, scope) : [])),
          },
        ];
      default:
        return node.namedChildCount > 0 ? this.#children(node, scope) : [{ text: UNKNOWN, quoted: false }];
    }
  }

  /** Children with whatever text stands between them: the grammar leaves some characters of a word unnamed. */
  #children(node: Node, scope: Scope): Part[] {
    const parts: Part[] = [];
    let at = node.startIndex;
    for (const child of node.children) {
      if (!child) continue;
      if (child.startIndex > at)
        parts.push(...unescape(node.text.slice(at - node.startIndex, child.startIndex - node.startIndex)));
      if (child.isNamed) parts.push(...this.#parts(child, scope));
      else parts.push(...unescape(child.text));
      at = child.endIndex;
    }
    return parts;
  }

  #string(node: Node, scope: Scope): Part[] {
    const parts: Part[] = [{ text: "", quoted: true }];
    const inner = node.text.startsWith("$") ? 2 : 1;
    let at = node.startIndex + inner;
    const literal = (from: number, to: number): void => {
      if (to > from) {
        const text = node.text
          .slice(from - node.startIndex, to - node.startIndex)
          .replace(/\\([$`"\\\n])/g, (_, char: string) => (char === "\n" ? "" : char));
        parts.push({ text, quoted: true });
      }
    };
    for (const child of node.namedChildren) {
      if (!child || child.type === "string_content") continue;
      literal(at, child.startIndex);
      at = child.endIndex;
      if (child.type === "command_substitution") {
        const printed = this.#substitute(child, scope);
        parts.push({ text: printed?.replace(/\n+$/, "") ?? UNKNOWN, quoted: true });
      } else if (child.type === "simple_expansion" || child.type === "expansion")
        parts.push(...this.#variable(child, scope, true));
      else if (child.type === "string") parts.push(...this.#string(child, scope));
      else parts.push(...this.#parts(child, scope).map((part) => ({ ...part, quoted: true, split: false })));
    }
    literal(at, node.endIndex - 1);
    return parts;
  }

  /** The value of a variable as the scope knows it. */
  lookup(name: string, scope: Scope): Value {
    if (scope.variables.has(name)) return scope.variables.get(name);
    if (/^\d+$/.test(name)) return name === "0" ? "bash" : scope.parameters?.[Number(name) - 1];
    switch (name) {
      case "HOME":
        return this.#home;
      case "PWD":
        return scope.cwd;
      case "USER":
      case "LOGNAME":
        return this.#user;
      case "SHELL":
        return "/bin/bash";
      case "IFS":
        return " \t\n";
      case "@":
      case "*":
        return scope.parameters;
      default:
        return undefined;
    }
  }

  #variable(node: Node, scope: Scope, quoted: boolean): Part[] {
    const value = (text: string): Part[] => [{ text, quoted, split: !quoted }];
    const fieldsOf = (all: readonly string[] | undefined): Part[] => {
      if (!all) return value(UNKNOWN);
      if (quoted) return [{ text: "", quoted: true, fields: all }];
      return value(all.join(" "));
    };
    if (node.type === "simple_expansion") {
      const name = node.text.slice(1);
      const found = this.lookup(name, scope);
      if (name === "@" || (name === "*" && !quoted)) return fieldsOf(found as readonly string[] | undefined);
      return value(join(found) ?? UNKNOWN);
    }
    for (const child of node.descendantsOfType(["command_substitution"]))
      if (child) this.#substitute(child, scope);
    this.#evaluate(node, scope);
    const braces = /^\$\{([A-Za-z_][A-Za-z0-9_]*|\d+|[@*])(?:\[([^\]]*)\])?([^]*)\}$/.exec(node.text);
    if (!braces) return value(UNKNOWN);
    const [, name = "", index, rest = ""] = braces;
    const found = this.lookup(name, scope);
    if (index !== undefined && rest === "") {
      const all = typeof found === "string" ? [found] : found;
      if (index === "@" || index === "*") return fieldsOf(all);
      return value(/^\d+$/.test(index) ? (all?.[Number(index)] ?? UNKNOWN) : UNKNOWN);
    }
    if (rest === "")
      return name === "@"
        ? fieldsOf(found as readonly string[] | undefined)
        : value(typeof found === "object" ? (found[0] ?? "") : (found ?? UNKNOWN));
    const known = join(found);
    const fallback = /^(:?)([-=?])([^]*)$/.exec(rest);
    if (fallback) {
      const [, , operator, literal = ""] = fallback;
      if (known !== undefined && known !== "" && isKnown(known)) return value(known);
      if (operator === "?") return value(known ?? UNKNOWN);
      // Not set as far as is known: the value that the text itself names, unless it is no plain text.
      if (!/^[^$`"'\\]*$/.test(literal)) return value(UNKNOWN);
      const text = this.#tilde([{ text: literal, quoted: false }])
        .map((piece) => piece.text)
        .join("");
      if (operator === "=") scope.variables.set(name, text);
      return value(text);
    }
    return value(UNKNOWN);
  }
}

/** Unquoted text: a backslash takes the next character as it is. */
const unescape = (text: string): Part[] => {
  const parts: Part[] = [];
  let plain = "";
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] as string;
    if (char !== "\\" || at + 1 >= text.length) {
      plain += char;
      continue;
    }
    at += 1;
    if (text[at] === "\n") continue;
    if (plain !== "") parts.push({ text: plain, quoted: false });
    plain = "";
    parts.push({ text: text[at] as string, quoted: true });
  }
  if (plain !== "" || parts.length === 0) parts.push({ text: plain, quoted: false });
  return parts;
};
