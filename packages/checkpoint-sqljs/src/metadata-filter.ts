import { isDeepStrictEqual } from "node:util";

/**
 * Whether the metadata has every value of the filter, compared as JSON values: 1 is not "1", the order of keys does not
 * matter, and an absent key equals `undefined` only.
 */
export const matchesFilter = (
  metadata: Readonly<Record<string, unknown>>,
  filter: Readonly<Record<string, unknown>>,
): boolean =>
  Object.entries(filter).every(([key, wanted]) =>
    isDeepStrictEqual(asJson(Object.hasOwn(metadata, key) ? metadata[key] : undefined), asJson(wanted)),
  );

const asJson = (value: unknown): unknown => {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
};
