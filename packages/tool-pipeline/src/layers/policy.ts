import type { Layer } from "../call.js";
import { withoutResult } from "../outcomes.js";
import { covers } from "../rights/rights.js";

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
    const missing = call.declaration.effects.filter((effect) => !covers(call.rights, effect));
    if (missing.length === 0) return next(call);
    const refusal = withoutResult(
      call,
      `${call.toolName} was refused: it may have the effect${missing.length > 1 ? "s" : ""} ${missing.join(", ")}, which ` +
        `${call.role === undefined ? "you do" : `the role ${call.role} does`} not have here. Calling it again will not ` +
        "help. Go on without it, and say in your answer what is left to do.",
      "denied",
    );
    return Promise.resolve(refusal);
  },
});
