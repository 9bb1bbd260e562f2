/** A value as JSON keeps it: what JSON cannot say is gone, also on the side that was never written. */
export const plain = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value) ?? "null") as unknown);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** JSON with its keys in order, so that two equal values have one text. For values that came through `plain`. */
export const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  return `{${Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    .join(",")}}`;
};

/** A copy with every string replaced. */
export const mapStrings = (value: unknown, change: (text: string, key?: string) => string): unknown => {
  const visit = (each: unknown, key?: string): unknown => {
    if (typeof each === "string") return change(each, key);
    if (Array.isArray(each)) return each.map((item) => visit(item, key));
    if (!isRecord(each)) return each;
    return Object.fromEntries(Object.entries(each).map(([name, item]) => [name, visit(item, name)]));
  };
  return visit(value);
};
