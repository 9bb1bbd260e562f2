import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSkillCatalog, skillIndex, type ContextWarning } from "../src/index.js";
import { filesOf } from "./support.js";

const skill = (name: string, extra = "", body = "Do it."): string =>
  `---\nname: ${name}\ndescription: >-\n  What ${name}\n  is for: "things".\n${extra}---\n\n${body}\n`;

const catalogOf = (files: Record<string, string | Error>, more: object = {}) => {
  const warnings: ContextWarning[] = [];
  const catalog = createSkillCatalog({
    sources: [
      {
        label: "project",
        files: filesOf(files),
        directory: "/workspace/.fiveseam/skills/",
        realDirectory: "/repo/.fiveseam/skills",
      },
      { label: "user", files: filesOf(files), directory: "/user/skills" },
    ],
    onWarning: (warning) => warnings.push(warning),
    ...more,
  });
  return { catalog, warnings };
};

describe("createSkillCatalog", () => {
  it("reads real YAML, CRLF and a byte-order mark, and knows where a skill is on the disk", async () => {
    const { catalog, warnings } = catalogOf({
      "/workspace/.fiveseam/skills/release/SKILL.md":
        `\uFEFF${skill("release", "license: MIT\nallowed-tools: [Bash, Read]\n")}`.replaceAll("\n", "\r\n"),
      "/workspace/.fiveseam/skills/release/scripts/tag.sh": "echo",
    });
    expect(await catalog.list()).toEqual([
      {
        name: "release",
        description: 'What release is for: "things".',
        license: "MIT",
        allowedTools: ["Bash", "Read"],
        source: "project",
        directory: "/workspace/.fiveseam/skills/release/",
        realDirectory: "/repo/.fiveseam/skills/release/",
      },
    ]);
    expect(await catalog.read("release")).toMatchObject({ body: "Do it.", files: ["scripts/tag.sh"] });
    expect(await catalog.file("release", "scripts/tag.sh")).toBe("echo");
    expect(warnings).toEqual([]);
  });

  it("prefers the workspace's skill to the user's of the same name, silently", async () => {
    const { catalog, warnings } = catalogOf({
      "/workspace/.fiveseam/skills/lint/SKILL.md": skill("lint", "", "ours"),
      "/user/skills/lint/SKILL.md": skill("lint", "", "theirs"),
      "/user/skills/mine/SKILL.md": skill("mine"),
    });
    expect((await catalog.list()).map(({ name, source }) => [name, source])).toEqual([
      ["lint", "project"],
      ["mine", "user"],
    ]);
    expect((await catalog.read("lint"))?.body).toBe("ours");
    expect(warnings).toEqual([]);
  });

  it("reports bad skills once, with the reason, and goes on with the others", async () => {
    const { catalog, warnings } = catalogOf(
      {
        "/workspace/.fiveseam/skills/no-front/SKILL.md": "# hi",
        "/workspace/.fiveseam/skills/no-yaml/SKILL.md": "---\nname: [\n---\n",
        "/workspace/.fiveseam/skills/no-name/SKILL.md": "---\ndescription: x\n---\n",
        "/workspace/.fiveseam/skills/Bad/SKILL.md": skill("Bad Name"),
        "/workspace/.fiveseam/skills/huge/SKILL.md": skill("huge", "", "x".repeat(3_000)),
        "/workspace/.fiveseam/skills/a/SKILL.md": skill("twin"),
        "/workspace/.fiveseam/skills/b/SKILL.md": skill("twin"),
        "/workspace/.fiveseam/skills/eio/SKILL.md": new Error("EIO"),
        "/user/skills/good/SKILL.md": skill("good"),
        "/user/skills/empty/readme.txt": "",
      },
      { maxFileBytes: 2_000 },
    );
    expect((await catalog.list()).map(({ name }) => name)).toEqual(["good", "twin"]);
    const once = warnings.length;
    await catalog.list();
    expect(warnings).toHaveLength(once);
    const said = warnings.map(({ message }) => message).join("\n");
    for (const reason of [
      "front matter between",
      "no YAML",
      "no `name`",
      "single hyphens",
      "larger than 2000",
      "has its name",
      "EIO",
      "its folder",
    ])
      expect(said).toContain(reason);
  });

  it("never leaves a skill's folder", async () => {
    const { catalog } = catalogOf({
      "/user/skills/s/SKILL.md": skill("s"),
      "/user/skills/secret": "no",
      "/user/skills/s/ok.md": "ok",
    });
    for (const path of [
      "../secret",
      "/user/skills/secret",
      "a/../../secret",
      "..\\secret",
      "",
      ".",
      "ok.md\0",
    ])
      expect(await catalog.file("s", path)).toBeUndefined();
    expect(await catalog.file("s", "./ok.md")).toBe("ok");
    expect(await catalog.file("other", "ok.md")).toBeUndefined();
  });

  it("never throws on a file of any content", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), fc.boolean(), async (text, front) => {
        const { catalog } = catalogOf({ "/user/skills/s/SKILL.md": front ? `---\n${text}\n---\nx` : text });
        expect((await catalog.list()).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 200 },
    );
  });
});

describe("skillIndex", () => {
  it("lists names and what they are for, in order", async () => {
    const { catalog } = catalogOf({
      "/user/skills/b/SKILL.md": skill("b"),
      "/user/skills/a/SKILL.md": skill("a"),
    });
    expect((await skillIndex(catalog).load({})).map(({ text }) => text)).toEqual([
      '- a: What a is for: "things".',
      '- b: What b is for: "things".',
    ]);
  });
});
