import { PipelineError } from "./errors.js";

type OptionType = "string" | "number" | "boolean" | "function" | "object" | "array" | "false";

/** What each option may be; all of them are named, so that a new one is not forgotten here. */
export type OptionTypes<Options> = Readonly<Record<keyof Options, readonly OptionType[]>>;

const SHOWN: Readonly<Record<OptionType, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  function: "a function",
  object: "an object",
  array: "an array",
  false: "`false`",
};

const isOf = (value: unknown, type: OptionType): boolean => {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "false":
      return value === false;
    case "number":
      return typeof value === "number" && !Number.isNaN(value);
    default:
      return typeof value === type;
  }
};

/** How many letters are to be put in, left out or replaced. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [above, letter] of [...one].entries()) {
    const next = [above + 1];
    for (const [at, against] of [...other].entries()) {
      const replaced = (row[at] as number) + (letter === against ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] as number) + 1, (next[at] as number) + 1));
    }
    row = next;
  }
  return row[other.length] as number;
};

const nearest = (name: string, known: readonly string[]): string | undefined => {
  const far = (other: string): number => distance(name.toLowerCase(), other.toLowerCase());
  const [best] = [...known].sort((one, other) => far(one) - far(other));
  return best !== undefined && far(best) <= Math.max(2, name.length / 3) ? best : undefined;
};

/**
 * Refuses an option that there is not, or that is of another type: what is misspelled would else be left out without a word.
 *
 * @throws {PipelineError} `invalid_option`
 */
export const checkOptions = <Options extends object>(
  who: string,
  options: Options,
  types: OptionTypes<Options>,
): void => {
  const refuse = (message: string): never => {
    throw new PipelineError("invalid_option", message);
  };
  if (!isOf(options, "object")) refuse(`The options of ${who} must be an object.`);
  const known = Object.keys(types);
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (!Object.hasOwn(types, name)) {
      const meant = nearest(name, known);
      refuse(
        `${who} has no option \`${name}\`; ` +
          (meant === undefined ? `there are ${known.join(", ")}.` : `\`${meant}\` may be meant.`),
      );
    }
    const allowed = types[name as keyof Options];
    if (value !== undefined && !allowed.some((type) => isOf(value, type)))
      refuse(`\`${name}\` of ${who} must be ${allowed.map((type) => SHOWN[type]).join(" or ")}.`);
  }
};
