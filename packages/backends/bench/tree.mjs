// A tree of source files with known needles, and one large file.
import { mkdirSync, openSync, closeSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";

export const FILES = 20_000;
export const LARGE_BYTES = 200 * 1024 * 1024;

const line = (n) =>
  `export const value${n} = compute(${n}, "${(n * 7919) % 10_007}"); // line of the bench\n`;

/** Makes the tree: 200 directories of 100 files of about 3 kB; every 100th file holds the needle once. */
export const makeTree = (root) => {
  for (let directory = 0; directory < FILES / 100; directory += 1) {
    const at = path.join(root, `pkg${directory % 20}`, `dir${directory}`);
    mkdirSync(at, { recursive: true });
    for (let n = 0; n < 100; n += 1) {
      const number = directory * 100 + n;
      let text = "";
      for (let each = 0; each < 40; each += 1) text += line(number + each);
      if (n === 50) text += "const found = needleInHaystack(1);\n";
      writeFileSync(path.join(at, `file${n}.${n % 4 === 0 ? "js" : "ts"}`), text);
    }
  }
};

export const makeLarge = (file) => {
  const fd = openSync(file, "w");
  const block = Buffer.from(Array.from({ length: 10_000 }, (_, n) => line(n)).join(""));
  for (let written = 0; written < LARGE_BYTES; written += block.length) writeSync(fd, block);
  closeSync(fd);
};
