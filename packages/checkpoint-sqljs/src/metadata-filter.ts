/**
 * Whether the metadata has every value of the filter, compared as JSON values: 1 is not "1", the order of keys does not
 * matter, and an absent key equals `undefined` only.
 */
export const matchesFilter = (
  metadata: Readonly<Record<string, unknown>>,
  filter: Readonly<Record<string, unknown>>,
): boolean =>
  Object.entries(filter).every(
    ([key, wanted]) =>
      canonical(Object.hasOwn(metadata, key) ? metadata[key] : undefined) === canonical(wanted),
  );

/** JSON with the keys of each object in one order. */
const canonical = (value: unknown): string | undefined =>
  JSON.stringify(value, (_key, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
