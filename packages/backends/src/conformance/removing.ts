import assert from "node:assert/strict";
import { refuses, seed, textOf, type Draft } from "./conformance-case.js";

const BYTES = Uint8Array.from({ length: 256 }, (_, n) => n);

/** Deleting files, and moving whole files in and out. */
export const removeDrafts: readonly Draft[] = [
  {
    name: "a file that is deleted is gone, and its neighbours are not",
    needs: ["delete"],
    async test(backend) {
      await seed(backend, { "/a.txt": "1", "/a.txt.bak": "2" });
      assert.equal((await backend.delete?.("/a.txt"))?.error, undefined);
      await refuses("read", () => backend.read("/a.txt"));
      assert.equal(await textOf(backend, "/a.txt.bak"), "2");
      await refuses("delete", () => backend.delete?.("/a.txt"));
    },
  },
  {
    name: "a directory is deleted with all in it, and not the one whose name it begins",
    needs: ["delete"],
    async test(backend) {
      await seed(backend, { "/d/a.txt": "1", "/d/e/b.txt": "2", "/dd/c.txt": "3" });
      assert.equal((await backend.delete?.("/d"))?.error, undefined);
      const { files = [] } = await backend.glob("**/*.txt");
      assert.deepEqual(
        files.map(({ path }) => path),
        ["/dd/c.txt"],
      );
    },
  },
  {
    name: "files are put in and taken out as they are, answered in the order of the question",
    needs: ["transfer"],
    async test(backend) {
      const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
      const stored = await backend.uploadFiles?.([
        ["/b.txt", bytes("b\r\n")],
        ["/a.txt", bytes("ä")],
      ]);
      assert.deepEqual(
        stored?.map(({ error }) => error),
        [null, null],
      );
      const [missing, a, b] = (await backend.downloadFiles?.(["/missing", "/a.txt", "/b.txt"])) ?? [];
      assert.equal(missing?.error, "file_not_found");
      assert.equal(new TextDecoder().decode(a?.content ?? undefined), "ä");
      assert.equal(new TextDecoder().decode(b?.content ?? undefined), "b\r\n");
    },
  },
  {
    name: "bytes that are no text come back as they were",
    needs: ["transfer", "binary"],
    async test(backend) {
      await backend.uploadFiles?.([["/blob.bin", BYTES]]);
      const [blob] = (await backend.downloadFiles?.(["/blob.bin"])) ?? [];
      assert.deepEqual(Uint8Array.from(blob?.content ?? []), BYTES);
    },
  },
];
