import { defineTool, type ToolRunContext } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import { editSymbol, type EditedText, type SymbolEdit } from "./ast/edit-symbol.js";
import { withParser, type AstWasm } from "./ast/grammars.js";
import { languageOf, type AstLanguage } from "./ast/languages.js";
import { readSource } from "./ast/source-text.js";
import { SYNTAX } from "./ast/syntax.js";
import { FileChangeError, ToolInputError } from "./errors.js";
import { callersFiles } from "./files/callers-files.js";
import { lineChanges } from "./files/line-changes.js";
import type { ChangeableFiles, ToolFileReceipt } from "./tool-files.js";
import { checkWritable, toBackendPath } from "./workspace-paths.js";

const schema = z.object({
  path: z.string().min(1).describe("The file: /workspace/src/a.ts or src/a.ts."),
  operation: z.enum(["replace", "insert_before", "insert_after", "rename"]),
  symbol: z
    .string()
    .min(1)
    .describe('Name or path: "parse", "Parser.parse"; "default" for what export default has no name for.'),
  text: z.string().optional().describe("replace, insert_*: the code, at any indentation."),
  name: z.string().min(1).optional().describe("rename: the name to replace; default the symbol's own."),
  new_name: z.string().min(1).optional().describe("rename: the new name."),
  line: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe("Of several symbols of that name: a line of the one meant."),
  allow_syntax_errors: z.boolean().optional().describe("Edit also what does not parse; default false."),
});

type Arguments = z.infer<typeof schema>;

/** For programs, as the artifact of the message. */
export interface AstEditArtifact extends Omit<EditedText, "text"> {
  readonly path: string;
  readonly language: AstLanguage;
  readonly operation: Arguments["operation"];
  readonly receipts: readonly ToolFileReceipt[];
}

const editOf = (given: Arguments): SymbolEdit => {
  const { symbol, line, operation, text, name, new_name: to, allow_syntax_errors: allowSyntaxErrors } = given;
  const common = { symbol, line, allowSyntaxErrors };
  if (operation === "rename") {
    if (to === undefined) throw new ToolInputError("rename needs `new_name`.");
    return { ...common, operation, from: name ?? symbol.split(/[.:]/).at(-1) ?? symbol, to };
  }
  if (text === undefined || text.trim() === "") throw new ToolInputError(`${operation} needs \`text\`.`);
  return { ...common, operation, text };
};

const DONE = {
  replace: "Replaced",
  insert_before: "Inserted before",
  insert_after: "Inserted after",
  rename: "Renamed in",
} as const;

const span = ({ firstLine, lastLine }: EditedText["after"]): string =>
  firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine}-${lastLine}`;

const reportOf = (path: string, given: Arguments, edited: EditedText, old: string): string => {
  const { added, removed } = lineChanges(old, edited.text);
  const where = `${span(edited.after)}, +${added} -${removed}`;
  return [`${DONE[given.operation]} ${edited.symbol} in ${path} (${where}).`, ...edited.notes].join("\n");
};

const run = async (
  { backend, wasm }: { backend: ChangeableFiles; wasm: AstWasm },
  given: Arguments,
  { signal }: ToolRunContext,
): Promise<{ content: string; artifact: AstEditArtifact }> => {
  const path = toBackendPath(given.path);
  const edit = editOf(given);
  checkWritable(path);
  const language = languageOf(path);
  const files = callersFiles(backend);
  const { text, mark, hash } = await readSource(files, path);
  const edited = await withParser(language, wasm, (parse) => editSymbol(text, SYNTAX[language], parse, edit));
  signal?.throwIfAborted();
  // The backend keeps encoding, mark and line endings; the hash turns a change in between into a conflict.
  const result = await files.commit([{ kind: "write", path, content: mark + edited.text, expect: hash }]);
  if (result.error !== undefined)
    throw new FileChangeError(result.errorKind, `Nothing was changed. ${result.error}`);
  const { text: _text, ...what } = edited;
  return {
    content: reportOf(path, given, edited, text),
    artifact: { ...what, path, language, operation: given.operation, receipts: result.receipts },
  };
};

/**
 * The tool that edits a function, class, method, type or variable by its name.
 *
 * @example
 * ```ts
 * import { createCodingBackend } from "@fiveseam/backends";
 * import { createAstEditTool, isChangeable } from "@fiveseam/coding-tools";
 *
 * const backend = createCodingBackend({ workspace: process.cwd() });
 * if (isChangeable(backend)) console.log(createAstEditTool(backend).name);
 * ```
 */
export const createAstEditTool = (
  backend: ChangeableFiles,
  options: {
    /** The WebAssembly of parser and grammars, for single-file bundles; found by itself where packages are installed. */
    wasm?: AstWasm;
  } = {},
): StructuredTool =>
  defineTool({
    name: "ast_edit",
    description:
      "Edits TypeScript, JavaScript, Python or Go by symbol: `replace` a whole declaration (its doc comment, " +
      "decorators and `export` stay unless `text` brings its own), `insert_before` or `insert_after` it, or `rename` a " +
      "name within it, inner scopes that reuse the name left alone. Use it instead of edit_file when you " +
      "write a whole function, class or method: no old text has to be quoted, and the code is indented to its place. To " +
      "rename across a project look at all uses first. An edit that would break the syntax is refused with the place; " +
      "several symbols of a name are listed with their lines.",
    schema,
    effects: ["fs.read", "fs.write"],
    paths: ({ path }) => (typeof path === "string" ? [toBackendPath(path)] : []),
    outcome: "returned",
    run: (given, context) => run({ backend, wasm: options.wasm ?? {} }, given, context),
  });
