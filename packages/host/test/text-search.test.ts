import { rgPath } from "@vscode/ripgrep";
import { it, expect } from "vitest";
import { createJsSearch, createRipgrepSearch } from "../src/index.js";
it("smoke", async () => {
  const root = new URL("../../..", import.meta.url).pathname;
  for (const make of [
    createJsSearch({ root }),
    createRipgrepSearch({ root, rgPath }),
    createRipgrepSearch({ root, rgPath: "/usr/bin/rg" }),
  ]) {
    let t = performance.now();
    const r = await make.search({ pattern: "HostError(", maxMatches: 5, beforeContext: 1 });
    console.log(
      r.engine,
      performance.now() - t,
      r.matchCount,
      r.limits,
      JSON.stringify(r.files[0]).slice(0, 300),
    );
    t = performance.now();
    const q = await make.search({
      pattern: "export const \\w+Search\\b",
      regex: true,
      globs: ["*.ts"],
      paths: ["packages"],
    });
    console.log(
      r.engine,
      performance.now() - t,
      q.matchCount,
      q.files.map((f) => f.path),
    );
    await expect(
      make.search({ pattern: "(\\w+\\s*)+$%", regex: true, caseSensitive: false }, { timeoutMs: 1500 }),
    ).rejects.toThrow("longer");
    t = performance.now();
    console.log((await make.files()).files.length, performance.now() - t);
  }
});
