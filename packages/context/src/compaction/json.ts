/** A value as JSON. Total: what JSON has no form for (cycles, bigints, a `toJSON` that throws) is named instead. */
export const jsonOf = (value: unknown): string => {
  const above: unknown[] = [];
  try {
    return (
      JSON.stringify(value, function (this: unknown, _key, each: unknown) {
        if (typeof each === "bigint") return String(each);
        if (typeof each !== "object" || each === null) return each;
        while (above.length > 0 && above.at(-1) !== this) above.pop();
        if (above.includes(each)) return "[circular]";
        above.push(each);
        return each;
      }) ?? "null"
    );
  } catch {
    return "[not to be written as JSON]";
  }
};
