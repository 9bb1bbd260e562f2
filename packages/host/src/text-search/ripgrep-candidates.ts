import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { onAbort } from "../abort.js";
import { commandEnvironment, DEFAULT_ENVIRONMENT } from "../environment.js";
import { HostError } from "../errors.js";
import type { CandidateRequest, CandidateSource } from "./candidates.js";
import { relative } from "./ignore-tree.js";

/** Whatever the machine's configuration says, and nothing that differs between releases since 13. */
const FIXED = [
  "--no-config",
  "--no-messages",
  "--color=never",
  "--null",
  "--path-separator=/",
  // Overrides come before what a .gitignore says, so `!.github` in one can't show what is hidden.
  "--hidden",
  "--glob=!.git",
  "--no-ignore-dot",
  "--no-ignore-global",
  "--no-ignore-exclude",
  "--no-ignore-parent",
  "--no-require-git",
];

/**
 * ripgrep proposes the files that hold a match (`--files-with-matches`), in parallel and with its own reading of
 * .gitignore; everything that the answer shows is read from those files by the code that the other engine uses too.
 */
export const ripgrepCandidates = (rgPath: string): CandidateSource => ({
  engine: "ripgrep",
  ordered: false,
  async *candidates(request: CandidateRequest) {
    const { pattern, base, signal } = request;
    const cwd = base.ignoreTop;
    const scope = await scopeArguments(request);
    const target = ["--", `./${relative(cwd, base.path)}`];
    const size = request.maxFileBytes === undefined ? [] : [`--max-filesize=${request.maxFileBytes}`];
    const search = pattern?.ripgrep !== undefined && [
      ...FIXED,
      ...scope,
      ...size,
      "--files-with-matches",
      // A file with NUL is searched like any other: whether it is counted is decided by the reader.
      "--text",
      "-e",
      pattern.ripgrep,
      ...target,
    ];
    let found = search ? await run(rgPath, search, cwd, signal) : undefined;
    // No pattern, or one that is too large for it: every file is a candidate.
    if (!found?.ok) found = await run(rgPath, [...FIXED, ...scope, "--files", ...target], cwd, signal);
    if (!found.ok) throw new HostError("failed", `ripgrep failed: ${found.complaint}`);
    for (const file of found.files) yield path.join(cwd, file);
  },
});

const scopeArguments = async ({ scope, base }: CandidateRequest): Promise<string[]> => {
  const hidden = scope.hidden ? [] : ["--glob=!.*"];
  if (!scope.ignore) return [...hidden, "--no-ignore"];
  const topFile = path.join(base.ignoreTop, ".gitignore");
  if (base.path === base.ignoreTop || !existsSync(topFile)) return hidden;
  // Parents are left to the reader, since releases before 15 read them wrongly. Only the topmost file is told to ripgrep,
  // which is where large folders are named; not when one between could take back what it says.
  for (let between = path.dirname(base.path); between !== base.ignoreTop; between = path.dirname(between)) {
    if ((await scope.tree.rules(between)).some(({ negated }) => negated)) return hidden;
  }
  return [...hidden, `--ignore-file=${topFile}`];
};

interface Listing {
  ok: boolean;
  files: string[];
  complaint: string;
}

const MAX_COMPLAINT_BYTES = 4_000;

const run = (rgPath: string, args: string[], cwd: string, signal: AbortSignal): Promise<Listing> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const child = spawn(rgPath, args, {
      cwd,
      env: commandEnvironment(process.env, DEFAULT_ENVIRONMENT),
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    const out: Buffer[] = [];
    const complaints: Buffer[] = [];
    let complaintBytes = 0;
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      if (complaintBytes < MAX_COMPLAINT_BYTES) complaints.push(chunk);
      complaintBytes += chunk.length;
    });
    const forget = onAbort(signal, () => child.kill("SIGKILL"));
    child.once("error", (cause) => {
      forget();
      reject(new HostError("unavailable", `ripgrep cannot be started: ${cause.message}`, { cause }));
    });
    child.once("close", (code, killed) => {
      forget();
      if (signal.aborted) return reject(signal.reason as Error);
      const complaint = Buffer.concat(complaints).toString("utf8").trim();
      const files = Buffer.concat(out).toString("utf8").split("\0");
      files.pop();
      // 0 found, 1 not found; 2 is an error, which without a word was a file that can't be read.
      const ok = killed === null && (code === 0 || code === 1 || (code === 2 && complaint === ""));
      resolve({ ok, files, complaint: complaint || `exit code ${code}, signal ${killed}` });
    });
  });
