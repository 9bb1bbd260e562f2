/** What a store found wrong and went on without. */
export type StoreWarning = {
  kind: "corrupt";
  /** What could not be read. */
  file: string;
  /** Where it is kept now, byte for byte. */
  setAsideAs: string;
  reason: string;
};
