import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { FilesystemBackend } from "deepagents";
import { createJsSearch, createRipgrepSearch, type TextSearchQuery } from "../src/index";

const WORDS =
  "const let function return import export from await async interface type value index item result error".split(
    " ",
  );

/** The same tree at every run: a generator of its own, since Math.random has no seed. */
const makeTree = (root: string, files: number): number => {
  let state = 42;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  let bytes = 0;
  for (let at = 0; at < files; at += 1) {
    const folder = join(root, `package${at % 40}`, `folder${Math.floor(at / 40) % 25}`);
    if (at < 1_000) mkdirSync(folder, { recursive: true });
    const lines = Array.from(
      { length: 20 + random(120) },
      () =>
        `${"  ".repeat(random(4))}${Array.from({ length: 3 + random(8) }, () => WORDS[random(WORDS.length)]).join(" ")};`,
    );
    if (at % 997 === 0) lines.push("// needle in a haystack");
    const text = `${lines.join("\n")}\n`;
    bytes += text.length;
    writeFileSync(join(folder, `file${at}.ts`), text);
  }
  writeFileSync(join(root, ".gitignore"), "node_modules\n*.log\n/dist/\n");
  for (let at = 0; at < 40; at += 1)
    writeFileSync(join(root, `package${at}`, ".gitignore"), "coverage\n!keep.log\n");
  return bytes;
};

const rawRipgrep = (root: string, query: TextSearchQuery): Promise<void> =>
  new Promise((resolve, reject) => {
    const args = ["--no-config", "--no-require-git", "--json", ...(query.regex ? [] : ["-F"])];
    const child = spawn(rgPath, [...args, "-e", query.pattern, "--", "./"], {
      cwd: root,
      stdio: ["ignore", "pipe", "ignore"],
    });
    child.stdout.resume();
    child.once("error", reject);
    child.once("close", () => resolve());
  });

const median = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

const timed = async (run: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await run();
  return performance.now() - began;
};

export const searches = async ({
  files,
  rounds,
  slowRounds,
}: {
  files: number;
  rounds: number;
  slowRounds: number;
}) => {
  const root = mkdtempSync(join(tmpdir(), "bench-search-"));
  try {
    const megabytes = makeTree(root, files) / 1e6;
    const ours = createRipgrepSearch({ root, rgPath });
    const js = createJsSearch({ root });
    const backend = new FilesystemBackend({ rootDir: root, virtualMode: true });
    const queries: (TextSearchQuery & { name: string; note: string })[] = [
      { name: "a literal that is rare", pattern: "needle in a", note: "" },
      { name: "a literal that is nowhere", pattern: "no such text", note: "" },
      { name: "a literal that is everywhere", pattern: "interface", note: "" },
      {
        name: "a regular expression that is rare",
        pattern: "\\bneedle\\s+\\w+\\b",
        regex: true,
        note: "the backend has none",
      },
      {
        name: "a regular expression that is everywhere",
        pattern: "await (async|result)\\b",
        regex: true,
        note: "the backend has none",
      },
    ];
    const rows = [];
    for (const { name, note, ...query } of queries) {
      const times = {
        raw: [] as number[],
        ours: [] as number[],
        js: [] as number[],
        backend: [] as number[],
      };
      await rawRipgrep(root, query);
      for (let round = 0; round < rounds; round += 1) {
        times.raw.push(await timed(() => rawRipgrep(root, query)));
        times.ours.push(await timed(() => ours.search(query)));
        if (round >= slowRounds) continue;
        times.js.push(await timed(() => js.search(query)));
        if (!query.regex) times.backend.push(await timed(async () => backend.grep(query.pattern, "/")));
      }
      const { matchCount, truncated } = await ours.search({ ...query, maxMatches: Infinity });
      rows.push({
        name,
        note,
        matches: `${matchCount}${truncated ? "+" : ""}`,
        raw: median(times.raw),
        ours: median(times.ours),
        js: median(times.js),
        backend: times.backend.length > 0 ? median(times.backend) : undefined,
      });
    }
    const rgVersion = execFileSync(rgPath, ["--version"], { encoding: "utf8" }).split("\n")[0];
    return { files, megabytes, rgVersion, rows };
  } finally {
    rmSync(root, { recursive: true });
  }
};
