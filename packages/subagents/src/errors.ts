import type { Effect } from "@fiveseam/tool-pipeline";

/** A role would hold a tool that can do more than the role may. Thrown where the role is put together. */
export class RightsError extends Error {
  override readonly name = "RightsError";
  readonly code = "rights_exceeded";
  readonly role: string;
  readonly tool: string;
  /** The tool's effects that the role's rights do not have. */
  readonly effects: readonly Effect[];

  constructor(role: string, tool: string, effects: readonly Effect[]) {
    super(
      `The role "${role}" would hold the tool "${tool}", which may have the effect${effects.length > 1 ? "s" : ""} ` +
        `${effects.join(", ")}; its policy does not allow that. Take the tool from the role, or widen its policy.`,
    );
    this.role = role;
    this.tool = tool;
    this.effects = effects;
  }
}

export type DelegationErrorCode = "depth" | "deadline" | "denied" | "off";

/** A delegation that did not take place or was cut short. In the pipeline it becomes the result of the call of `task`. */
export class DelegationError extends Error {
  override readonly name = "DelegationError";
  readonly code: DelegationErrorCode;
  /** The type of delegate that was asked for. */
  readonly delegate: string;

  constructor(code: DelegationErrorCode, delegate: string, message: string) {
    super(message);
    this.code = code;
    this.delegate = delegate;
  }
}
