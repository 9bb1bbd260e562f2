/** Arguments taken apart: options, and what is no option. */
export interface Options {
  /** Letters of short options and names of long ones, without dashes. */
  readonly flags: ReadonlySet<string>;
  /** Values of options that were said to take one. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
}

/**
 * Takes arguments apart as getopt does.
 *
 * @param withValue options that take a value: letters, and names of long ones.
 */
export const optionsOf = (args: readonly string[], withValue: readonly string[] = []): Options => {
  const takes = new Set(withValue);
  const flags = new Set<string>();
  const values = new Map<string, string[]>();
  const operands: string[] = [];
  const put = (name: string, value: string): void =>
    void values.set(name, [...(values.get(name) ?? []), value]);
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (arg === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (arg.startsWith("--")) {
      const equals = arg.indexOf("=");
      const name = equals < 0 ? arg.slice(2) : arg.slice(2, equals);
      flags.add(name);
      if (equals >= 0) put(name, arg.slice(equals + 1));
      else if (takes.has(name) && at + 1 < args.length) put(name, args[(at += 1)] as string);
    } else if (arg.startsWith("-") && arg.length > 1) {
      for (let letter = 1; letter < arg.length; letter += 1) {
        const name = arg[letter] as string;
        flags.add(name);
        if (!takes.has(name)) continue;
        if (letter + 1 < arg.length) put(name, arg.slice(letter + 1));
        else if (at + 1 < args.length) put(name, args[(at += 1)] as string);
        break;
      }
    } else operands.push(arg);
  }
  return { flags, values, operands };
};

export const hasAny = ({ flags }: Options, ...names: readonly string[]): boolean =>
  names.some((name) => flags.has(name));

export const valuesOf = ({ values }: Options, ...names: readonly string[]): string[] =>
  names.flatMap((name) => values.get(name) ?? []);
