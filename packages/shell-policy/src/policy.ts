import { ShellPolicyError } from "./errors.js";
import { hasMarks } from "./field.js";
import { Interpreter, type Segment } from "./interpreter.js";
import { loadParser, type WasmSource } from "./parser.js";
import type { Places } from "./paths.js";
import { applyProfile, stricter, type Profile } from "./profiles.js";
import { checkRules, judgeByRules, type ShellRule } from "./rules.js";
import { readWorkspaceConfig } from "./workspace-config.js";
import { ask, worse, type Judgement, type Verdict } from "./verdict.js";

export interface ShellPolicyOptions {
  /** Absolute path of the workspace, where commands begin and may write. */
  workspace: string;
  /** Absolute path of the user's home; default `/home/user`. */
  home?: string;
  /**
   * "standard" (default): what the workspace can bring back is allowed, the rest is asked about. "restricted": only what
   * reads is allowed. "trusted": only what is denied or reaches outside the machine is asked about. `deny` holds in all.
   */
  profile?: Profile;
  /** Rules of the product's own, checked before the built-in ones; they may only narrow. */
  rules?: readonly ShellRule[];
  /**
   * The text of the workspace's own file: `{ "profile": "restricted", "rules": [{ "command": "npm publish", "verdict": "deny",
   * "why": "…" }] }`. It can only narrow what the other options say. One that cannot be read means "restricted", and the
   * policy's `problem` says what is wrong with it.
   */
  workspaceConfig?: string;
  /** Where the parser's WebAssembly comes from, for single-file bundles. */
  wasm?: WasmSource;
}

export interface ShellJudgement {
  readonly verdict: Verdict;
  /** True when no part of it can change files, the repository, the network's state or processes. */
  readonly readOnly: boolean;
  /** What it is made of, in the order in which it was looked at. */
  readonly segments: readonly Segment[];
  /** False when it is no text that a shell would take, or none that is understood. */
  readonly parsed: boolean;
}

export interface ShellPolicy {
  /** What is wrong with `workspaceConfig`; undefined when it is in order, or there is none. */
  readonly problem?: string;
  /**
   * Judges a text for bash or a POSIX shell, without running anything or looking at any file.
   *
   * @param options `cwd`: an absolute path; default the workspace.
   */
  judge(command: string, options?: { readonly cwd?: string }): ShellJudgement;
}

const MAX_CHARS = 50_000;

const checkPath = (option: string, value: unknown): string => {
  if (typeof value === "string" && value.startsWith("/") && !value.includes("\0"))
    return value.replace(/(.)\/+$/, "$1");
  throw new ShellPolicyError("invalid_option", `\`${option}\` must be an absolute path.`);
};

/**
 * Makes a policy. It loads the parser's WebAssembly, once in a process.
 *
 * @throws {ShellPolicyError} `invalid_option`, or `wasm` when the WebAssembly is not found.
 *
 * @example
 * ```ts
 * import { createShellPolicy } from "@fiveseam/shell-policy";
 *
 * const policy = await createShellPolicy({ workspace: "/workspace" });
 * console.log(policy.judge("git status && rm -rf ~").verdict); // "deny"
 * ```
 */
export const createShellPolicy = async (options: ShellPolicyOptions): Promise<ShellPolicy> => {
  const places: Places = {
    workspace: checkPath("workspace", options.workspace),
    home: checkPath("home", options.home ?? "/home/user"),
  };
  const wanted = options.profile ?? "standard";
  if (!["standard", "restricted", "trusted"].includes(wanted))
    throw new ShellPolicyError("invalid_option", '`profile` must be "restricted", "standard" or "trusted".');
  if (options.workspaceConfig !== undefined && typeof options.workspaceConfig !== "string")
    throw new ShellPolicyError("invalid_option", "`workspaceConfig` must be the text of a file.");
  const own =
    options.workspaceConfig === undefined ? undefined : readWorkspaceConfig(options.workspaceConfig);
  const profile = stricter(wanted, own?.profile ?? wanted);
  const rules = [...(options.rules ?? []), ...(own?.rules ?? [])];
  checkRules(rules);
  const parser = await loadParser(options.wasm);

  const look = (command: string, cwd: string): ShellJudgement => {
    const trees: { delete(): void }[] = [];
    const interpreter = new Interpreter({
      places,
      parse: (text) => {
        const tree = parser.parse(text);
        if (!tree) throw new Error("the parser gave up");
        trees.push(tree);
        return tree.rootNode;
      },
    });
    try {
      const found = interpreter.text(command, interpreter.scope(cwd));
      const commands = interpreter.segments.map((segment) => segment.command ?? segment.text);
      const byRules = judgeByRules(commands, rules);
      const all: Judgement = byRules ? { ...found, verdict: worse(found.verdict, byRules.verdict) } : found;
      const segments = byRules
        ? [...interpreter.segments, { text: command.slice(0, 500), ...byRules }]
        : interpreter.segments;
      const { verdict, readOnly } = applyProfile(all, segments, profile);
      return {
        verdict,
        readOnly,
        segments,
        parsed: !segments.some(({ rule }) => rule === "unparsable" || rule === "unreadable"),
      };
    } finally {
      for (const tree of trees) tree.delete();
    }
  };

  return {
    ...(own?.problem === undefined ? {} : { problem: own.problem }),
    judge(command, { cwd = places.workspace } = {}) {
      const refuse = (rule: string, why: string): ShellJudgement => ({
        verdict: "ask",
        readOnly: false,
        segments: [{ text: String(command).slice(0, 200), ...ask(rule, why) }],
        parsed: false,
      });
      if (typeof command !== "string") return refuse("unreadable", "it is no text");
      if (command.length > MAX_CHARS) return refuse("too-long", "it is too long to be looked through");
      if (hasMarks(command) || command.includes("\0"))
        return refuse("unreadable", "it holds characters that no command has");
      try {
        return look(command, checkPath("cwd", cwd));
      } catch (error) {
        if (error instanceof ShellPolicyError) throw error;
        // Whatever went wrong in here: somebody has to look.
        return refuse("failed", "it could not be looked through");
      }
    },
  };
};
