// Swaps a directory for a symbolic link and back, as often as it is told to: swap.mjs <directory> <target> <times>
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";

const [directory, target, times] = process.argv.slice(2);
const aside = `${directory}.aside`;
const attempt = (step) => {
  try {
    step();
  } catch {}
};
for (let n = 0; n < Number(times); n += 1) {
  attempt(() => renameSync(directory, aside));
  attempt(() => symlinkSync(target, directory));
  attempt(() => unlinkSync(directory));
  attempt(() => renameSync(aside, directory));
  if (n % 1_000 === 0) {
    attempt(() => mkdirSync(directory, { recursive: true }));
    attempt(() => writeFileSync(`${directory}/f.txt`, "inside\n"));
    attempt(() => rmSync(`${directory}/made`, { recursive: true, force: true }));
  }
}
