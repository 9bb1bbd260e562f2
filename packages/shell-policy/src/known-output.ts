import type { Input } from "./call.js";
import { isKnown, unmarkGlobs } from "./field.js";

/** What a command prints, for the few of which it is known beforehand. */
export const printed = (fields: readonly string[], stdin: Input): string | undefined => {
  const [name, ...args] = fields;
  if (name === "echo") {
    const plain = args[0] === "-n" ? args.slice(1) : args;
    if (plain[0] !== undefined && /^-[neE]+$/.test(plain[0])) return undefined;
    const text = plain.map(unmarkGlobs).join(" ");
    return isKnown(text) ? `${text}\n` : undefined;
  }
  if (name === "printf") {
    const [format = "", ...values] = args.map(unmarkGlobs);
    if (!isKnown(format) || format.includes("\\") || values.length > 1) return undefined;
    if (!format.includes("%")) return format;
    const [value = ""] = values;
    return /^[^%]*%s[^%]*$/.test(format) && isKnown(value) ? format.replace("%s", () => value) : undefined;
  }
  if (name === "cat" && args.length === 0 && typeof stdin === "object")
    return isKnown(stdin.text) ? stdin.text : undefined;
  return name === ":" || name === "true" || name === "cd" ? "" : undefined;
};
