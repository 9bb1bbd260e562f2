// Makes a change set and is disturbed at the nth call that touches the disk.
// commit.mjs kill <root> <n>: is killed before that call. commit.mjs fail <directory>: for each n in a root of its own, that call fails.
import fs, { mkdirSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";

const [mode, place, nth] = process.argv.slice(2);
let armed = false;
let calls = 0;
let at = Number(nth);
const disturbed =
  mode === "kill"
    ? ["renameSync", "unlinkSync", "openSync", "writeFileSync", "rmSync"]
    : ["renameSync", "unlinkSync", "openSync", "fsyncSync"];
for (const name of disturbed) {
  const original = fs[name];
  fs[name] = (...args) => {
    if (!armed) return original(...args);
    calls += 1;
    if (calls !== at) return original(...args);
    if (mode === "kill") process.kill(process.pid, "SIGKILL");
    throw Object.assign(new Error("disturbed"), { code: "EIO" });
  };
}
syncBuiltinESMExports();
const { WorkspaceBackend } = await import("../../dist/index.js");

const commit = async (root) => {
  const files = new WorkspaceBackend({ root });
  // Prepares the locks.
  await files.write("/warm.txt", "x");
  calls = 0;
  armed = true;
  const result = await files.commit([
    { kind: "edit", path: "/a.txt", oldString: "old", newString: "new" },
    { kind: "write", path: "/b.txt", content: "new b\n" },
    { kind: "delete", path: "/gone.txt" },
    { kind: "rename", path: "/from.txt", to: "/made/to.txt" },
  ]);
  armed = false;
  return result;
};

if (mode === "kill") {
  const result = await commit(place);
  writeSync(1, result.error ?? `done after ${calls}`);
} else {
  const outcomes = [];
  for (at = 1; ; at += 1) {
    const root = path.join(place, String(at));
    mkdirSync(root);
    for (const name of ["a", "b", "gone", "from"])
      fs.writeFileSync(path.join(root, `${name}.txt`), `old ${name}\n`);
    const { error } = await commit(root);
    if (calls < at) break;
    const found = {};
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath ?? entry.path, entry.name);
      if (entry.isFile() && entry.name !== "warm.txt")
        found[path.relative(root, file)] = readFileSync(file, "utf8");
    }
    outcomes.push({ at, error, found });
  }
  writeSync(1, JSON.stringify(outcomes));
}
