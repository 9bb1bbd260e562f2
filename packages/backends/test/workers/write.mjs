// Overwrites files with whole new contents until it is killed: write.mjs <root>
import { WorkspaceBackend } from "../../dist/index.js";

const files = new WorkspaceBackend({ root: process.argv[2] });
process.stdout.write("ready");
for (let n = 0; ; n += 1) {
  const content = `${String(n % 10).repeat(200_000)}\n`;
  const result =
    n % 2 === 0
      ? await files.write("/a.txt", content)
      : await files.edit(
          "/a.txt",
          content.length > 0 ? `${String((n - 1) % 10).repeat(200_000)}` : "",
          content.trimEnd(),
        );
  if (result.error !== undefined) throw new Error(result.error);
}
