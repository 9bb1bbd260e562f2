export {
  createShellPolicy,
  type ShellJudgement,
  type ShellPolicy,
  type ShellPolicyOptions,
} from "./policy.js";
export type { Segment } from "./interpreter.js";
export type { Profile } from "./profiles.js";
export type { ShellRule } from "./rules.js";
export type { Judgement, Verdict } from "./verdict.js";
export type { WasmSource } from "./parser.js";
export { ShellPolicyError, type ShellPolicyErrorCode } from "./errors.js";
