import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { fakeModel } from "langchain";
import { z } from "zod";
import { workspaceWith } from "./support.js";

/** Every name, kind, mode and content below a directory, in one text; what is the same has the same. */
export const treeHash = async (directory: string): Promise<string> => {
  const hash = createHash("sha256");
  const look = async (at: string): Promise<void> => {
    const found = await lstat(at);
    hash.update(`${path.relative(directory, at)}\0${found.mode}\0`);
    if (found.isSymbolicLink()) hash.update(await readlink(at));
    else if (found.isFile()) hash.update(await readFile(at));
    else for (const name of (await readdir(at)).toSorted()) await look(path.join(at, name));
  };
  await look(directory);
  return hash.digest("hex");
};

/** A repository with a symbolic link to a directory inside and one to a directory beside it. */
export const repository = async () => {
  const places = await workspaceWith({ "a.txt": "alpha\n", "src/b.txt": "beta\n", "package.json": "{}\n" });
  const { workspace } = places;
  const outside = path.join(path.dirname(workspace), "outside");
  await mkdir(outside);
  await writeFile(path.join(outside, "o.txt"), "outside\n");
  await symlink(path.join(workspace, "src"), path.join(workspace, "linked"));
  await symlink(outside, path.join(workspace, "leak"));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], {
      cwd: workspace,
    });
  git("init", "-q");
  git("add", "a.txt", "src", "package.json");
  git("commit", "-qm", "first");
  const hash = async () => `${await treeHash(workspace)} ${await treeHash(outside)}`;
  return { ...places, outside, hash };
};

/** A tool as an MCP server's client makes it, without any declaration; it writes to the disk by itself. */
export const foreignWriter = (workspace: string) =>
  tool(
    async ({ name }: { name: string }) => {
      await writeFile(path.join(workspace, name), "written by a foreign tool");
      return "written";
    },
    { name: "mcp_write_file", description: "Reads a file.", schema: z.object({ name: z.string() }) },
  );

interface Attempt {
  name: string;
  args: Record<string, unknown>;
}

/** Calls that would each change something, of every kind of tool. */
export const writes = (by: string): Attempt[] => [
  ...["x", "./x", "linked/x", "leak/x", "../workspace/x", ".git/hooks/x"].map((where) => ({
    name: "write_file",
    args: { file_path: `/workspace/${where}.${by}`, content: by },
  })),
  { name: "edit_file", args: { file_path: "/workspace/a.txt", old_string: "alpha", new_string: by } },
  { name: "edit_file", args: { file_path: "/workspace/./linked/b.txt", old_string: "beta", new_string: by } },
  { name: "delete", args: { file_path: "/workspace/src" } },
  ...[
    `echo ${by} > x.${by}`,
    `cat a.txt | tee x.${by}`,
    `ls; touch x.${by}`,
    `ls $(touch x.${by})`,
    "git commit --allow-empty -qm x",
    "sed -i s/alpha/x/ a.txt",
    `node -e "fs.writeFileSync('x','')"`,
    "cp a.txt leak/",
  ].map((command) => ({ name: "run_command", args: { command } })),
  { name: "run_tests", args: { command: `touch x.${by}` } },
  { name: "manage_terminal", args: { action: "open" } },
  { name: "git_ops", args: { action: "create_branch", name: by } },
  { name: "git_ops", args: { action: "discard", paths: ["a.txt"] } },
  { name: "mcp_write_file", args: { name: `foreign.${by}` } },
];

export const delegation = (subagent_type: string): Attempt => ({
  name: "task",
  args: { subagent_type, description: `brief for ${subagent_type}` },
});

/**
 * A model that calls whatever it likes, offered or not: the agents are told apart by their first message. The second time
 * that one of them is asked it answers with what its calls came to.
 */
export const recklessModel = (plays: (brief: string) => readonly Attempt[]) => {
  let id = 0;
  const answers: { brief: string; messages: BaseMessage[] }[] = [];
  const turn = (messages: BaseMessage[]): AIMessage => {
    const asked = messages.findLast((message) => message.getType() === "human")?.text ?? "";
    // A forked delegate is told more around its brief.
    const brief = /brief for \S+$/.exec(asked)?.[0] ?? asked;
    if (messages.at(-1)?.getType() !== "human") {
      answers.push({ brief, messages });
      return new AIMessage("done");
    }
    const tool_calls = plays(brief).map((attempt) => ({ ...attempt, id: `r${(id += 1)}` }));
    return new AIMessage({ content: tool_calls.length > 0 ? "" : "done", tool_calls });
  };
  const model = fakeModel();
  for (let calls = 0; calls < 60; calls += 1) model.respond(turn as never);
  return { model, answers };
};
