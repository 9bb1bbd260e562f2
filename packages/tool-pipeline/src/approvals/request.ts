import type { Effect } from "../effects.js";

/** What would happen, for whoever decides. */
export type ApprovalDetails =
  | {
      /** A tool would be called, with the arguments that the action states. */
      readonly kind: "tool";
      readonly effects: readonly Effect[];
    }
  | {
      /** A shell command would be run. */
      readonly kind: "command";
      readonly command: string;
      /** Absolute path of the directory, as the agent knows it. */
      readonly cwd: string;
      /** Which parts of it are asked about, and why. */
      readonly segments: readonly { readonly text: string; readonly verdict: string; readonly why: string }[];
    }
  | {
      /** Files would be changed, all of them or none. */
      readonly kind: "change";
      /** The same for the same change of the same contents, whatever of them is shown. */
      readonly change: string;
      readonly files: readonly {
        readonly file: string;
        readonly kind: "create" | "change" | "delete";
        /** Unified; undefined for what is no text, or too large to be shown. */
        readonly diff?: string;
      }[];
      /** How many files there are besides these. */
      readonly more: number;
      /** Links, with what they lead to, and special files that go too. */
      readonly others: readonly string[];
    };

export type ApprovalDecisionType = "approve" | "edit" | "reject";

/** A question to the user about the tool call that is under way. */
export interface ApprovalRequest {
  /** One line for people. */
  readonly description: string;
  readonly details: ApprovalDetails;
  readonly allowed: readonly ApprovalDecisionType[];
  /** What an approval may be remembered for: questions of the same key are not asked again in this run. */
  readonly remember?: { readonly key: string; readonly label: string };
  /** Arguments to show, and to be edited; default those of the call. */
  readonly args?: Readonly<Record<string, unknown>>;
}

/** What the user said. */
export type ApprovalAnswer =
  | { readonly type: "approve" }
  | { readonly type: "edit"; readonly args: Record<string, unknown> }
  | { readonly type: "reject"; readonly reason?: string };

/**
 * What an approval's `interrupt()` carries. The first two are LangChain's human-in-the-loop form, so that a client which knows
 * that one can show it and answer with `{ decisions: [{ type: "approve" }] }`.
 */
export interface ApprovalInterrupt {
  readonly actionRequests: readonly [
    { readonly name: string; readonly args: Readonly<Record<string, unknown>>; readonly description: string },
  ];
  readonly reviewConfigs: readonly [
    { readonly actionName: string; readonly allowedDecisions: readonly ApprovalDecisionType[] },
  ];
  readonly approval: {
    /** The same for the same question; an answer that names another one is not taken. */
    readonly id: string;
    readonly details: ApprovalDetails;
    /** What "remember" would cover, for people; undefined when it cannot be remembered. */
    readonly remember?: string;
    /** When it counts as denied, in milliseconds since 1970. */
    readonly expiresAt?: number;
  };
}

/** What a resume hands back. */
export interface ApprovalResume {
  readonly decisions: readonly [
    | { readonly type: "approve"; readonly remember?: boolean }
    | { readonly type: "edit"; readonly editedAction: { readonly args: Record<string, unknown> } }
    | { readonly type: "reject"; readonly message?: string },
  ];
  /** The `id` of the question that is answered. */
  readonly approvalId?: string;
}
