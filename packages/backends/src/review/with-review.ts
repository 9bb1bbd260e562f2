import { checkOptions } from "../check-options.js";
import { BackendError } from "../errors.js";
import type { ChangeGuard, GuardedBackend } from "../workspace/change-guard.js";
import { FileError } from "../workspace/file-error.js";
import { withChanges, type AroundChange } from "../workspace/with-guard.js";
import { changeOf, proposalOf, type Proposal, type ProposedChange } from "./proposal.js";

/** What somebody decided about a proposal. */
export type ReviewDecision =
  | { readonly type: "approve" }
  /** The agent is told the reason. */
  | { readonly type: "reject"; readonly reason?: string };

export interface ReviewOptions {
  /**
   * Decides on a change before it is made; no file is locked meanwhile. What it throws ends the change and reaches the
   * caller: inside LangGraph it may be `interrupt()`, and the change is proposed anew when the call is run again.
   */
  approve(proposal: Proposal): ReviewDecision | Promise<ReviewDecision>;
  /** Which changes are asked about; default all. Asked while the files are locked. */
  when?(change: ProposedChange): boolean;
}

/** A file that changes faster than anybody can look at it is not asked about for ever. */
const MAX_ROUNDS = 3;

/**
 * Asks before each change, with what it would do to which files: a write, an edit, a deletion with all below, or a whole change
 * set. Exactly what was approved is done, or nothing: when a file is another one by then, it is asked about again.
 *
 * @throws {BackendError} `invalid_option` when the backend cannot be held while it is looked at, or `approve` is no function.
 *
 * @example
 * ```ts
 * import { withReview, WorkspaceBackend } from "@fiveseam/backends";
 *
 * const files = withReview(new WorkspaceBackend({ root: process.cwd() }), {
 *   approve: ({ files }) =>
 *     files.some(({ kind }) => kind === "delete") ? { type: "reject", reason: "Keep it." } : { type: "approve" },
 * });
 * const { error } = await files.delete("/README.md");
 * console.log(error); // says that the deletion was rejected, and why
 * ```
 */
export const withReview = (backend: GuardedBackend, options: ReviewOptions): GuardedBackend => {
  if (backend.guarded !== true)
    throw new BackendError(
      "invalid_option",
      "withReview needs a backend that is guarded (WorkspaceBackend, or a decorator of one).",
    );
  checkOptions("withReview", options, { approve: ["function"], when: ["function"] });
  if (typeof options.approve !== "function")
    throw new BackendError("invalid_option", "`approve` must be a function that decides on a proposal.");
  return withChanges(backend, review(options), (restricted) => withReview(restricted, options));
};

/** Makes the change when it is not to be asked about; else says what it would do, seen from inside its lock and then given up. */
const previewOf = async (
  change: (guard: ChangeGuard) => unknown,
  outer: ChangeGuard | undefined,
  when: ReviewOptions["when"],
): Promise<{ proposal: Proposal } | { result: unknown }> => {
  let proposal: Proposal | undefined;
  const result = await change({
    ...outer,
    async ready(changes) {
      if (when && !when(await changeOf(changes))) return outer?.ready?.(changes);
      proposal = await proposalOf(changes);
      throw new FileError("conflict", "The change waits for a decision.");
    },
  });
  return proposal ? { proposal } : { result };
};

const rejection = ({ files }: Proposal, reason: string | undefined): string => {
  const names = files.slice(0, 5).map(({ file }) => file);
  const more = files.length > names.length ? ` and ${files.length - names.length} more` : "";
  const why = reason ? ` The reason: ${reason}` : " Ask what is wanted instead of trying again.";
  return `Nothing was changed: the user rejected the change of ${names.join(", ")}${more}.${why}`;
};

const review =
  ({ approve, when }: ReviewOptions): AroundChange =>
  async (change, outer) => {
    for (let round = 1; ; round += 1) {
      const preview = await previewOf(change, outer, when);
      // It is done, or it failed before it could be asked about.
      if ("result" in preview) return preview.result as Awaited<ReturnType<typeof change>>;
      const { proposal } = preview;
      const decision = await approve(proposal);
      const refuse = (message: string): Promise<Awaited<ReturnType<typeof change>>> =>
        Promise.resolve(
          change({
            ready() {
              throw new FileError("denied", message);
            },
          }),
        );
      if (decision?.type !== "approve") return refuse(rejection(proposal, decision?.reason));
      let moved = false;
      const result = await change({
        ...outer,
        async ready(changes) {
          moved = (await changeOf(changes)).id !== proposal.id;
          if (moved)
            throw new FileError(
              "conflict",
              "Nothing was changed: a file is no longer what it was when the change was approved. Read it again.",
            );
          await outer?.ready?.(changes);
        },
      });
      if (!moved || round === MAX_ROUNDS) return result;
    }
  };
