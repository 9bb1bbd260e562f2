import type { ToolMessage } from "@langchain/core/messages";
import type { Layer } from "../call.js";
import type { Effect, ToolDeclaration } from "../effects.js";
import { withoutResult, type CallSubject } from "../outcomes.js";
import { effectsBeyond, effectsBeyondOfCall } from "../rights/effects-beyond.js";
import { covers, type Rights } from "../rights/rights.js";

/** A call, what its tool says of itself, and what its caller may do. */
export interface RefusedSubject extends CallSubject {
  readonly args: Readonly<Record<string, unknown>>;
  readonly declaration: ToolDeclaration;
  readonly rights: Rights;
  readonly role?: string | undefined;
}

const wayOut = ({ rights, declaration }: RefusedSubject): string => {
  const { lesser } = declaration;
  if (!lesser || effectsBeyond(rights, declaration).length > 0)
    return "Calling it again will not help. Go on without it";
  const kept = lesser.effects.length === 0 ? "no effect" : `no effect but ${lesser.effects.join(", ")}`;
  return `You may only make calls of it that surely have ${kept}. Go on with those, or without it`;
};

/** The refusal of a call whose effects go beyond the caller's rights; undefined when they do not. */
export const refusalOf = async (call: RefusedSubject): Promise<ToolMessage | undefined> => {
  const beyond: readonly Effect[] = await effectsBeyondOfCall(call.rights, call.declaration, call.args);
  if (beyond.length === 0) return undefined;
  return withoutResult(
    call,
    `${call.toolName} was refused: it may have the effect${beyond.length > 1 ? "s" : ""} ${beyond.join(", ")}, which ` +
      `${call.role === undefined ? "you do" : `the role ${call.role} does`} not have here. ${wayOut(call)}, and say in ` +
      "your answer what is left to do.",
    "denied",
  );
};

/**
 * The layer that refuses a call whose tool has an effect that the caller's rights do not have. Which paths may be touched is
 * the backend's matter, which alone sees them in canonical form; here `fs.write` is refused only to those who may write
 * nowhere.
 */
export const policy = (): Layer => ({
  name: "policy",
  handle(call, next) {
    const { toolExists, declaration, rights } = call;
    // A tool that does not exist has every effect; the model is to hear that it does not exist.
    if (!toolExists || declaration.effects.every((effect) => covers(rights, effect))) return next(call);
    return refusalOf(call).then((refusal) => refusal ?? next(call));
  },
});
