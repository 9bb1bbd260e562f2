import type { Segment } from "./interpreter.js";
import type { Judgement, Verdict } from "./verdict.js";

/** How much is let through; `deny` holds in all. */
export type Profile = "restricted" | "standard" | "trusted";

const STRICTEST_FIRST: readonly Profile[] = ["restricted", "standard", "trusted"];

/** The one of both that lets through less. */
export const stricter = (one: Profile, other: Profile): Profile =>
  STRICTEST_FIRST.find((profile) => profile === one || profile === other) ?? "restricted";

/** Rules that are asked about also where much is trusted: nobody can take these back. */
const ALWAYS_ASKED =
  /^(?:unparsable|unreadable|too-|dynamic|odd-name|failed|foreign\.|remote|publish|network\.send|network$|secrets\.|elevated|git\.push|guarded|outside|environment\.|option\.program|own\.)/;

export const applyProfile = (
  all: Judgement,
  segments: readonly Segment[],
  profile: Profile,
): { verdict: Verdict; readOnly: boolean } => {
  const { verdict, readOnly } = all;
  if (profile === "standard" || verdict === "deny") return { verdict, readOnly };
  if (profile === "restricted")
    return { verdict: verdict === "allow" && !readOnly ? "ask" : verdict, readOnly };
  const asked = segments.filter((segment) => segment.verdict === "ask");
  // What is asked about without a segment of its own (a redirect, an assignment) counts as always asked.
  const known =
    asked.length > 0 && asked.every(({ rule }) => !ALWAYS_ASKED.test(rule)) && !ALWAYS_ASKED.test(all.rule);
  return { verdict: verdict === "ask" && known ? "allow" : verdict, readOnly };
};
