// docs/checklist.md maps lines of the checklist to the tests that show them. Every named test must exist, and must not
// be skipped for any reason but a named requirement (`requires: …`).
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./workspace.mjs";

const problems = [];
const text = readFileSync(path.join(root, "docs/checklist.md"), "utf8");
const rows = [...text.matchAll(/^\| (\d+)\s*\|[^|]*\| `([^`]+)` › (.+?)\s*\|$/gm)];
const seen = new Set();

for (const [, line, file, names] of rows) {
  seen.add(line);
  const at = path.join(root, file);
  if (!existsSync(at)) {
    problems.push(`line ${line}: there is no ${file}`);
    continue;
  }
  const source = readFileSync(at, "utf8");
  for (const name of names.split(" / ")) {
    const position = Math.max(source.indexOf(`"${name}"`), source.indexOf(`\`${name}\``));
    if (position < 0) {
      problems.push(`line ${line}: ${file} has no test named "${name}"`);
      continue;
    }
    const before = source.slice(Math.max(0, position - 60), position);
    const skipped = /\.(skip|todo|skipIf\([^)]*\))\($/.test(before.trimEnd());
    if (skipped && !/requires: /.test(name)) problems.push(`line ${line}: "${name}" is skipped`);
  }
}
if (rows.length === 0) problems.push("docs/checklist.md has no row that could be read");

if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\n`);
  process.exit(1);
}
process.stdout.write(`${seen.size} lines of the checklist are shown by ${rows.length} rows\n`);
