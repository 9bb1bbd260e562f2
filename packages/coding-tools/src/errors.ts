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

/**
 * The files were not changed. `code` is the word of the backend, such as `not_found`, `ambiguous`, `stale`, `conflict`, `denied`
 * or `binary`.
 */
export class FileChangeError extends Error {
  override readonly name = "FileChangeError";
  readonly code: string;
  /** Which of the changes was refused, counted from 1; undefined when it was none in particular. */
  readonly change: number | undefined;

  constructor(code: string, message: string, change?: number) {
    super(message);
    this.code = code;
    this.change = change;
  }
}
