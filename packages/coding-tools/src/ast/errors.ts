export type AstEditErrorCode =
  /** No grammar is known for the file's name. */
  | "unsupported_language"
  /** The WebAssembly of the runtime or of a grammar is not where it is looked for. */
  | "grammar_missing"
  | "symbol_not_found"
  | "ambiguous_symbol"
  /** The symbol does not parse, or would not after the edit. */
  | "syntax_error"
  /** The name to replace does not stand in the symbol. */
  | "name_not_found"
  /** The name means several things in the symbol, none of which holds the others. */
  | "ambiguous_name"
  /** The name stands in the symbol too often. */
  | "too_many_uses"
  /** The new name stands in the symbol already. */
  | "name_taken";

/** A symbol was not edited, in words for the model. Nothing was changed. */
export class AstEditError extends Error {
  override readonly name = "AstEditError";
  readonly code: AstEditErrorCode;

  constructor(code: AstEditErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
