import type { StoreWarning } from "@fiveseam/host";

/** What a store went on without, in lines for the model. */
export const warningLines = (warnings: readonly StoreWarning[]): string[] =>
  warnings.map(
    ({ file, setAsideAs, reason }) =>
      `[${file} could not be read (${reason}) and was set aside as ${setAsideAs}; tell the user]`,
  );
