// What the packages' benchmarks share: `workloads.ts` beside the script is bundled and measured, and the page that comes of
// it is printed and written to docs/benchmarks. `--quick` measures less and writes nothing.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./workspace.mjs";

/**
 * @param {string} script `import.meta.url` of the benchmark
 * @param {string} page name of the file in docs/benchmarks, without its ending
 * @param {(workloads: any, quick: boolean) => string[] | Promise<string[]>} measure gives the page's lines
 */
export async function benchmark(script, page, measure) {
  const bench = dirname(fileURLToPath(script));
  const quick = process.argv.includes("--quick");
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
    const text = (await measure(await import(pathToFileURL(file).href), quick)).join("\n");
    process.stdout.write(text);
    if (!quick) {
      const folder = join(root, "docs/benchmarks");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${page}.md`), text);
    }
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
