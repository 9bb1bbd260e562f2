import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Host } from "@fiveseam/host";
import { createPipeline, createRights, wrapTool, type Rights } from "@fiveseam/tool-pipeline";
import type { StructuredTool } from "@langchain/core/tools";
import type { ToolMessage } from "@langchain/core/messages";
import { onTestFinished } from "vitest";
import { createCodingTools, type CodingToolsOptions, type ToolFiles } from "../src/index.js";

/** A fresh directory with files, removed when the test ends. */
export const directoryWith = async (files: Record<string, string | Buffer> = {}): Promise<string> => {
  const root = await mkdtemp(path.join(os.tmpdir(), "fiveseam-tools-"));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  return root;
};

/** Files in memory, in the form of deepagents' backends. */
export const filesOf = (files: Record<string, string>): ToolFiles => ({
  ls: (directory) => {
    const below = Object.keys(files).filter((file) => file.startsWith(directory));
    const names = new Set(below.map((file) => file.slice(directory.length).replace(/\/.*/, "/")));
    return {
      files: [...names].map((name) => ({ path: directory + name, is_dir: name.endsWith("/") })),
    };
  },
  readRaw: (file) =>
    file in files ? { data: { content: files[file] as string } } : { error: `File '${file}' not found` },
});

/** A tool call as an agent makes it. */
export const using =
  (tools: readonly StructuredTool[]) =>
  async (name: string, args: Record<string, unknown> = {}, signal?: AbortSignal): Promise<ToolMessage> => {
    const tool = tools.find((each) => each.name === name);
    if (!tool) throw new Error(`no tool ${name}; there are ${tools.map((each) => each.name).join(", ")}`);
    return (await tool.invoke(
      { type: "tool_call", id: "c1", name, args },
      signal ? { signal } : {},
    )) as ToolMessage;
  };

export const toolsOver = (host: Host, more: Partial<CodingToolsOptions> = {}) => {
  const tools = createCodingTools({ host, root: os.tmpdir(), ...more });
  return { tools, use: using(tools) };
};

/** The same tools, called by somebody with these rights, on a thread. */
export const calledWith = (
  tools: readonly StructuredTool[],
  identity: { rights?: Rights; threadId?: string },
) => {
  const pipeline = createPipeline();
  const { rights, threadId } = identity;
  return async (name: string, args: Record<string, unknown> = {}): Promise<ToolMessage> => {
    const tool = tools.find((each) => each.name === name) as StructuredTool;
    const wrapped = wrapTool(tool, pipeline, rights ? { agent: "x", role: "x", rights } : {});
    return (await wrapped.invoke(
      { type: "tool_call", id: "c1", name, args },
      threadId === undefined ? {} : { configurable: { thread_id: threadId } },
    )) as ToolMessage;
  };
};

export const NO_SECRETS: Rights = createRights({
  effects: "all",
  read: { allow: ["/workspace/**"], deny: ["/workspace/secret/**"] },
  write: "all",
});
