/**
 * Globs as ripgrep reads those of .gitignore, over bytes: a path is matched as the Latin-1 reading of its UTF-8, so that
 * `?` is one byte, as it is to git and to ripgrep. Returns undefined for a glob that ripgrep refuses (it then skips the
 * line).
 */
export const compileGlob = (glob: string): RegExp | undefined => {
  const source = translate(bytesOf(glob));
  if (source === undefined) return undefined;
  try {
    return new RegExp(`^${source}$`, "s");
  } catch (error) {
    // More than the engine can hold: as good as no glob, and the same for both engines.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** A string whose characters are the bytes of the UTF-8 of `text`. */
export const bytesOf = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

const escape = (char: string): string => (/[A-Za-z0-9_/]/.test(char) ? char : hex(char.charCodeAt(0)));
const hex = (code: number): string => `\\x${code.toString(16).padStart(2, "0")}`;

const translate = (glob: string): string | undefined => {
  let out = "";
  let at = 0;
  let depth = 0;
  while (at < glob.length) {
    const char = glob[at] as string;
    at += 1;
    if (char === "\\") {
      // A backslash at the very end is an error to globset.
      if (at === glob.length) return undefined;
      out += escape(glob[at] as string);
      at += 1;
    } else if (char === "?") out += "[^/]";
    else if (char === "*") {
      let stars = 1;
      while (glob[at] === "*") {
        at += 1;
        stars += 1;
      }
      const before = glob[at - stars - 1];
      const after = glob[at];
      const starts = before === undefined || before === "/";
      if (stars !== 2 || !starts || (after !== undefined && after !== "/")) out += "[^/]*";
      else if (after === undefined) out += before === undefined ? ".*" : ".+";
      else {
        out += "(?:.*/)?";
        at += 1;
      }
    } else if (char === "[") {
      const found = translateClass(glob, at);
      if (!found) return undefined;
      out += found.source;
      at = found.end;
    } else if (char === "{") {
      depth += 1;
      out += "(?:";
    } else if (char === "}") {
      if (depth === 0) return undefined;
      depth -= 1;
      out += ")";
    } else if (char === "," && depth > 0) out += "|";
    else out += escape(char);
  }
  return depth === 0 ? out : undefined;
};

const translateClass = (glob: string, start: number): { source: string; end: number } | undefined => {
  let at = start;
  const negated = glob[at] === "!" || glob[at] === "^";
  if (negated) at += 1;
  const items: { from: number; to: number }[] = [];
  let first = true;
  let inRange = false;
  for (;;) {
    const char = glob[at];
    // Not closed.
    if (char === undefined) return undefined;
    at += 1;
    const code = char.charCodeAt(0);
    const last = items[items.length - 1];
    if (char === "]" && !first) break;
    if (char === "-" && !first && !inRange && last) inRange = true;
    else if (inRange && last) {
      if (last.from > code) return undefined;
      last.to = code;
      inRange = false;
    } else items.push({ from: code, to: code });
    first = false;
  }
  // A dash before the bracket is itself.
  if (inRange) items.push({ from: 45, to: 45 });
  const inside = items.map(({ from, to }) => `${hex(from)}-${hex(to)}`).join("");
  return { source: `[${negated ? "^" : ""}${inside}]`, end: at };
};
