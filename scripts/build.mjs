// Builds the packages whose output is stale, in dependency order. `--all` builds every package.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, rmSync } from "node:fs";
import path from "node:path";
import { root, stalePackages, workspacePackages } from "./workspace.mjs";

const wanted = process.argv.includes("--all") ? workspacePackages() : stalePackages();
const tsup = path.join(root, "node_modules", "tsup", "dist", "cli-default.js");

for (const [index, entry] of wanted.entries()) {
  process.stderr.write(`building ${entry.folder} (${index + 1} of ${wanted.length})\n`);
  // Not tsup's `clean`: of two builds into one folder the second would delete what the first made.
  rmSync(path.join(entry.dir, "dist"), { recursive: true, force: true });
  const args = [tsup, "--config", path.join(root, "tsup.config.ts"), "--silent"];
  const result = spawnSync(process.execPath, args, { cwd: entry.dir, encoding: "utf8" });
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout}${result.stderr}\nThe build of ${entry.folder} failed.\n`);
    process.exit(1);
  }
  // npm packs a LICENSE only from the package's own folder.
  const license = path.join(entry.dir, "LICENSE");
  if (!entry.manifest.private && !existsSync(license)) copyFileSync(path.join(root, "LICENSE"), license);
}
