import { hasGlob, SPREAD, UNKNOWN } from "./field.js";

/** Without a value, with one, with one that may only be attached, or with the name of a file that it writes. */
type Kind = "flag" | "value" | "attached" | "output";

/** The arguments with which a program surely only reads. */
export interface Reading {
  readonly options: ReadonlyMap<string, Kind>;
  /** No option or operand of it writes or starts anything: arguments that are not known do no harm. */
  readonly free: boolean;
  /** Its options end where its operands begin. */
  readonly first: boolean;
  /** How many operands it reads; what follows is written. */
  readonly operands: number;
}

/**
 * Reads a line such as `-ab -k: -o> --key= --output> max1`: options without a value, with one (`:`, `=`), with one that is only
 * ever attached (`?`), with a file that is written (`>`). `-#` stands for all digits.
 */
export const readingOf = (line: string): Reading => {
  const options = new Map<string, Kind>();
  const words = line.split(/\s+/).filter(Boolean);
  for (const word of words) {
    const long = /^--([\w-]+)([=>]?)$/.exec(word);
    if (long)
      options.set(long[1] as string, ({ "=": "value", ">": "output" }[long[2] ?? ""] as Kind) ?? "flag");
    else if (word.startsWith("-")) {
      for (const [, letter = "", mark = ""] of word.slice(1).matchAll(/(.)([:>?]?)/g)) {
        const kind: Kind = ({ ":": "value", ">": "output", "?": "attached" } as const)[mark] ?? "flag";
        for (const each of letter === "#" ? "0123456789" : letter) options.set(each, kind);
      }
    }
  }
  const most = /(?:^|\s)max(\d)/.exec(line)?.[1];
  return {
    options,
    free: words.includes("free"),
    first: words.includes("first"),
    operands: most === undefined ? Number.POSITIVE_INFINITY : Number(most),
  };
};

/** What a program was found to do with its arguments. */
export interface Inspection {
  /** Every argument is one with which it only reads. */
  readonly surely: boolean;
  /** Files that it writes. */
  readonly writes: readonly string[];
}

/** Takes arguments apart as getopt does. What is not known to only read does not count as reading. */
export const inspect = (reading: Reading, args: readonly string[]): Inspection => {
  const { options, free, first } = reading;
  const writes: string[] = [];
  let [surely, ended, operands] = [true, false, 0];
  let at = 0;
  const put = (kind: Kind | undefined, name: string, attached: string | undefined): void => {
    if (kind === undefined) surely = false;
    const value = attached ?? (kind === "value" || kind === "output" ? args[(at += 1)] : undefined);
    const output = kind === "output" || (kind === undefined && isOutput(reading, name));
    if (!output) return;
    surely = false;
    const file = kind === undefined ? (attached ?? args[at + 1]) : value;
    if (file !== undefined) writes.push(file);
  };
  const letters = (text: string): void => {
    for (let letter = 0; letter < text.length; letter += 1) {
      const kind = options.get(text[letter] as string);
      const rest = text.slice(letter + 1);
      // A wrapper's value behind other letters: whoever looks for its command could look in the wrong place.
      if (first && letter > 0 && kind !== "flag") surely = false;
      put(kind, text[letter] as string, kind !== "flag" && rest !== "" ? rest : undefined);
      if (kind !== "flag") return;
    }
  };
  for (; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (!free && arg.includes(SPREAD)) surely = false;
    if (!ended && arg === "--") {
      if (first) break;
      ended = true;
    } else if (ended || arg === "-" || !arg.startsWith("-")) {
      if (first) break;
      operands += 1;
      // It could begin with a dash when it is known, or be several.
      if (!free && !ended && (arg.startsWith(UNKNOWN) || (hasGlob(arg) && startsWithGlob(arg))))
        surely = false;
      if (reading.operands !== Number.POSITIVE_INFINITY && hasGlob(arg)) surely = false;
      if (operands > reading.operands) {
        surely = false;
        writes.push(arg);
      }
    } else if (arg.startsWith("--")) {
      const equals = arg.indexOf("=");
      const name = equals < 0 ? arg.slice(2) : arg.slice(2, equals);
      put(
        name.length > 1 ? options.get(name) : undefined,
        name,
        equals < 0 ? undefined : arg.slice(equals + 1),
      );
    } else letters(arg.slice(1));
  }
  return { surely, writes };
};

const startsWithGlob = (arg: string): boolean => hasGlob(arg[0] ?? "");

/** getopt takes the beginning of a long option's name for all of it. */
const isOutput = ({ options }: Reading, name: string): boolean =>
  name.length > 0 &&
  [...options].some(([each, kind]) => kind === "output" && each.length > 1 && each.startsWith(name));

/** Parses a table of one program or several to a line: `sort: -rn -o>`. */
export const readingTable = (text: string): ReadonlyMap<string, Reading> =>
  new Map(
    text
      .trim()
      .split("\n")
      .flatMap((line) => {
        const colon = line.indexOf(":");
        const reading = readingOf(line.slice(colon + 1));
        return line
          .slice(0, colon)
          .trim()
          .split(/\s*,\s*/)
          .map((name): [string, Reading] => [name, reading]);
      }),
  );
