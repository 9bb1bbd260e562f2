import { AstEditError } from "./errors.js";
import { lineOf, type SyntaxSymbol } from "./symbol.js";

const MAX_SHOWN = 12;

/** `(*Parser).parse` of Go and `Parser::parse` are `Parser.parse`. */
const namesOf = (wanted: string): string[] =>
  wanted
    .trim()
    .replaceAll(/[()*]/g, "")
    .split(/\.|::/)
    .filter((name) => name !== "");

const nameOf = ({ path }: SyntaxSymbol): string => path.join(".");

const shown = (symbols: readonly SyntaxSymbol[]): string => {
  const listed = symbols
    .slice(0, MAX_SHOWN)
    .map((each) => `${nameOf(each)} (line ${lineOf(each.name ?? each.node)})`);
  return [...listed, ...(symbols.length > MAX_SHOWN ? [`${symbols.length - MAX_SHOWN} more`] : [])].join(
    ", ",
  );
};

/** Letters that have to be changed, put in or left out to come from one name to the other. */
const difference = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j += 1) {
      const change = (row[j] as number) + (letter === other[j] ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row.at(-1) as number;
};

const near = (symbols: readonly SyntaxSymbol[], last: string): SyntaxSymbol[] => {
  const wanted = last.toLowerCase();
  return symbols
    .map((symbol) => {
      const name = (symbol.path.at(-1) ?? "").toLowerCase();
      const holds = name.includes(wanted) || wanted.includes(name);
      return { symbol, far: holds ? 1 : difference(name.slice(0, 60), wanted.slice(0, 60)) };
    })
    .filter(({ far }) => far <= Math.max(1, wanted.length / 3))
    .sort((one, other) => one.far - other.far)
    .slice(0, MAX_SHOWN)
    .map(({ symbol }) => symbol);
};

const onLine = (symbols: readonly SyntaxSymbol[], line: number): SyntaxSymbol[] => {
  const named = symbols.filter(({ name, node }) => lineOf(name ?? node) === line);
  if (named.length > 0) return named;
  const around = symbols.filter(({ node }) => lineOf(node) <= line && node.endPosition.row + 1 >= line);
  const smallest = Math.min(...around.map(({ node }) => node.endIndex - node.startIndex));
  return around.filter(({ node }) => node.endIndex - node.startIndex === smallest);
};

/**
 * The one symbol of that name: by its whole path, else by the end of it.
 *
 * @param line of several the one that is named there, or else holds that line.
 * @throws {AstEditError} `symbol_not_found` with near names, `ambiguous_symbol` with the lines of all.
 */
export const findSymbol = (
  symbols: readonly SyntaxSymbol[],
  wanted: string,
  line: number | undefined,
): SyntaxSymbol => {
  const names = namesOf(wanted);
  const key = names.join(".");
  // A property's name may have dots in it.
  const asWritten = symbols.filter((symbol) => nameOf(symbol) === wanted.trim());
  const whole = asWritten.length > 0 ? asWritten : symbols.filter((symbol) => nameOf(symbol) === key);
  const all = whole.length > 0 ? whole : symbols.filter((symbol) => nameOf(symbol).endsWith(`.${key}`));
  const found = line === undefined || all.length < 2 ? all : onLine(all, line);
  const [only] = found;
  if (only && found.length === 1) return only;
  if (all.length > 1) {
    throw new AstEditError(
      "ambiguous_symbol",
      `"${wanted}" is there ${all.length} times: ${shown(all)}. Give its whole path, or \`line\`.`,
    );
  }
  const close = near(symbols, names.at(-1) ?? "");
  const hint =
    symbols.length === 0
      ? "No symbols were found in it."
      : close.length > 0
        ? `Near are ${shown(close)}.`
        : `There are ${shown(symbols.filter(({ path }) => path.length === 1))}.`;
  throw new AstEditError("symbol_not_found", `There is no symbol "${wanted}". ${hint}`);
};
