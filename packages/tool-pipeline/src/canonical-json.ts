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
  const text = Array.isArray(value)
    ? writeArray(value, above)
    : writeObject(value as Record<string, unknown>, above);
  above.pop();
  return text;
};

// Plain loops: this runs for every call, several times over.
const writeArray = (values: readonly unknown[], above: unknown[]): string => {
  let text = "";
  for (const value of values) text += `${text === "" ? "" : ","}${write(value, above) ?? "null"}`;
  return `[${text}]`;
};

const writeObject = (fields: Record<string, unknown>, above: unknown[]): string => {
  let text = "";
  for (const key of Object.keys(fields).sort()) {
    const value = write(fields[key], above);
    if (value !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${value}`;
  }
  return `{${text}}`;
};
