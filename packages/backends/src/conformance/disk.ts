import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { refuses, seed, type BackendSubject, type Draft } from "./conformance-case.js";

const rootOf = ({ root }: BackendSubject): string => {
  assert.ok(root !== undefined, "the subject has no `root`, but does not lack the trait `disk`");
  return root;
};

/** What holds where the files are on a disk. */
export const diskDrafts: readonly Draft[] = [
  {
    name: "a file on the disk has the bytes that were written, and nothing lies beside it",
    needs: ["disk"],
    async test(backend, subject) {
      const root = rootOf(subject);
      await seed(backend, { "/d/f.txt": "ü\n" });
      assert.equal(await readFile(path.join(root, "d/f.txt"), "utf8"), "ü\n");
      assert.deepEqual(await readdir(path.join(root, "d")), ["f.txt"]);
    },
  },
  {
    name: "an edit keeps the line endings, the byte-order mark and the mode",
    needs: ["disk"],
    async test(backend, subject) {
      const file = path.join(rootOf(subject), "f.sh");
      await writeFile(file, "\ufeffone\r\ntwo\r\n");
      await chmod(file, 0o750);
      const { error } = await backend.edit("/f.sh", "one\ntwo", "1\n2");
      assert.equal(error, undefined);
      assert.equal(await readFile(file, "utf8"), "\ufeff1\r\n2\r\n");
      if (process.platform !== "win32") assert.equal((await stat(file)).mode & 0o777, 0o750);
    },
  },
  {
    name: "a binary file is not edited as text",
    needs: ["disk"],
    async test(backend, subject) {
      const file = path.join(rootOf(subject), "f.bin");
      const bytes = Buffer.from([0, 1, 2, 0xff, 0x61, 0, 0xfe]);
      await writeFile(file, bytes);
      await refuses("edit", () => backend.edit("/f.bin", "a", "b"));
      assert.deepEqual(await readFile(file), bytes);
    },
  },
  {
    name: "a link that leads out is not followed, to read or to write",
    needs: ["disk"],
    async test(backend, subject) {
      const root = rootOf(subject);
      const outside = path.join(root, "..", `${path.basename(root)}-outside`);
      await mkdir(outside);
      await writeFile(path.join(outside, "secret.txt"), "secret\n");
      await symlink(outside, path.join(root, "link"));
      await symlink(path.join(outside, "secret.txt"), path.join(root, "leaf.txt"));
      for (const file of ["/link/secret.txt", "/leaf.txt"]) {
        await refuses(`read ${file}`, () => backend.read(file));
        await refuses(`edit ${file}`, () => backend.edit(file, "secret", "x"));
        await refuses(`write ${file}`, () => backend.write(file, "x"));
      }
      assert.equal(JSON.stringify(await backend.grep("secret")).includes("secret\\n"), false);
      assert.equal(await readFile(path.join(outside, "secret.txt"), "utf8"), "secret\n");
    },
  },
];
