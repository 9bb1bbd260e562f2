import type { FileErrorKind } from "../workspace/file-error.js";
import type { Hunk } from "./merge-text.js";

/** A change that waits to be accepted or rejected. */
export interface StagedChange {
  /** As the agent knows it. */
  readonly file: string;
  readonly kind: "create" | "change" | "delete";
  /** SHA-256 in hex of the content that it was made of, null for a new file. */
  readonly hashBefore: string | null;
  /** Null when the file is to go. */
  readonly hashAfter: string | null;
  /** Unified; undefined for binary files and for texts above 1 MB. */
  readonly diff: string | undefined;
  /** The parts that can be taken alone, of a text that changes. */
  readonly hunks: readonly Hunk[];
}

/** Whole files, or some hunks of one by their ids. By paths as the agent knows them, or as the backend names them. */
export type StagedSelection = readonly (
  | string
  | {
      readonly file: string;
      /** Their ids; left out: the whole file. */
      readonly hunks?: readonly string[];
      /** Of the `StagedChange` that was looked at: refused when the agent has changed it since. */
      readonly hashAfter?: string | null;
    }
)[];

/** A file that stays staged, and why. */
export interface RefusedStaged {
  readonly file: string;
  readonly why: string;
}

export interface AcceptResult {
  /** What is on the disk now; `merged` where somebody had changed the file meanwhile. */
  readonly accepted: readonly { readonly file: string; readonly merged: boolean }[];
  readonly refused: readonly RefusedStaged[];
  /** Nothing was accepted, for this reason. */
  readonly error?: string;
  readonly errorKind?: FileErrorKind;
}

export interface RejectResult {
  readonly rejected: readonly string[];
  readonly refused: readonly RefusedStaged[];
}
