import { unreported } from "../workspace/call-report.js";
import type { ChangeGuard, ChangeTarget, GuardedBackend } from "../workspace/change-guard.js";
import { FileError, refuse } from "../workspace/file-error.js";
import type { FileFailure } from "../workspace/options.js";

/** A file that is about to be changed, on the disk. */
export interface ProbedFile {
  /** Where it really is, as the backend names it. */
  readonly path: string;
  /** As the agent knows it. */
  readonly file: string;
  /** Null when there is none; undefined when it is too large to be read. */
  readonly content: Buffer | null | undefined;
  /** Permission bits. */
  readonly mode: number | undefined;
}

/** Asks for a change, looks at what it would change, and gives it up. */
const look = async (change: (guard: ChangeGuard) => unknown): Promise<ProbedFile | FileFailure> => {
  let probed: ProbedFile | undefined;
  const result = await change({
    async before(target: ChangeTarget) {
      const found: ProbedFile[] = [];
      const { path, file } = target;
      await target.eachFile(async ({ content, mode }) => {
        found.push({ path, file, content, mode });
      });
      probed = found[0] ?? { path, file, content: null, mode: undefined };
      throw new FileError("conflict", "It is staged instead.");
    },
  });
  return probed ?? (result as FileFailure);
};

/** A file that may be changed, or why not. What a symbolic link leads to. */
export const probeFile = (backend: GuardedBackend, at: string): Promise<ProbedFile | FileFailure> =>
  look((guard) => backend.write(at, "", guard));

/** As `probeFile`; a symbolic link itself cannot be staged. */
export const probeEntry = async (
  backend: GuardedBackend,
  at: string,
  itself: boolean,
): Promise<ProbedFile | FileFailure> => {
  const file = await probeFile(backend, at);
  if (!itself || "error" in file) return file;
  const entry = await look((guard) => backend.delete(at, guard));
  // Of what is only staged nothing is on the disk.
  if ("error" in entry || entry.path === file.path) return file;
  return refuse("denied", `${entry.file} is a symbolic link; a change set holds files only.`);
};

/** The bytes of a file; null when there is none. */
export const contentOf = async (backend: GuardedBackend, at: string): Promise<Buffer | null> => {
  const [answer] = (await unreported(() => backend.downloadFiles?.([at]) ?? [])) ?? [];
  return answer?.content ? Buffer.from(answer.content) : null;
};
