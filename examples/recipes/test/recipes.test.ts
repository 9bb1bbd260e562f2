import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";

const places = async (): Promise<[string, string]> => {
  const base = await mkdtemp(path.join(os.tmpdir(), "fiveseam-recipe-"));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  await mkdir(path.join(base, "work"));
  return [path.join(base, "work"), path.join(base, "state")];
};

it.each([
  ["own-tool", ["In plan mode there is no deploy.", "asked: deploy", "main is on staging."]],
  ["own-role", ["write_file: success", "write_file: error"]],
  ["own-provider", ["I am acme's large model."]],
  [
    "own-middleware",
    [
      "completed: Hello.",
      "middleware_failed: The middleware Glossary failed and was left out of a call: the glossary is not reachable",
      "failed: This must not leave the house.",
    ],
  ],
  ["own-backend", ["Good morning"]],
])("%s does what it says", async (name, said) => {
  const { run } = (await import(`../src/${name}.ts`)) as { run(...at: string[]): Promise<string[]> };
  expect([...new Set(await run(...(await places())))].toSorted()).toEqual(said.toSorted());
});
