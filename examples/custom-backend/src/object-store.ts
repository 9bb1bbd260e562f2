/** What an S3-like service offers: whole objects under keys, changed only when their version is the one that was read. */
export interface ObjectStore {
  get(key: string): Promise<StoredObject | undefined>;
  /** Refused, with false, unless the object still has this version; undefined: unless there is none. */
  put(key: string, bytes: Uint8Array, ifVersion: string | undefined): Promise<boolean>;
  remove(key: string): Promise<void>;
  /** Keys that begin with the prefix, in order. */
  list(prefix: string): Promise<string[]>;
}

export interface StoredObject {
  readonly bytes: Uint8Array;
  readonly version: string;
  readonly modified: Date;
}

/** A stand-in that lives in memory and answers later, as a network does. */
export const memoryObjectStore = (): ObjectStore => {
  const objects = new Map<string, StoredObject>();
  let versions = 0;
  const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    async get(key) {
      await later();
      return objects.get(key);
    },
    async put(key, bytes, ifVersion) {
      await later();
      if (objects.get(key)?.version !== ifVersion) return false;
      versions += 1;
      objects.set(key, { bytes: Uint8Array.from(bytes), version: `v${versions}`, modified: new Date() });
      return true;
    },
    async remove(key) {
      await later();
      objects.delete(key);
    },
    async list(prefix) {
      await later();
      return [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    },
  };
};
