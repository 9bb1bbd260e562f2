import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

const below = (directory: string, matches: (name: string) => boolean): string[] =>
  readdirSync(path.join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && matches(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !/\/(node_modules|dist|workspace|\.git)\//.test(file));

interface Snippet {
  /** Where it stands, for the message: file and line. */
  where: string;
  code: string;
}

const snippetsIn = (file: string, strip: (line: string) => string): Snippet[] => {
  const found: Snippet[] = [];
  let open: Snippet | undefined;
  for (const [at, raw] of readFileSync(file, "utf8").split("\n").entries()) {
    const line = strip(raw);
    if (!open && /^```ts\s*$/.test(line))
      open = { where: `${path.relative(root, file)}:${at + 1}`, code: "" };
    else if (open && /^```\s*$/.test(line)) {
      found.push(open);
      open = undefined;
    } else if (open) open.code += `${line}\n`;
  }
  return found;
};

const markdown = [
  ...["README.md", "SECURITY.md", "CONTRIBUTING.md"].map((name) => path.join(root, name)),
  ...below("docs", (name) => name.endsWith(".md")),
  ...below("packages", (name) => name === "README.md"),
  ...below("examples", (name) => name === "README.md"),
].flatMap((file) => snippetsIn(file, (line) => line));
const comments = below("packages", (name) => /(?<!\.test)\.ts$/.test(name)).flatMap((file) =>
  snippetsIn(file, (line) => line.replace(/^\s*\* ?/, "")),
);

it("every TypeScript snippet in the documents and in the comments of the sources compiles", () => {
  const { config } = ts.readConfigFile(path.join(root, "tsconfig.json"), (file) =>
    readFileSync(file, "utf8"),
  ) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const all = [...markdown, ...comments];
  const virtual = new Map(
    all.map((snippet, at) => [path.join(root, `docs/snippet-${at}.ts`), `${snippet.code}\nexport {};\n`]),
  );
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => virtual.has(file) || fileExists(file);
  host.readFile = (file) => virtual.get(file) ?? readFile(file);
  host.getSourceFile = (file, target, ...rest) => {
    const text = virtual.get(file);
    return text === undefined
      ? getSourceFile(file, target, ...rest)
      : ts.createSourceFile(file, text, target);
  };
  const program = ts.createProgram(
    [...virtual.keys()],
    { ...options, noEmit: true, noUnusedLocals: false, noUnusedParameters: false },
    host,
  );
  const faults = [...virtual.keys()].flatMap((file, at) => {
    const source = program.getSourceFile(file);
    const diagnostics = [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ];
    return diagnostics.map(
      ({ messageText }) => `${all[at]?.where}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  });
  expect(faults).toEqual([]);
  expect(markdown.length).toBeGreaterThan(5);
  expect(comments.length).toBeGreaterThan(5);
}, 120_000);
