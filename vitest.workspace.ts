import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url));

const folders = (under: string): string[] =>
  readdirSync(`${root}${under}`)
    .filter((name) => existsSync(`${root}${under}/${name}/package.json`))
    .map((name) => `${under}/${name}`);

const packageName = (folder: string): string =>
  (JSON.parse(readFileSync(`${root}${folder}/package.json`, "utf8")) as { name: string }).name;

const packages = folders("packages");

// Tests see the sources of every package, so that a class has one identity whichever package imports it. What is
// published is tested by `scripts/check-pack.mjs`, on the built tarballs.
const alias = packages.flatMap((folder) => [
  { find: new RegExp(`^${packageName(folder)}$`), replacement: `${root}${folder}/src/index.ts` },
  // Further public entries, such as `@fiveseam/host/conformance`.
  {
    find: new RegExp(`^${packageName(folder)}/(?!package\\.json$)([^/]+)$`),
    replacement: `${root}${folder}/src/$1/index.ts`,
  },
]);

export default defineConfig({
  test: {
    // Two cores are the smallest machine this has to pass on.
    maxWorkers: 2,
    projects: [...packages, ...folders("examples"), "docs"].map((folder) => ({
      root: `${root}${folder}`,
      resolve: { alias },
      test: {
        name: folder.replace(/^packages\//, ""),
        include: ["src/**/*.test.ts", "test/**/*.test.ts", "*.test.ts"],
        globals: folder.endsWith("checkpoint-sqljs"),
        testTimeout: folder.startsWith("examples/") ? 120_000 : 30_000,
        hookTimeout: 30_000,
      },
    })),
  },
});
