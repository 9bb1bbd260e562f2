import type { ToolMessage } from "@langchain/core/messages";
import type { Layer } from "../call.js";
import type { Effect, ToolDeclaration } from "../effects.js";
import { withoutResult, type CallSubject } from "../outcomes.js";
import { covers, type Rights } from "../rights/rights.js";

/** The effects of a tool that the rights do not cover. */
export const missingEffects = (rights: Rights, { effects }: ToolDeclaration): Effect[] =>
  effects.filter((effect) => !covers(rights, effect));

export const refusedCall = (
  call: CallSubject,
  missing: readonly Effect[],
  role: string | undefined,
): ToolMessage =>
  withoutResult(
    call,
    `${call.toolName} was refused: it may have the effect${missing.length > 1 ? "s" : ""} ${missing.join(", ")}, which ` +
      `${role === undefined ? "you do" : `the role ${role} does`} not have here. Calling it again will not ` +
      "help. Go on without it, and say in your answer what is left to do.",
    "denied",
  );

/**
 * The layer that refuses a call whose tool has an effect that the caller's rights do not have. Which paths may be touched is
 * the backend's matter, which alone sees them in canonical form; here `fs.write` is refused only to those who may write
 * nowhere.
 */
export const policy = (): Layer => ({
  name: "policy",
  handle(call, next) {
    // A tool that does not exist has every effect; the model is to hear that it does not exist.
    if (!call.toolExists) return next(call);
    const missing = missingEffects(call.rights, call.declaration);
    if (missing.length === 0) return next(call);
    return Promise.resolve(refusedCall(call, missing, call.role));
  },
});
