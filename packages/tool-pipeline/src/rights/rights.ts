import { EFFECTS, type Effect } from "../effects.js";
import { PipelineError } from "../errors.js";
import { canonicalPath } from "./globs.js";
import {
  coversPath,
  isNoPaths,
  meetPaths,
  pathRules,
  type PathRules,
  type PathRulesInput,
} from "./path-rules.js";

/**
 * What somebody may do: effects, and the paths that `fs.read` and `fs.write` reach. Make them with `createRights` and
 * `intersect`, which keep them in canonical form: `fs.read` is there exactly when some path may be read (`fs.write` in
 * the same way), effects are in the order of `EFFECTS`, and rights put together from the same rules are deeply equal.
 */
export interface Rights {
  readonly effects: readonly Effect[];
  readonly read: PathRules;
  readonly write: PathRules;
}

export interface RightsInput {
  /** `"all"` or a list. */
  readonly effects: "all" | readonly Effect[];
  /** Paths that `fs.read` reaches; nothing without that effect. */
  readonly read: PathRulesInput;
  /** Paths that `fs.write` reaches; nothing without that effect. */
  readonly write: PathRulesInput;
}

/** What may be asked of rights: an effect, or reading or writing one path. */
export type Access = Effect | { readonly read: string } | { readonly write: string };

const make = (effects: ReadonlySet<Effect>, read: PathRules, write: PathRules): Rights => {
  const nothing = pathRules("none");
  const ownRead = effects.has("fs.read") ? read : nothing;
  const ownWrite = effects.has("fs.write") ? write : nothing;
  const kept = EFFECTS.filter(
    (effect) =>
      effects.has(effect) &&
      !(effect === "fs.read" && isNoPaths(ownRead)) &&
      !(effect === "fs.write" && isNoPaths(ownWrite)),
  );
  return Object.freeze({ effects: Object.freeze(kept), read: ownRead, write: ownWrite });
};

/**
 * Rights, all three parts stated: nothing is allowed by being left out.
 *
 * @throws {PipelineError} `invalid_rights` for an effect or a glob that is none.
 *
 * @example
 * ```ts
 * import { covers, createRights } from "@fiveseam/tool-pipeline";
 *
 * const writer = createRights({ effects: ["fs.read", "fs.write"], read: "all", write: ["/docs/**"] });
 * covers(writer, { write: "/docs/adr/1.md" }); // true
 * covers(writer, { write: "/docs/../src/index.ts" }); // false
 * covers(writer, "exec"); // false
 * ```
 */
export const createRights = (input: RightsInput): Rights => {
  for (const part of ["effects", "read", "write"] as const) {
    if (input[part] === undefined || input[part] === null)
      throw new PipelineError(
        "invalid_rights",
        `\`${part}\` is missing: all of effects, read and write are stated.`,
      );
  }
  const effects = input.effects === "all" ? EFFECTS : input.effects;
  const unknown = effects.filter((effect) => !EFFECTS.includes(effect));
  if (unknown.length > 0) {
    throw new PipelineError(
      "invalid_rights",
      `Unknown effect(s) ${unknown.join(", ")}; the effects are ${EFFECTS.join(", ")}.`,
    );
  }
  return make(new Set(effects), pathRules(input.read), pathRules(input.write));
};

/** Everything: the identity of `intersect`. */
export const ALL_RIGHTS: Rights = createRights({ effects: "all", read: "all", write: "all" });

/** Nothing: what `intersect` never gets out of. */
export const NO_RIGHTS: Rights = createRights({ effects: [], read: "none", write: "none" });

/**
 * What both allow: the greatest rights that neither exceeds. Idempotent, commutative and associative, so the order in
 * which a parent's, a role's and a mode's rights are put together does not matter.
 */
export const intersect = (a: Rights, b: Rights): Rights =>
  make(
    new Set(a.effects.filter((effect) => b.effects.includes(effect))),
    meetPaths(a.read, b.read),
    meetPaths(a.write, b.write),
  );

/** True when the rights allow it. A path is brought into canonical form first; what names no path is not covered. */
export const covers = (rights: Rights, access: Access): boolean => {
  if (typeof access === "string") return rights.effects.includes(access);
  const path = canonicalPath("read" in access ? access.read : access.write);
  return path !== undefined && coversPath("read" in access ? rights.read : rights.write, path);
};
