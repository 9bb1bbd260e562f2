import { readFile } from "node:fs/promises";
import path from "node:path";
import { createCodingBackend } from "@fiveseam/backends";
import type { ToolMessage } from "@langchain/core/messages";
import { createCodingTools, type ToolFiles } from "../src/index.js";
import { calledWith, directoryWith } from "./support.js";

/** A workspace on the disk with the tools that change files, in a pipeline as in an agent. */
export const workspaceWith = async (files: Record<string, string | Buffer>) => {
  const root = await directoryWith(files);
  const backend = createCodingBackend({ workspace: root, files: { fsync: false } }) as ToolFiles;
  const tools = createCodingTools({ host: {}, root, backend });
  const call = calledWith(tools, {});
  return {
    root,
    backend,
    tools,
    call,
    edit: (args: Record<string, unknown>): Promise<ToolMessage> => call("ast_edit", args),
    compose: (...changes: Record<string, unknown>[]): Promise<ToolMessage> =>
      call("compose_files", { changes }),
    text: (name: string): Promise<string> => readFile(path.join(root, name), "utf8"),
    bytes: (name: string): Promise<Buffer> => readFile(path.join(root, name)),
  };
};
