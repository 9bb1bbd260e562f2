// Measures WorkspaceBackend beside deepagents' FilesystemBackend and ripgrep, and writes docs/benchmarks/backends.md.
import { execFileSync, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { FilesystemBackend } from "deepagents";
import { WorkspaceBackend } from "../dist/index.js";
import { FILES, LARGE_BYTES, makeLarge, makeTree } from "./tree.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const base = mkdtempSync(path.join(os.tmpdir(), "fiveseam-bench-"));
const RUNS = Number(process.env.BENCH_RUNS ?? 5);
const NEEDLE = "needleInHaystack";

const measured = async (work) => {
  const start = performance.now();
  await work?.();
  return performance.now() - start;
};

/**
 * Lower quartiles of several runs, in milliseconds; the first one warms up. By turns, so that what else the machine does meets
 * all alike. Undefined for what is undefined.
 */
const timeAll = async (works) => {
  for (const work of works) await work?.();
  const once = [];
  for (const work of works) once.push(await measured(work));
  const runs = Math.max(...once) < 100 ? RUNS * 10 : RUNS;
  const times = works.map(() => []);
  for (let run = 0; run < runs; run += 1)
    for (const [at, work] of works.entries()) times[at].push(await measured(work));
  return works.map((work, at) => work && times[at].sort((one, other) => one - other)[Math.floor(runs / 4)]);
};
const time = async (work) => (await timeAll([work]))[0];

const expectNoError = (result) => {
  if (result.error !== undefined) throw new Error(result.error);
  return result;
};

const rg = (...args) => spawnSync("rg", args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
const hasRipgrep = rg("--version").status === 0;

/** What the system takes for looking at each file through a directory that is held, and nothing else. */
const throughDirectories = (root, look) => () => {
  for (const pkg of readdirSync(root)) {
    if (!pkg.startsWith("pkg")) continue;
    for (const name of readdirSync(path.join(root, pkg))) {
      const held = openSync(path.join(root, pkg, name), "r");
      const directory = process.platform === "linux" ? `/proc/self/fd/${held}` : path.join(root, pkg, name);
      for (const file of readdirSync(directory)) look(`${directory}/${file}`);
      closeSync(held);
    }
  }
};
const buffer = Buffer.alloc(1024 * 1024);
const readIt = (file) => {
  const fd = openSync(file, "r");
  fstatSync(fd);
  readSync(fd, buffer, 0, buffer.length, null);
  closeSync(fd);
};

const score = (module) => {
  const json = path.join(base, "score.json");
  spawnSync(
    process.execPath,
    [
      path.join(here, "../test/cases/harness.mjs"),
      "--cases",
      path.join(here, "../test/cases/given.jsonl"),
      "--module",
      module,
      "--json",
      json,
      "--quiet",
    ],
    { stdio: "ignore" },
  );
  if (!existsSync(json)) return "did not end";
  const { results } = JSON.parse(readFileSync(json, "utf8"));
  return `${results.filter(({ strict }) => strict).length} of ${results.length}`;
};

try {
  const root = path.join(base, "tree");
  mkdirSync(root);
  makeTree(root);
  const largeRoot = path.join(base, "large");
  mkdirSync(largeRoot);
  makeLarge(path.join(largeRoot, "large.ts"));
  const medium = path.join(root, "medium.txt");
  const text = `${"0123456789abcdef\n".repeat(6_000)}marker\n`;
  writeFileSync(medium, text);

  const ours = new WorkspaceBackend({ root });
  const fast = new WorkspaceBackend({ root, fsync: false });
  const theirs = new FilesystemBackend({ rootDir: root, virtualMode: true });
  const rows = [];
  const row = async (what, { mine, other, raw, rawName }) => {
    const found = await timeAll([mine, other, raw]);
    rows.push({ what, found, rawName });
    process.stderr.write(`${what}: ${found.map((ms) => ms?.toFixed(1)).join(" | ")}\n`);
  };
  let flip = false;
  const editWith = (backend) => async () => {
    flip = readFileSync(medium, "utf8").includes("marker\n");
    expectNoError(
      await backend.edit("/medium.txt", flip ? "marker\n" : "other!\n", flip ? "other!\n" : "marker\n"),
    );
  };

  await row(`grep, ${FILES} files, 200 matches`, {
    mine: async () => expectNoError(await ours.grep(NEEDLE, "/")),
    other: async () => expectNoError(await theirs.grep(NEEDLE, "/")),
    raw: hasRipgrep ? () => rg("--fixed-strings", "--hidden", "--line-number", NEEDLE, root) : undefined,
    rawName: "rg",
  });
  const { PATH } = process.env;
  process.env.PATH = "";
  await row(`the same without ripgrep on the path`, {
    mine: async () => expectNoError(await ours.grep(NEEDLE, "/")),
    other: async () => expectNoError(await theirs.grep(NEEDLE, "/")),
  });
  process.env.PATH = PATH;
  await row(`glob **/*.ts, ${FILES} files`, {
    mine: async () => expectNoError(await ours.glob("**/*.ts", "/")),
    other: async () => expectNoError(await theirs.glob("**/*.ts", "/")),
    raw: hasRipgrep ? () => rg("--files", "--hidden", "--glob", "**/*.ts", root) : undefined,
    rawName: "rg --files",
  });
  await row("ls, 100 entries", {
    mine: async () => expectNoError(await ours.ls("/pkg0/dir0")),
    other: async () => expectNoError(await theirs.ls("/pkg0/dir0")),
  });
  await row("read a page of a file of 100 kB", {
    mine: async () => expectNoError(await ours.read("/medium.txt", 1_000, 100)),
    other: async () => expectNoError(await theirs.read("/medium.txt", 1_000, 100)),
  });
  const largeOurs = new WorkspaceBackend({ root: largeRoot });
  const largeTheirs = new FilesystemBackend({ rootDir: largeRoot, virtualMode: true });
  await row(`read a page of a file of ${LARGE_BYTES >> 20} MB`, {
    mine: async () => expectNoError(await largeOurs.read("/large.ts", 1_000, 100)),
    other: async () => expectNoError(await largeTheirs.read("/large.ts", 1_000, 100)),
  });
  const plain = () => writeFileSync(medium, readFileSync(medium, "utf8"));
  await row("edit a file of 100 kB, without fsync", {
    mine: editWith(fast),
    other: editWith(theirs),
    raw: plain,
    rawName: "plain read and write",
  });
  await row("edit a file of 100 kB, with fsync (the default)", { mine: editWith(ours) });

  const reading = await time(throughDirectories(root, readIt));
  const looking = await time(throughDirectories(root, (file) => lstatSync(file)));

  const ms = (value) =>
    value === undefined ? "-" : `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
  const times = (one, other) =>
    one === undefined || other === undefined ? "-" : `${(one / other).toFixed(2)}`;
  const table = rows.map(
    ({ what, found: [mine, other, raw], rawName }) =>
      `| ${what} | ${ms(mine)} | ${ms(other)} | ${raw === undefined ? "-" : `${ms(raw)} (${rawName})`} | ${times(other, mine)} | ${times(mine, raw)} |`,
  );
  const verdict = (ratio, most) =>
    ratio === undefined || Number.isNaN(ratio) ? "not measured" : ratio <= most ? "met" : "**missed**";
  const foundOf = (begins) => rows.find(({ what }) => what.startsWith(begins)).found;
  const goal = (what, begins, most, against) => {
    const [mine, other, raw] = foundOf(begins);
    const ratio = mine / (against === "raw" ? raw : other);
    return `| ${what} | ${most.toFixed(2)} | ${ratio.toFixed(2)} | ${verdict(ratio, most)} |`;
  };
  const goals = [
    goal("grep, of rg's time", "grep", 1.3, "raw"),
    goal("grep, of FilesystemBackend's time with ripgrep", "grep", 1 / 3, "other"),
    goal("grep, of FilesystemBackend's time without ripgrep", "the same without", 1 / 3, "other"),
    goal("glob, of rg's time", "glob", 1.3, "raw"),
    goal("glob, of FilesystemBackend's time", "glob", 1 / 3, "other"),
    goal(
      "an edit of 100 kB without fsync, of a plain read and write",
      "edit a file of 100 kB, without",
      2,
      "raw",
    ),
  ];
  const cpu = os.cpus();
  const lines = [
    "# Backends",
    "",
    "Written by `npm run bench -w @fiveseam/backends`. Lower quartiles of " +
      `${RUNS} runs by turns after one to warm up, on ${cpu.length} cores of ${cpu[0]?.model.trim() ?? "an unknown processor"}, Node ${process.versions.node}, ${hasRipgrep ? execFileSync("rg", ["--version"], { encoding: "utf8" }).split("\n")[0] : "no ripgrep"}, deepagents 1.14.1.`,
    "",
    "| | WorkspaceBackend | FilesystemBackend | raw | faster than FilesystemBackend, times | raw, times |",
    "| --- | --- | --- | --- | --- | --- |",
    ...table,
    "",
    "| | goal, at most | measured | |",
    "| --- | --- | --- | --- |",
    ...goals,
    "",
    `FilesystemBackend greps with ripgrep where there is one, and so cannot be outrun by three times there. WorkspaceBackend reads every file through a descriptor of a directory that it holds, in JavaScript, so that the answer is the same everywhere; from 2,000 files on it is helped by threads, one less than there are processors. The floor: to open, look at, read and close the ${FILES} files in this way, without searching them, takes one thread ${ms(reading)} here. Of each file that glob answers with it tells size and date, for which it has to look at it, and rg does not: of all ${FILES} files that alone takes ${ms(looking)}, and glob answers with 10,000.`,
    "",
    "An edit takes a lock, writes a file beside the old one and renames it. The plain read and write has varied between 0.4 and 2.3 ms from run to run here: the goal was met against a slow one and is missed against a quick one. The machine is shared with other work, and a search that several threads take part in is as fast as the processors are free.",
    "",
    "| The given cases, strictly | |",
    "| --- | --- |",
    `| WorkspaceBackend with a ledger | ${score(path.join(here, "../test/cases-module.mjs"))} |`,
    `| deepagents' FilesystemBackend in virtual mode | ${score(path.join(here, "filesystem-module.mjs"))} |`,
    "",
  ];
  writeFileSync(path.join(here, "../../../docs/benchmarks/backends.md"), lines.join("\n"));
  process.stdout.write(lines.join("\n"));
} finally {
  rmSync(base, { recursive: true, force: true });
}
