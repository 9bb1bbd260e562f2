// `npm run bench` of a package whose benchmark is two files: bench/workloads.ts, bundled and measured, and bench/page.mjs, which
// makes of it the page that is printed and written to docs/benchmarks. `--quick` measures less and writes nothing.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./workspace.mjs";

const load = (file) => import(pathToFileURL(file).href);

const bench = resolve("bench");
const quick = process.argv.includes("--quick");
/** `name` of the page, and `measure(workloads, quick)`, which gives its lines. */
const { name, measure } = await load(join(bench, "page.mjs"));
// Inside the repository, so that the bundle finds the packages that it leaves out.
const out = mkdtempSync(join(bench, ".out-"));
try {
  const file = join(out, "workloads.mjs");
  await build({
    entryPoints: [join(bench, "workloads.ts")],
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  const text = (await measure(await load(file), quick)).join("\n");
  process.stdout.write(text);
  if (!quick) {
    const folder = join(root, "docs/benchmarks");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.md`), text);
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}
