/**
 * JSON in which equal values are equal texts: keys in order of their code units, no white space, `undefined` left out as
 * `JSON.stringify` does it. Throws a TypeError for what JSON cannot hold (a circle, a BigInt), as that does.
 *
 * @example
 * ```ts
 * import { canonicalJson } from "@fiveseam/tool-pipeline";
 *
 * canonicalJson({ b: 1, a: [undefined, 2] }); // '{"a":[null,2],"b":1}'
 * ```
 */
export const canonicalJson = (value: unknown): string => write(value, []) ?? "null";

const texts = new WeakMap<object, string>();

/** As `canonicalJson`, written once for each object: several layers ask for the arguments of one call, which nobody changes. */
export const canonicalArgs = (args: object): string => {
  let text = texts.get(args);
  if (text === undefined) {
    text = canonicalJson(args);
    texts.set(args, text);
  }
  return text;
};

const write = (given: unknown, above: unknown[]): string | undefined => {
  if (typeof given === "string") return JSON.stringify(given);
  const value =
    typeof given === "object" &&
    given !== null &&
    typeof (given as { toJSON?: unknown }).toJSON === "function"
      ? (given as { toJSON(): unknown }).toJSON()
      : given;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) as string | undefined;
  if (above.includes(value)) throw new TypeError("A value that contains itself has no JSON form.");
  above.push(value);
  try {
    if (Array.isArray(value)) return `[${value.map((each) => write(each, above) ?? "null").join(",")}]`;
    const fields = Object.keys(value)
      .sort()
      .flatMap((key) => {
        const text = write((value as Record<string, unknown>)[key], above);
        return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
      });
    return `{${fields.join(",")}}`;
  } finally {
    above.pop();
  }
};
