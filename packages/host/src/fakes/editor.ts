import type { ActiveEditor, EditorPort, OpenEditor } from "../editor-port.js";

export interface FakeEditorState {
  readonly active?: Omit<ActiveEditor, "truncated">;
  /** Other open editors; the active one is added. */
  readonly others?: readonly Omit<OpenEditor, "active">[];
}

/** An editor that shows what it is told to. */
export const createFakeEditor = (
  initial: FakeEditorState = {},
): EditorPort & { show(state: FakeEditorState): void } => {
  let state = initial;
  return {
    show: (next) => {
      state = next;
    },
    async active({ signal, maxSelectedBytes = 20_000 } = {}) {
      signal?.throwIfAborted();
      if (!state.active) return undefined;
      const { selectedText } = state.active;
      const truncated = Buffer.byteLength(selectedText) > maxSelectedBytes;
      // A decoder drops the character that the cut goes through.
      const text = truncated
        ? new TextDecoder().decode(Buffer.from(selectedText).subarray(0, maxSelectedBytes), { stream: true })
        : selectedText;
      return { ...state.active, selectedText: text, truncated };
    },
    async open({ signal } = {}) {
      signal?.throwIfAborted();
      const others = (state.others ?? []).map((each) => ({ ...each, active: false }));
      if (!state.active) return others;
      const { path, language, dirty } = state.active;
      return [{ path, language, dirty, active: true }, ...others];
    },
  };
};
