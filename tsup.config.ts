import { existsSync, readFileSync } from "node:fs";
import { defineConfig } from "tsup";

// One configuration for every package; `scripts/build.mjs` runs it with the package's folder as the working directory.
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { private?: boolean };
const library = manifest.private !== true;

export default defineConfig({
  entry: existsSync("src/index.ts") ? { index: "src/index.ts" } : { main: "src/main.ts" },
  format: library ? ["esm", "cjs"] : ["esm"],
  dts: library,
  sourcemap: true,
  clean: true,
  target: "node20",
  platform: "node",
  splitting: false,
  shims: false,
  tsconfig: new URL("tsconfig.build.json", import.meta.url).pathname,
});
