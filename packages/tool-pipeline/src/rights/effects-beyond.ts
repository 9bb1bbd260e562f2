import type { Effect, ToolDeclaration } from "../effects.js";
import { covers, type Rights } from "./rights.js";

const missing = (rights: Rights, effects: readonly Effect[]): Effect[] =>
  effects.filter((effect) => !covers(rights, effect));

/**
 * The effects for which a tool is of no use at all to somebody with these rights; `[]` when some of its calls at least are
 * theirs to make. For those who decide which tools an agent gets, or is shown.
 *
 * @example
 * ```ts
 * import { createRights, effectsBeyond } from "@fiveseam/tool-pipeline";
 *
 * const reader = createRights({ effects: ["fs.read"], read: "all", write: "none" });
 * effectsBeyond(reader, { effects: ["fs.read", "exec"] }); // ["exec"]
 * ```
 */
export const effectsBeyond = (rights: Rights, { effects, lesser }: ToolDeclaration): Effect[] => {
  const beyond = missing(rights, effects);
  return beyond.length > 0 && lesser && missing(rights, lesser.effects).length === 0 ? [] : beyond;
};

/** The effects that one call may have and the rights do not cover. A promise only where the tool has to be asked. */
export const effectsBeyondOfCall = (
  rights: Rights,
  declaration: ToolDeclaration,
  args: Readonly<Record<string, unknown>>,
): Effect[] | Promise<Effect[]> => {
  const beyond = missing(rights, declaration.effects);
  const { lesser } = declaration;
  if (beyond.length === 0 || !lesser || effectsBeyond(rights, declaration).length > 0) return beyond;
  return (async () => {
    try {
      return (await lesser.when(args)) === true ? [] : beyond;
    } catch {
      return beyond;
    }
  })();
};
