import { defineTool, type ToolRunContext } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { FileChangeError, ToolInputError } from "./errors.js";
import { callersFiles } from "./files/callers-files.js";
import { describeFiles, lookAt, type ComposedFile } from "./files/composed-files.js";
import type { ChangeableFiles, ToolFileChange, ToolFileReceipt } from "./tool-files.js";
import { checkWritable, toBackendPath } from "./workspace-paths.js";

const MAX_CHANGES = 50;

const changeSchema = z.object({
  action: z.enum(["create", "write", "edit", "delete", "rename"]),
  path: z.string().min(1).describe("The file: /workspace/src/a.ts or src/a.ts."),
  content: z.string().optional().describe("create, write: the whole file."),
  old_string: z.string().optional().describe("edit: the text to replace, as it stands there, once."),
  new_string: z.string().optional().describe("edit: what takes its place."),
  replace_all: z.boolean().optional().describe("edit: replace every occurrence; default false."),
  to: z.string().min(1).optional().describe("rename: the new path, where nothing is."),
});

type Change = z.infer<typeof changeSchema>;

/** For programs, as the artifact of the message. */
export interface ComposeFilesArtifact {
  readonly files: readonly ComposedFile[];
  readonly receipts: readonly ToolFileReceipt[];
  readonly atomic: boolean;
}

const read = ({ action, ...given }: Change, at: number): ToolFileChange => {
  const needed = (argument: "content" | "old_string" | "new_string" | "to"): string => {
    const value = given[argument];
    if (value === undefined) throw new ToolInputError(`Change ${at + 1} (${action}) needs \`${argument}\`.`);
    return value;
  };
  const path = toBackendPath(given.path);
  switch (action) {
    case "create":
      return { kind: "write", path, content: needed("content"), expect: null };
    case "write":
      return { kind: "write", path, content: needed("content") };
    case "edit":
      return {
        kind: "edit",
        path,
        oldString: needed("old_string"),
        newString: needed("new_string"),
        replaceAll: given.replace_all ?? false,
      };
    case "delete":
      return { kind: "delete", path };
    case "rename":
      return { kind: "rename", path, to: toBackendPath(needed("to")) };
  }
};

const pathsOf = (change: ToolFileChange): readonly string[] =>
  change.kind === "rename" ? [change.path, change.to] : [change.path];

/** The paths in arguments that nobody has looked at yet. */
const declaredPaths = ({ changes }: Readonly<Record<string, unknown>>): string[] =>
  (Array.isArray(changes) ? (changes as Partial<Change>[]) : [])
    .flatMap((change) => [change?.path, change?.to])
    .filter((path) => typeof path === "string")
    .map(toBackendPath);

const compose = async (
  backend: ChangeableFiles,
  given: readonly Change[],
  { signal }: ToolRunContext,
): Promise<{ content: string; artifact: ComposeFilesArtifact }> => {
  const changes = given.map(read);
  const paths = [...new Set(changes.flatMap(pathsOf))];
  for (const path of paths) checkWritable(path);
  const files = callersFiles(backend);
  const before = await lookAt(files, paths);
  signal?.throwIfAborted();
  const result = await files.commit(changes);
  if (result.error !== undefined) {
    const at = result.failedAt;
    const failed = at === undefined ? undefined : given[at];
    const which = failed
      ? `change ${Number(at) + 1} of ${given.length} (${failed.action} ${failed.path}): `
      : "";
    throw new FileChangeError(
      result.errorKind,
      `No file was changed. ${which}${result.error}`,
      at === undefined ? undefined : at + 1,
    );
  }
  const { receipts, atomic } = result;
  const composed = describeFiles(changes, before, await lookAt(files, paths));
  const how = atomic
    ? "as one change"
    : "one after the other (these files cannot be changed at once; a failure would have been taken back)";
  const lines = composed.map(({ text }) => text);
  return {
    content: [lines.length === 0 ? "Nothing had to be changed." : `Done ${how}:`, ...lines].join("\n"),
    artifact: { files: composed, receipts, atomic },
  };
};

/**
 * The tool that changes several files in one call, all or nothing.
 *
 * @example
 * ```ts
 * import { createCodingBackend } from "@fiveseam/backends";
 * import { createComposeFilesTool, isChangeable } from "@fiveseam/coding-tools";
 *
 * const backend = createCodingBackend({ workspace: process.cwd() });
 * if (isChangeable(backend)) console.log(createComposeFilesTool(backend).name);
 * ```
 */
export const createComposeFilesTool = (backend: ChangeableFiles): StructuredTool =>
  defineTool({
    name: "compose_files",
    description:
      "Changes several files in one call, all or nothing: when one change is refused, no file is changed and the answer says " +
      "which one and why. Use it when changes belong together: a rename with its imports, a new module with its test, a " +
      "file that is split. For one change in one file use edit_file or write_file. Changes are made in their order, and later " +
      "ones see what earlier ones did. The answer lists each file with the lines that came and went.",
    schema: z.object({
      changes: z
        .array(changeSchema)
        .min(1)
        .max(MAX_CHANGES)
        .describe("`create` makes a file where none is; `write` makes one or replaces the whole of it."),
    }),
    effects: ["fs.read", "fs.write"],
    paths: declaredPaths,
    // The files are looked at besides; that one is not there is no failure.
    outcome: "returned",
    run: ({ changes }, context) => compose(backend, changes, context),
  });
