/** A JSON object of unknown shape. */
export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const asArray = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [];

export const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/** The value at a dotted path, or undefined. */
export const at = (value: Json, path: string): unknown =>
  path.split(".").reduce<unknown>((inside, key) => (isObject(inside) ? inside[key] : undefined), value);
