import type { CallOptions } from "./call-options.js";
import type { SourceRange } from "./language-port.js";

export interface OpenEditor {
  /** Relative to the host's root, with `/`; absolute for a file outside it. */
  readonly path: string;
  /** The editor's name of the language: "typescript". */
  readonly language: string;
  /** It holds changes that are not on disk. */
  readonly dirty: boolean;
  readonly active: boolean;
}

export interface ActiveEditor {
  readonly path: string;
  readonly language: string;
  readonly dirty: boolean;
  /** An empty range is the cursor. */
  readonly selection: SourceRange;
  /** Empty when nothing is selected. */
  readonly selectedText: string;
  /** The selected text was cut. */
  readonly truncated: boolean;
  readonly visible: SourceRange;
}

/** What the person has before their eyes. */
export interface EditorPort {
  /** `undefined` when no editor is open. */
  active(options?: CallOptions & { readonly maxSelectedBytes?: number }): Promise<ActiveEditor | undefined>;
  open(options?: CallOptions): Promise<readonly OpenEditor[]>;
}
