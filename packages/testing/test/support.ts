import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A file in a folder that is gone after the test. */
export const scratchFile = (name = "cassette.jsonl"): string => {
  const folder = mkdtempSync(path.join(tmpdir(), "fiveseam-testing-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, name);
};
