// The import rules of docs/architecture.md: who may import whom. Prints each breach and exits with 1.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root, workspacePackages } from "./workspace.mjs";

/** For each package the siblings it may import; `types` are siblings of which only types may be imported. */
const RULES = {
  fiveseam: {
    may: [
      "models",
      "failover",
      "tool-pipeline",
      "shell-policy",
      "host",
      "backends",
      "coding-tools",
      "subagents",
      "context",
      "checkpoint-sqljs",
    ],
  },
  models: { may: ["failover"] },
  failover: { may: [] },
  "tool-pipeline": { may: [] },
  "shell-policy": { may: [] },
  host: { may: [] },
  backends: { may: [], types: ["tool-pipeline"] },
  "coding-tools": { may: ["tool-pipeline", "host", "shell-policy"], types: ["backends"] },
  subagents: { may: ["tool-pipeline", "backends"] },
  context: { may: [] },
  "checkpoint-sqljs": { may: [] },
  testing: { may: ["models"] },
};
/** Packages whose code, and not only their types, may come from deepagents. */
const DEEPAGENTS = ["fiveseam", "backends", "subagents", "context"];

const files = (dir) =>
  readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|mts|mjs|js)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !/\/(node_modules|dist)\//.test(file));

/** Imports of a source, without those that stand in comments (documentation shows whole programs). */
export const importsOf = (source) => {
  const code = source.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
  const found = [];
  const pattern =
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?(?:[^;'"]*?\sfrom\s+)?["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)/g;
  for (const match of code.matchAll(pattern)) {
    found.push({ specifier: match[2] ?? match[3], types: match[1] !== undefined });
  }
  return found;
};

const breaches = [];
const packages = workspacePackages();
const short = (name) => (name === "fiveseam" ? name : name.replace("@fiveseam/", ""));

for (const entry of packages) {
  const inPackages = entry.folder.startsWith("packages/");
  const own = short(entry.name);
  const rule = RULES[own];
  if (inPackages && !rule) breaches.push(`${entry.folder} has no row in scripts/check-imports.mjs`);
  for (const file of files(entry.dir)) {
    const where = path.relative(root, file);
    if (where.includes("demo/workspace/")) continue;
    // A benchmark may measure what a package may not be built on.
    const test = /\.test\.ts$|\/(?:test|bench)\//.test(where);
    for (const { specifier, types } of importsOf(readFileSync(file, "utf8"))) {
      if (/^(@fiveseam\/[^/]+|fiveseam)\/(src|dist)(\/|$)/.test(specifier)) {
        breaches.push(`${where}: deep import of ${specifier}`);
      }
      if (specifier.startsWith(".")) {
        const target = path.relative(root, path.resolve(path.dirname(file), specifier));
        if (!target.startsWith(`${entry.folder}/`))
          breaches.push(`${where}: reaches out of its package to ${target}`);
        continue;
      }
      const sibling = /^(?:@fiveseam\/([^/]+)|(fiveseam)$)/.exec(specifier);
      const named = sibling?.[1] ?? sibling?.[2];
      if (!inPackages || test) continue;
      if (
        named &&
        named !== own &&
        rule &&
        !rule.may.includes(named) &&
        !(types && rule.types?.includes(named))
      ) {
        breaches.push(`${where}: ${own} may not import ${specifier}${types ? " (types)" : ""}`);
      }
      if (named && named !== own && !types && !Object.hasOwn(entry.manifest.dependencies ?? {}, specifier)) {
        breaches.push(`${where}: ${specifier} is not a dependency in ${entry.folder}/package.json`);
      }
      if (specifier === "deepagents" && !types && !DEEPAGENTS.includes(own)) {
        breaches.push(`${where}: ${own} may import only types of deepagents`);
      }
    }
  }
  if (!inPackages) continue;
  const dependencies = { ...entry.manifest.dependencies, ...entry.manifest.peerDependencies };
  for (const name of Object.keys(dependencies)) {
    if (
      /^(@langchain\/|langchain$|deepagents$)/.test(name) &&
      Object.hasOwn(entry.manifest.dependencies ?? {}, name)
    ) {
      breaches.push(`${entry.folder}: ${name} must be a peer dependency`);
    }
  }
}

if (breaches.length > 0) {
  process.stderr.write(`${breaches.join("\n")}\n`);
  process.exit(1);
}
