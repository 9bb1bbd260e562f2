import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as backend from "./own-backend.js";
import * as middleware from "./own-middleware.js";
import * as provider from "./own-provider.js";
import * as role from "./own-role.js";
import * as tool from "./own-tool.js";

const RECIPES = { backend, middleware, provider, role, tool };

const wanted = process.argv.slice(2);
const names = wanted.length > 0 ? wanted : Object.keys(RECIPES);
for (const name of names) {
  const recipe = (RECIPES as Record<string, { run(workspace: string, stateDir: string): Promise<string[]> }>)[
    name
  ];
  if (!recipe) {
    process.stderr.write(`There is no recipe "${name}"; there are ${Object.keys(RECIPES).join(", ")}.\n`);
    process.exitCode = 2;
    break;
  }
  const base = await mkdtemp(path.join(os.tmpdir(), "fiveseam-recipe-"));
  try {
    await mkdir(path.join(base, "work"));
    const said = await recipe.run(path.join(base, "work"), path.join(base, "state"));
    process.stdout.write(`own ${name}\n${said.map((line) => `  ${line}\n`).join("")}`);
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}
