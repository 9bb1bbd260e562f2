const MAX_FIELDS = 500;

interface Piece {
  readonly text: string;
  readonly quoted: boolean;
}

/** Text in which a quoted character is no syntax: as characters, each with whether it was quoted. */
export type Pieces = readonly Piece[];

interface Char {
  readonly char: string;
  readonly quoted: boolean;
}

const charsOf = (pieces: Pieces): Char[] =>
  pieces.flatMap(({ text, quoted }) => [...text].map((char) => ({ char, quoted })));

const piecesOf = (chars: readonly Char[]): Piece[] => {
  const pieces: { text: string; quoted: boolean }[] = [];
  for (const { char, quoted } of chars) {
    const last = pieces.at(-1);
    if (last && last.quoted === quoted) last.text += char;
    else pieces.push({ text: char, quoted });
  }
  return pieces;
};

/** The first brace group with a comma or a range in it. */
const findGroup = (
  chars: readonly Char[],
): { start: number; end: number; alternatives: Char[][] } | undefined => {
  for (let start = 0; start < chars.length; start += 1) {
    if (chars[start]?.char !== "{" || chars[start]?.quoted) continue;
    let depth = 0;
    let from = start + 1;
    const alternatives: Char[][] = [];
    for (let at = start + 1; at < chars.length; at += 1) {
      const { char, quoted } = chars[at] as Char;
      if (quoted) continue;
      if (char === "{") depth += 1;
      else if (char === "}" && depth > 0) depth -= 1;
      else if (char === "," && depth === 0) {
        alternatives.push(chars.slice(from, at));
        from = at + 1;
      } else if (char === "}") {
        const last = chars.slice(from, at);
        if (alternatives.length > 0) return { start, end: at, alternatives: [...alternatives, last] };
        const range = rangeOf(last);
        if (range) return { start, end: at, alternatives: range };
        break;
      }
    }
  }
  return undefined;
};

const rangeOf = (chars: readonly Char[]): Char[][] | undefined => {
  const match = /^(-?\d+|[a-z])\.\.(-?\d+|[a-z])$/i.exec(chars.map(({ char }) => char).join(""));
  if (!match || chars.some(({ quoted }) => quoted)) return undefined;
  const [, first = "", last = ""] = match;
  const letters = /[a-z]/i.test(first);
  const [a, b] = letters ? [first.charCodeAt(0), last.charCodeAt(0)] : [Number(first), Number(last)];
  if (Math.abs(b - a) > MAX_FIELDS) return undefined;
  const step = a <= b ? 1 : -1;
  const values: string[] = [];
  for (let value = a; value !== b + step; value += step)
    values.push(letters ? String.fromCharCode(value) : String(value));
  return values.map((value) => [...value].map((char) => ({ char, quoted: false })));
};

/** Brace expansion; undefined when it makes more than is sensible. */
export const expandBraces = (pieces: Pieces): Pieces[] | undefined => {
  const done: Char[][] = [];
  const open: Char[][] = [charsOf(pieces)];
  while (open.length > 0) {
    const chars = open.shift() as Char[];
    const group = findGroup(chars);
    if (!group) {
      done.push(chars);
      continue;
    }
    const { start, end, alternatives } = group;
    open.unshift(
      ...alternatives.map((middle) => [...chars.slice(0, start), ...middle, ...chars.slice(end + 1)]),
    );
    if (open.length + done.length > MAX_FIELDS) return undefined;
  }
  return done.map(piecesOf);
};
