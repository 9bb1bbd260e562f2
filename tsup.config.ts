import { existsSync, readFileSync } from "node:fs";
import { defineConfig, type Options } from "tsup";

// One configuration for every package; `scripts/build.mjs` runs it with the package's folder as the working directory.
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  private?: boolean;
  exports?: Record<string, { browser?: unknown }>;
};
const library = manifest.private !== true;

/** Further public entries: `./conformance` of the manifest's exports is built from `src/conformance/index.ts`. */
const subpaths = Object.keys(manifest.exports ?? {})
  .map((name) => name.slice(2))
  .filter((name) => existsSync(`src/${name}/index.ts`) && name !== "");

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
        }
      : { main: "src/main.ts" },
    dts: library,
    platform: "node",
  },
];
if (manifest.exports?.["."]?.browser !== undefined)
  builds.push({
    ...common,
    entry: { browser: "src/index.ts" },
    format: ["esm"],
    target: "es2022",
    platform: "browser",
    esbuildPlugins: [browserFiles],
  });

export default defineConfig(builds);
