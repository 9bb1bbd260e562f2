import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  contextPrefixMiddleware,
  instructionFiles,
  nestedInstructionsMiddleware,
  type ContextWarning,
} from "../src/index.js";
import { call, converse, filesOf } from "./support.js";

describe("a file that cannot be read", () => {
  it("does not take the other instructions with it", async () => {
    const warnings: ContextWarning[] = [];
    const files = filesOf({ "/w/AGENTS.md": "Use tabs.", "/w/CLAUDE.md": new Error("EISDIR") });
    const middleware = contextPrefixMiddleware({
      sources: [instructionFiles({ files, root: "/w/" })],
      onWarning: (w) => warnings.push(w),
    });
    const { systems } = await converse([middleware], ["a"]);
    expect(systems[0]).toContain("Use tabs.");
    expect(warnings[0]?.message).toContain("/w/CLAUDE.md");
  });
  it("leaves an import of it as it stands", async () => {
    const files = filesOf({
      "/w/AGENTS.md": "Use tabs.",
      "/w/CLAUDE.md": "@docs\nShort.",
      "/w/docs": new Error("EISDIR"),
    });
    const { systems } = await converse(
      [contextPrefixMiddleware({ sources: [instructionFiles({ files, root: "/w/" })] })],
      ["a"],
    );
    expect(systems[0]).toContain("@docs\nShort.");
  });
  it("does not take the other nested instructions with it", async () => {
    const read = tool(() => "text", {
      name: "read_file",
      description: "Reads.",
      schema: z.object({ file_path: z.string() }),
    });
    const files = filesOf({ "/w/a/AGENTS.md": "A rules.", "/w/a/b/AGENTS.md": new Error("EACCES") });
    const { state } = await converse([nestedInstructionsMiddleware({ files, root: "/w/" })], ["a"], {
      tools: [read],
      answers: [call("1", "read_file", { file_path: "/w/a/b/c.ts" }), new AIMessage("done")],
    });
    expect(state.messages[2]!.text).toContain("A rules.");
  });
});
