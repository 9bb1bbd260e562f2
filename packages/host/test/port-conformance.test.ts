import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { describe, it } from "vitest";
import type { ConformanceCase } from "../src/conformance/conformance-case.js";
import { processConformance } from "../src/conformance/process.js";
import { terminalConformance } from "../src/conformance/terminal.js";
import { testRunnerConformance } from "../src/conformance/test-runner.js";
import { textSearchConformance } from "../src/conformance/text-search.js";
import {
  createJsSearch,
  createNodeProcess,
  createNodeTerminal,
  createNodeTestRunner,
  createRipgrepSearch,
  createSandboxedProcess,
} from "../src/index.js";

const inFolder = async <Port>(
  files: Readonly<Record<string, string | Uint8Array>>,
  make: (root: string) => Port,
): Promise<{ port: Port; close: () => Promise<void> }> => {
  const root = await mkdtemp(path.join(os.tmpdir(), "fiveseam-port-"));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
  }
  return { port: make(root), close: () => rm(root, { recursive: true, force: true }) };
};

const sandboxWorks = ((): boolean => {
  try {
    execFileSync("bwrap", ["--unshare-net", "--ro-bind", "/", "/", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

const suites: [string, ConformanceCase[]][] = [
  [
    "createJsSearch",
    textSearchConformance({ create: (tree) => inFolder(tree, (root) => createJsSearch({ root })) }),
  ],
  [
    "createRipgrepSearch",
    textSearchConformance({
      create: (tree) => inFolder(tree, (root) => createRipgrepSearch({ root, rgPath })),
    }),
  ],
  [
    "createNodeTerminal",
    terminalConformance({
      create: () => inFolder({}, (root) => createNodeTerminal({ root, killGraceMs: 400 })),
    }),
  ],
  [
    "createNodeTestRunner",
    testRunnerConformance({
      create: (project) =>
        inFolder(project, (root) => createNodeTestRunner({ root, process: createNodeProcess({ root }) })),
    }),
  ],
  [
    "createNodeProcess",
    processConformance({ create: () => inFolder({}, (root) => createNodeProcess({ root })) }),
  ],
];

describe.each(suites)("%s keeps its promises:", (_, cases) => {
  it.each(cases.map((each) => [each.name, each] as const))("%s", (_name, each) => each.run());
});

describe.skipIf(!sandboxWorks)("createSandboxedProcess keeps its promises [requires: bubblewrap]:", () => {
  const cases = processConformance({
    create: () => inFolder({}, (root) => createSandboxedProcess(createNodeProcess({ root }), { root })),
  });
  it.each(cases.map((each) => [each.name, each] as const))("%s", (_name, each) => each.run());
});
