import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { onAbort } from "./abort.js";
import { commandEnvironment, DEFAULT_ENVIRONMENT } from "./environment.js";
import { HostError } from "./errors.js";
import { workTreeOf } from "./git-work-tree.js";
import { signalGroup, windows } from "./process-group.js";

/** How one git process is run. */
export interface GitRunOptions {
  readonly signal?: AbortSignal | undefined;
  /** Standard input; none unless given. */
  readonly input?: string;
  /** Standard output beyond this is not read: git is stopped and the answer is `truncated`. Default 16 MB. */
  readonly maxBytes?: number;
  /** Exit codes that are an answer; default `[0]`. */
  readonly okCodes?: readonly number[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface GitOutput {
  readonly code: number;
  readonly stdout: Buffer;
  readonly truncated: boolean;
}

export interface GitProgram {
  /** Runs `git` with these arguments; any other ending than an exit with a code that is an answer rejects. */
  run(args: readonly string[], options?: GitRunOptions): Promise<GitOutput>;
}

export interface GitProgramOptions {
  readonly root: string;
  readonly gitPath: string;
  readonly timeoutMs: number;
  readonly hooks: boolean;
}

const DEFAULT_OUTPUT_BYTES = 16 * 1024 * 1024;
const STDERR_BYTES = 16_384;
const KILL_GRACE_MS = 1_000;

/**
 * Set on the command line, where they win over what the repository and the user configured. What a repository can make
 * git run while it only looks (a file system monitor, hooks, signature checks) is off.
 */
const settings = (hooks: boolean): string[] => [
  "core.fsmonitor=false",
  ...(hooks ? [] : [`core.hooksPath=${windows ? "NUL" : "/dev/null"}`]),
  "core.quotePath=false",
  "core.pager=cat",
  "core.editor=false",
  "color.ui=false",
  "log.showSignature=false",
  "i18n.logOutputEncoding=UTF-8",
  // Else git makes up an address from the name of the machine.
  "user.useConfigOnly=true",
  "safe.bareRepository=explicit",
  "advice.detachedHead=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "submodule.recurse=false",
];

/** Nothing of `GIT_*` that this process was started with gets through: `GIT_DIR` alone would redirect every call. */
const environment = (extra: Readonly<Record<string, string>> = {}): Record<string, string> =>
  commandEnvironment(
    process.env,
    DEFAULT_ENVIRONMENT.filter((name) => name !== "LC_CTYPE" && name !== "LANGUAGE"),
    {
      // The few messages that are read below are English then.
      LC_ALL: "C",
      GIT_OPTIONAL_LOCKS: "0",
      GIT_TERMINAL_PROMPT: "0",
      GIT_ASKPASS: "false",
      GIT_EDITOR: "false",
      GIT_SEQUENCE_EDITOR: "false",
      GIT_MERGE_AUTOEDIT: "no",
      // A path is a path and no pattern: `*` and `:(exclude)x` are names.
      GIT_LITERAL_PATHSPECS: "1",
      // A partial clone would otherwise ask its server for what is missing.
      GIT_NO_LAZY_FETCH: "1",
      GIT_ALLOW_PROTOCOL: "none",
      ...extra,
    },
  );

export const createGitProgram = ({ root, gitPath, timeoutMs, hooks }: GitProgramOptions): GitProgram => {
  const config = settings(hooks).flatMap((setting) => ["-c", setting]);
  const start: GitProgram["run"] = (args, options = {}) =>
    new Promise((resolve, reject) => {
      const { signal, input, maxBytes = DEFAULT_OUTPUT_BYTES, okCodes = [0] } = options;
      if (signal?.aborted) return reject(signal.reason as Error);
      const child = spawn(gitPath, ["--no-pager", ...config, ...args], {
        cwd: root,
        env: environment(options.env),
        detached: !windows,
        windowsHide: true,
        stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      });
      let refusal: Error | undefined;
      let killer: NodeJS.Timeout | undefined;
      const stop = (reason: Error | undefined): void => {
        refusal ??= reason;
        // Asked first: git takes its lock files away when it is told to end, and leaves them when it is killed.
        signalGroup(child, "SIGTERM");
        killer ??= setTimeout(() => signalGroup(child, "SIGKILL"), KILL_GRACE_MS);
      };
      const chunks: Buffer[] = [];
      let bytes = 0;
      let truncated = false;
      child.stdout?.on("data", (chunk: Buffer) => {
        if (truncated) return;
        chunks.push(chunk.subarray(0, maxBytes - bytes));
        bytes += chunk.length;
        if (bytes <= maxBytes) return;
        truncated = true;
        stop(undefined);
      });
      let stderr = "";
      child.stderr?.on("data", (chunk: Buffer) => {
        if (stderr.length < STDERR_BYTES) stderr += chunk.toString("utf8");
      });
      // git may end without having read all of it; its exit code says whether that matters.
      child.stdin?.on("error", () => {});
      child.stdin?.end(input);

      const timer = setTimeout(
        () => stop(new HostError("timeout", `git ${args[0] ?? ""} took longer than ${timeoutMs} ms`)),
        timeoutMs,
      );
      const forget = onAbort(signal, () => stop(signal?.reason as Error));
      const release = (): void => {
        clearTimeout(timer);
        clearTimeout(killer);
        forget();
      };
      child.once("error", (error: NodeJS.ErrnoException) => {
        if (child.pid !== undefined) return;
        release();
        reject(notStarted(root, gitPath, error));
      });
      child.once("close", (code) => {
        release();
        if (child.pid === undefined) return;
        const stdout = Buffer.concat(chunks);
        if (refusal) reject(refusal);
        else if (truncated) resolve({ code: 0, stdout, truncated });
        else if (code !== null && okCodes.includes(code)) resolve({ code, stdout, truncated });
        else reject(refusalOf(args, code, stderr, stdout.toString("utf8")));
      });
    });
  return {
    async run(args, options = {}) {
      const top = await workTreeOf(root, async (file, name) => {
        const found = await start(["config", "--file", file, "--get", name], {
          signal: options.signal,
          okCodes: [0, 1],
        });
        return found.code === 0 ? found.stdout.toString("utf8").replace(/\n$/, "") : undefined;
      });
      // Not GIT_DIR as well: who names that is believed, and the owner of the repository is no longer looked at.
      return start(
        args,
        top === undefined ? options : { ...options, env: { GIT_WORK_TREE: top, ...options.env } },
      );
    },
  };
};

const notStarted = (root: string, gitPath: string, cause: NodeJS.ErrnoException): HostError => {
  const exists = statSync(root, { throwIfNoEntry: false })?.isDirectory() === true;
  return exists
    ? new HostError("unavailable", `${gitPath} could not be started (${cause.code}); is git installed?`, {
        cause,
      })
    : new HostError("not_found", `the directory "${root}" does not exist`, { cause });
};

/** git's own words (LC_ALL=C), seen with 2.39, and what they mean for a caller. */
const MEANINGS: readonly [RegExp, HostError["code"], string?][] = [
  [/not a git repository/i, "not_found", "the directory lies in no git repository"],
  [
    /detected dubious ownership|unsafe repository/i,
    "unavailable",
    "git does not trust this repository, because somebody else owns its directory; a person who trusts it can run: " +
      "git config --global --add safe.directory <directory>",
  ],
  [/cannot use bare repository/i, "unavailable", "this is a bare repository; a work tree is needed"],
  [/must be run in a work tree/i, "unavailable", "a work tree is needed, and this is none"],
  [
    /Unable to create '.*\.lock'|\.lock': File exists/i,
    "busy",
    "another git process holds the repository's lock",
  ],
  [/pathspec .* did not match|no such path|There is no path|does not have a .*version/i, "not_found"],
  [/ignored by one of your \.gitignore/i, "denied"],
  [/is beyond a symbolic link|is outside repository/i, "outside_root"],
  [
    /tell me who you are|identity unknown|no email was given|no name was given|empty ident name/i,
    "invalid_argument",
    "git does not know who commits; give an author, or a person sets user.name and user.email",
  ],
  [/has only \d+ lines?/i, "invalid_argument"],
  [/already exists/i, "invalid_argument"],
];

const refusalOf = (
  args: readonly string[],
  code: number | null,
  stderr: string,
  stdout: string,
): HostError => {
  const said = (stderr.trim() || stdout.trim()).replaceAll(/^(fatal|error): /gm, "").slice(0, 1_000);
  for (const [pattern, meaning, message] of MEANINGS)
    if (pattern.test(stderr)) return new HostError(meaning, message ?? `git ${args[0]}: ${said}`);
  return new HostError(
    "failed",
    `git ${args[0]} failed${said === "" ? ` (exit code ${code})` : `: ${said}`}`,
  );
};
