import { InMemoryStore } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { createSkillCatalog, skillIndex, storeFiles } from "../src/index.js";
import { filesOf } from "./support.js";

describe("store files", () => {
  it("lists what is in the namespace itself, all of it", async () => {
    const store = new InMemoryStore();
    await store.put(["team", "secret"], "/other.md", { content: "no" });
    for (let at = 0; at < 1_500; at += 1)
      await store.put(["team"], `/s${at}/SKILL.md`, { content: "---\nname: s\ndescription: d\n---\n" });
    const names = await storeFiles(store, ["team"]).list("/");
    expect(names).not.toContain("other.md");
    expect(names).toHaveLength(1_500);
  });
});

describe("skills", () => {
  it("print nothing", async () => {
    const printed: unknown[] = [];
    const listen = (w: unknown) => printed.push(w);
    process.on("warning", listen);
    const files = filesOf({
      "/s/x/SKILL.md":
        "---\nname: !foo x\ndescription: !bar d\nallowed-tools: [{ toString: 1 }, a]\n__proto__: { license: MIT }\n---\nbody",
    });
    const catalog = createSkillCatalog({ sources: [{ label: "l", files, directory: "/s/" }] });
    expect((await catalog.list()).map(({ allowedTools, license }) => [allowedTools, license])).toEqual([
      [["a"], undefined],
    ]);
    await new Promise((r) => setTimeout(r, 5));
    process.off("warning", listen);
    expect(printed).toEqual([]);
    expect(skillIndex(catalog).title).toBe("Skills");
  });
});
