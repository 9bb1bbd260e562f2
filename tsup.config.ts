import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { defineConfig, type Options } from "tsup";

// One configuration for every package; `scripts/build.mjs` runs it with the package's folder as the working directory.
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  private?: boolean;
  exports?: Record<string, { browser?: unknown } | string>;
  /** Files of other packages that are shipped beside the build. */
  assets?: string[];
};
const library = manifest.private !== true;

/** Further public entries: `./conformance` of the manifest's exports is built from `src/conformance/index.ts`. */
const subpaths = Object.keys(manifest.exports ?? {})
  .map((name) => name.slice(2))
  .filter((name) => existsSync(`src/${name}/index.ts`) && name !== "");

const copyAssets = (): Promise<void> => {
  const require = createRequire(path.resolve("package.json"));
  for (const asset of manifest.assets ?? [])
    copyFileSync(require.resolve(asset), path.join("dist", path.basename(asset)));
  return Promise.resolve();
};

const common: Options = {
  format: library ? ["esm", "cjs"] : ["esm"],
  sourcemap: true,
  target: "node20",
  splitting: false,
  shims: false,
  tsconfig: new URL("tsconfig.build.json", import.meta.url).pathname,
};

/** In a browser build `thing.browser.ts` takes the place of `thing.ts`. */
const browserFiles: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "browser files",
  setup(build) {
    build.onLoad({ filter: /[/\\]src[/\\][^/\\]+\.ts$/ }, ({ path }) => {
      const instead = path.replace(/\.ts$/, ".browser.ts");
      return existsSync(instead) ? { contents: readFileSync(instead, "utf8"), loader: "ts" } : undefined;
    });
  },
};

const builds: Options[] = [
  {
    ...common,
    entry: existsSync("src/index.ts")
      ? {
          index: "src/index.ts",
          ...Object.fromEntries(subpaths.map((name) => [name, `src/${name}/index.ts`])),
          ...(existsSync("src/cli.ts") ? { cli: "src/cli.ts" } : {}),
        }
      : { main: "src/main.ts" },
    dts: library,
    onSuccess: copyAssets,
    platform: "node",
  },
];
const main = manifest.exports?.["."];
if (typeof main === "object" && main.browser !== undefined)
  builds.push({
    ...common,
    entry: { browser: "src/index.ts" },
    format: ["esm"],
    target: "es2022",
    platform: "browser",
    esbuildPlugins: [browserFiles],
  });

export default defineConfig(builds);
