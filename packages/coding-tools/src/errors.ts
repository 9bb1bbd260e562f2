/** A call that cannot be carried out as it was asked, in words for the model. */
export class ToolInputError extends Error {
  override readonly name = "ToolInputError";
  readonly code = "invalid_arguments";
}

/** The caller's rights do not cover what the call would show. */
export class ToolDeniedError extends Error {
  override readonly name = "ToolDeniedError";
  readonly code = "denied";
}

/** The value of an argument that only this action needs. */
export const needed = <T>(value: T | undefined, argument: string, action: string): T => {
  if (value === undefined) throw new ToolInputError(`action "${action}" needs \`${argument}\`.`);
  return value;
};
