import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compactionMiddleware, nestedInstructionsMiddleware, type ContextWarning } from "../src/index.js";
import { call, converse, filesOf } from "./support.js";

const readFile = tool(
  async ({ file_path }: { file_path: string }) => {
    if (file_path.includes("gone")) throw new Error("gone");
    return `text of ${file_path}`;
  },
  { name: "read_file", description: "Reads.", schema: z.object({ file_path: z.string() }) },
);

const read = (id: string, path: string): AIMessage => call(id, "read_file", { file_path: path });
const done = new AIMessage("done");

const results = (messages: readonly BaseMessage[]): string[] =>
  messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text);

describe("nestedInstructionsMiddleware", () => {
  const files = filesOf({
    "/workspace/AGENTS.md": "root",
    "/workspace/a/AGENTS.md": "about a",
    "/workspace/a/b/AGENTS.md": "about b",
    "/workspace/c/CLAUDE.md": "about c",
    "/workspace/big/AGENTS.md": "x".repeat(1_000),
  });
  const nested = (more: object = {}) => nestedInstructionsMiddleware({ files, root: "/workspace/", ...more });

  it("attaches what lies between the root and the file, outermost first, once in a conversation", async () => {
    const { state } = await converse([nested()], ["go"], {
      tools: [readFile],
      answers: [
        read("1", "/workspace/x.ts"),
        read("2", "/workspace/a/b/x.ts"),
        read("3", "/workspace/a/y.ts"),
        read("4", "/workspace/c/z.ts"),
        done,
      ],
    });
    expect(results(state.messages)).toEqual([
      "text of /workspace/x.ts",
      "text of /workspace/a/b/x.ts\n\n[Instructions for what is below /workspace/a/, from /workspace/a/AGENTS.md]\nabout a\n\n[Instructions for what is below /workspace/a/b/, from /workspace/a/b/AGENTS.md]\nabout b",
      "text of /workspace/a/y.ts",
      "text of /workspace/c/z.ts\n\n[Instructions for what is below /workspace/c/, from /workspace/c/CLAUDE.md]\nabout c",
    ]);
  });

  it("attaches once when two files below are read in one step, and not to the file itself", async () => {
    const both = new AIMessage({
      content: "",
      tool_calls: ["1", "2"].map((id) => ({
        id,
        name: "read_file",
        args: { file_path: `/workspace/a/${id}.ts` },
        type: "tool_call" as const,
      })),
    });
    const { state } = await converse([nested()], ["go"], {
      tools: [readFile],
      answers: [read("0", "/workspace/a/AGENTS.md"), both, done],
    });
    expect(results(state.messages).map((text) => text.includes("about a"))).toEqual([false, true, false]);
  });

  it("leaves failed calls, other paths and escapes alone, cuts what is long, and fails open", async () => {
    const warnings: ContextWarning[] = [];
    const broken = filesOf({ "/workspace/a/AGENTS.md": new Error("EIO") });
    const run = (middleware: ReturnType<typeof nested>, path: string) =>
      converse([middleware], ["go"], { tools: [readFile], answers: [read("1", path), done] });
    expect(results((await run(nested(), "/other/a/x.ts")).state.messages)).toEqual(["text of /other/a/x.ts"]);
    expect(results((await run(nested(), "/workspace/../workspace/a/x.ts")).state.messages)[0]).not.toContain(
      "about",
    );
    expect(results((await run(nested({ maxTokens: 10 }), "/workspace/big/x.ts")).state.messages)[0]).toMatch(
      /x{40}\n\[cut here to fit 10 tokens; the whole file is at \/workspace\/big\/AGENTS\.md\]$/,
    );
    const failing = await run(
      nested({ files: broken, onWarning: (warning: ContextWarning) => warnings.push(warning) }),
      "/workspace/a/x.ts",
    );
    expect(results(failing.state.messages)).toEqual(["text of /workspace/a/x.ts"]);
    expect(warnings[0]).toMatchObject({
      code: "source_unreadable",
      message: expect.stringContaining("EIO") as string,
    });
  });

  it("attaches again once a compaction has taken it out", async () => {
    const compaction = compactionMiddleware({
      backend: { write: () => ({}) },
      windowTokens: () => 1_000,
    });
    const long = new AIMessage("word ".repeat(900));
    const { state } = await converse([compaction, nested()], ["go", "on", "again"], {
      tools: [readFile],
      answers: [
        read("1", "/workspace/a/x.ts"),
        long,
        new AIMessage("Summary."),
        done,
        read("2", "/workspace/a/x.ts"),
        done,
      ],
    });
    expect(results(state.messages).map((text) => text.includes("about a"))).toEqual([true, true]);
  });
});
