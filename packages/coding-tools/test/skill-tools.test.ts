import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { nodeHost } from "@fiveseam/host";
import { createShellPolicy } from "@fiveseam/shell-policy";
import type { Approvals } from "@fiveseam/tool-pipeline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodingTools, type SkillsPort } from "../src/index.js";

let root: string;
let folder: string;
beforeAll(async () => {
  root = await realpath(await mkdtemp(path.join(os.tmpdir(), "skills-")));
  folder = path.join(root, "skills", "release");
  await mkdir(path.join(folder, "scripts"), { recursive: true });
  await writeFile(path.join(root, "outside.sh"), "echo outside");
  await writeFile(path.join(folder, "scripts", "tag.sh"), 'echo "tag $1 in $(basename "$PWD")"; exit 3');
  await writeFile(
    path.join(folder, "scripts", "show.mjs"),
    "console.log(JSON.stringify(process.argv.slice(2)))",
  );
  await symlink(path.join(root, "outside.sh"), path.join(folder, "scripts", "link.sh"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const skills = (): SkillsPort => {
  const all = [
    { name: "release", source: "project", realDirectory: `${folder}/` },
    { name: "stored", source: "team" },
  ];
  return {
    list: async () => all,
    read: async (name) => {
      const skill = all.find((each) => each.name === name);
      return skill && { skill, body: "Tag it.", files: ["scripts/tag.sh"] };
    },
    file: async (_name, file) => (file === "scripts/tag.sh" ? "echo" : undefined),
  };
};

const toolsWith = (more: object = {}) => {
  const tools = createCodingTools({ host: nodeHost(root), root, skills: skills(), ...more });
  return (name: string, args: object): Promise<string> => {
    const tool = tools.find((each) => each.name === name);
    return (tool as unknown as { invoke(args: object): Promise<string> }).invoke(args);
  };
};

describe("read_skill", () => {
  it("gives instructions, the names of files, and a file; names what there is when asked for what is not", async () => {
    const run = toolsWith();
    expect(await run("read_skill", { name: "release" })).toBe(
      "Tag it.\n\nFiles of this skill: scripts/tag.sh",
    );
    expect(await run("read_skill", { name: "release", file: "scripts/tag.sh" })).toBe("echo");
    await expect(run("read_skill", { name: "nope" })).rejects.toThrow(
      'There is no skill "nope"; the skills are release, stored.',
    );
    await expect(run("read_skill", { name: "release", file: "x" })).rejects.toThrow("it has scripts/tag.sh");
  });

  it("is absent without skills", () => {
    const names = createCodingTools({ host: nodeHost(root), root }).map(({ name }) => name);
    expect(names).not.toContain("read_skill");
    expect(names).not.toContain("run_skill_script");
  });
});

describe("run_skill_script", () => {
  it("runs the script in the workspace with its arguments as they are, and reports how it ended", async () => {
    const run = toolsWith();
    const ended = await run("run_skill_script", { name: "release", script: "scripts/tag.sh", args: ["v1"] });
    expect(ended).toContain(`tag v1 in ${path.basename(root)}`);
    expect(ended).toMatch(/exit(ed with)? code 3|code 3/);
    const hostile = ["$(id)", "a b", "it's", "; rm -rf x", "*", ""];
    const shown = await run("run_skill_script", {
      name: "release",
      script: "scripts/show.mjs",
      args: hostile,
    });
    expect(JSON.parse(shown.split("\n").at(-1)!)).toEqual(hostile);
  });

  it("runs nothing outside of the skill's folder, and nothing of a skill that is not on the disk", async () => {
    const run = toolsWith();
    for (const script of [
      "../../outside.sh",
      path.join(root, "outside.sh"),
      "scripts/link.sh",
      "scripts/none.sh",
      ".",
    ])
      await expect(run("run_skill_script", { name: "release", script })).rejects.toThrow("no script");
    await expect(run("run_skill_script", { name: "stored", script: "a.sh" })).rejects.toThrow(
      "does not lie on the disk",
    );
  });

  it("goes through the shell policy: what it does not know is asked about, what is denied is not run", async () => {
    const asked: unknown[] = [];
    const approvals: Pick<Approvals, "ask"> = {
      ask: async (question) => {
        asked.push(question.details);
        return { type: "reject", reason: "not now" };
      },
    };
    const shellPolicy = await createShellPolicy({ workspace: root, home: os.homedir() });
    const run = toolsWith({ shellPolicy, approvals });
    await expect(run("run_skill_script", { name: "release", script: "scripts/tag.sh" })).rejects.toThrow(
      "not now",
    );
    expect(asked).toMatchObject([{ kind: "command", command: `sh ${folder}/scripts/tag.sh` }]);
    const denying = toolsWith({
      shellPolicy: { judge: () => ({ verdict: "deny", segments: [] }) },
      approvals,
    });
    await expect(denying("run_skill_script", { name: "release", script: "scripts/tag.sh" })).rejects.toThrow(
      "will not be",
    );
  });
});
