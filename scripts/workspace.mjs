// The workspace's packages and how they depend on each other. Dependency-free: it runs before `npm ci` has.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** @returns {{ name: string, dir: string, folder: string, manifest: any, needs: string[] }[]} in build order */
export function workspacePackages() {
  const found = ["packages", "examples"].flatMap((under) =>
    readdirSync(path.join(root, under))
      .filter((name) => existsSync(path.join(root, under, name, "package.json")))
      .map((name) => {
        const dir = path.join(root, under, name);
        const manifest = JSON.parse(readFileSync(path.join(dir, "package.json"), "utf8"));
        return { name: manifest.name, dir, folder: `${under}/${name}`, manifest };
      }),
  );
  const names = new Set(found.map((entry) => entry.name));
  const entries = found.map((entry) => ({
    ...entry,
    needs: Object.keys({ ...entry.manifest.dependencies, ...entry.manifest.devDependencies }).filter((name) =>
      names.has(name),
    ),
  }));
  const ordered = [];
  const state = new Map();
  const visit = (entry, trail) => {
    if (state.get(entry.name) === "done") return;
    if (state.get(entry.name) === "open") {
      throw new Error(`Packages depend on each other in a circle: ${[...trail, entry.name].join(" -> ")}`);
    }
    state.set(entry.name, "open");
    for (const need of entry.needs) {
      visit(
        entries.find((other) => other.name === need),
        [...trail, entry.name],
      );
    }
    state.set(entry.name, "done");
    ordered.push(entry);
  };
  for (const entry of entries) visit(entry, []);
  return ordered;
}

/** Newest modification time, in ms, of a file or of everything below a directory; 0 when it is not there. */
export function newest(target, skip = () => false) {
  if (!existsSync(target)) return 0;
  const stat = statSync(target);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(target)
    .filter((name) => name !== "node_modules" && name !== "dist" && !skip(name))
    .reduce((latest, name) => Math.max(latest, newest(path.join(target, name), skip)), 0);
}

const isTest = (name) => /\.test\.tsx?$/.test(name);

/** The packages whose output is missing or older than its sources, its manifest, the build's configuration or a package it needs. */
export function stalePackages() {
  const shared = Math.max(
    ...["tsup.config.ts", "tsconfig.json", "tsconfig.build.json", "package-lock.json"].map((file) =>
      newest(path.join(root, file)),
    ),
  );
  const stale = new Set();
  return workspacePackages().filter((entry) => {
    const main = path.join(entry.dir, "dist", entry.manifest.private ? "main.js" : "index.d.cts");
    const built = newest(main);
    const sources = Math.max(
      newest(path.join(entry.dir, "src"), isTest),
      newest(path.join(entry.dir, "package.json")),
    );
    const old =
      built === 0 || built < sources || built < shared || entry.needs.some((need) => stale.has(need));
    if (old) stale.add(entry.name);
    return old;
  });
}
