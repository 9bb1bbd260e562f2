import type { ProjectFiles } from "./project.js";

/** A project with a fault, of which the policy knows nothing. */
export interface Variant {
  readonly name: string;
  readonly files: ProjectFiles;
}

/** Replaces the one occurrence of a text; two would make the variant something else than it says. */
export const replaceOnce = (text: string, before: string, after: string): string => {
  if (text.split(before).length !== 2) throw new Error(`"${before}" does not occur exactly once`);
  return text.replace(before, () => after);
};
