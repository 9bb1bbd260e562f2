import type { CallOptions } from "./call-options.js";

/** What is done to the element that the latest snapshot calls `id`, for instance "e12". */
export type BrowserAction =
  | { kind: "click"; id: string }
  | { kind: "hover"; id: string }
  | { kind: "fill"; id: string; text: string }
  | { kind: "type"; id: string; text: string }
  | { kind: "press"; key: string; id?: string }
  | { kind: "select"; id: string; values: readonly string[] }
  | { kind: "navigate"; url: string };

/** A script against the page, or a batch of actions: one of the two, never both. */
export type BrowserTask =
  { kind: "code"; code: string } | { kind: "actions"; actions: readonly BrowserAction[] };

export interface BrowserRun {
  readonly url: string;
  /** What the code returned, as JSON; absent for actions. */
  readonly value?: string;
  readonly console: readonly string[];
  readonly truncated: boolean;
}

export interface BrowserSnapshot {
  readonly url: string;
  readonly title: string;
  /** The tree of the page as a screen reader sees it, with element ids in brackets. */
  readonly text: string;
  readonly truncated: boolean;
}

export interface BrowserScreenshot {
  readonly mediaType: "image/png" | "image/jpeg";
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/**
 * A browser that the agent drives. Element ids are those of the latest snapshot: each snapshot replaces all before it,
 * and an old id is refused with "not_found".
 */
export interface BrowserPort {
  run(task: BrowserTask, options?: CallOptions & { readonly timeoutMs?: number }): Promise<BrowserRun>;
  snapshot(options?: CallOptions & { readonly maxBytes?: number }): Promise<BrowserSnapshot>;
  screenshot(options?: CallOptions & { readonly fullPage?: boolean }): Promise<BrowserScreenshot>;
}
