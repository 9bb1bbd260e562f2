// Changes files, or undoes that, and is killed before the nth call that touches the disk:
// undo.mjs change|undo <root> <directory> <n>
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const [what, root, directory, nth] = process.argv.slice(2);
let armed = false;
let calls = 0;
for (const name of ["renameSync", "unlinkSync", "openSync", "writeSync", "writeFileSync", "rmSync"]) {
  const original = fs[name];
  fs[name] = (...args) => {
    if (armed && ++calls === Number(nth)) process.kill(process.pid, "SIGKILL");
    return original(...args);
  };
}
syncBuiltinESMExports();
const { withUndo, WorkspaceBackend } = await import("../../dist/index.js");
const files = withUndo(new WorkspaceBackend({ root }), { directory, runId: "run" });
armed = what === "change";
await files.edit("/a.txt", "old", "new");
await files.write("/made.txt", "new\n");
await files.delete("/d");
armed = what === "undo";
await files.undo({ run: "run" });
