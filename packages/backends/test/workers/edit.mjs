// Puts its lines into files, one edit after the other: edit.mjs <root> <name> <count> <files>
import { FreshnessLedger, withFreshness, WorkspaceBackend } from "../../dist/index.js";

const [root, name, count, names] = process.argv.slice(2);
const files = withFreshness(new WorkspaceBackend({ root, fsync: false }), {
  ledger: new FreshnessLedger(),
  agent: name,
});
let refused = 0;
for (let n = 0; n < Number(count); n += 1) {
  for (const file of names.split(",")) {
    for (;;) {
      const result = await files.edit(file, "<end>", `${name} ${n}\n<end>`);
      if (result.error === undefined) break;
      if (result.errorKind !== "stale" && result.errorKind !== "conflict") throw new Error(result.error);
      refused += 1;
      await files.read(file);
    }
  }
}
process.stdout.write(String(refused));
