// npm run soak -- 2000: the crash tests in their long version, with so many kills (200 unless said).
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const { status } = spawnSync(
  "npx",
  [
    "vitest",
    "run",
    "--config",
    "vitest.workspace.ts",
    "--project",
    "checkpoint-sqljs",
    "kill",
    "power-cut",
    "damage",
  ],
  { cwd: root, stdio: "inherit", env: { ...process.env, SOAK: process.argv[2] ?? "200" } },
);
process.exit(status ?? 1);
