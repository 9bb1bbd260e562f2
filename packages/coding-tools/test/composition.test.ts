import os from "node:os";
import {
  createFakeBrowser,
  createFakeCodeKnowledge,
  createFakeDebug,
  createFakeEditor,
  createFakeLanguage,
  createFakeMemoryStore,
  createFakePreview,
  createFakeTaskStore,
  createFakeVectorIndex,
  createFakeWebFetch,
  createFakeWebSearch,
  type Host,
} from "@fiveseam/host";
import { declarationOf, lintToolSchema, type Effect } from "@fiveseam/tool-pipeline";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { CommittingBackend } from "@fiveseam/backends";
import { createCodingTools, type CodingToolName, type SkillsPort, type ToolFiles } from "../src/index.js";
import { filesOf } from "./support.js";

/** Ports that are only looked at, never called here. */
const absent = (() => undefined) as never;
const everything: Host = {
  process: absent,
  terminal: absent,
  textSearch: absent,
  testRunner: absent,
  git: { read: absent, write: absent },
  webSearch: createFakeWebSearch({}),
  webFetch: createFakeWebFetch({}),
  tasks: createFakeTaskStore(),
  memory: createFakeMemoryStore(),
  editor: createFakeEditor(),
  language: createFakeLanguage({}),
  vectorIndex: createFakeVectorIndex([]),
  codeKnowledge: createFakeCodeKnowledge({}),
  preview: createFakePreview(),
  debug: createFakeDebug([]),
  browser: createFakeBrowser({ pages: {} }),
};
const include = ["read_files", "find_files", "list_files"] as const;
const backend: ToolFiles = { ...filesOf({}), commit: absent };
const skills: SkillsPort = { list: async () => [], read: async () => undefined, file: async () => undefined };
const all = () => createCodingTools({ host: everything, root: os.tmpdir(), backend, skills, include });

const EFFECTS: Record<CodingToolName, readonly Effect[]> = {
  ripgrep_search: ["fs.read"],
  run_command: ["exec"],
  manage_terminal: ["exec"],
  run_tests: ["exec"],
  git_read: ["fs.read"],
  git_ops: ["fs.write", "vcs.write"],
  web_search: ["net"],
  web_fetch: ["net"],
  manage_tasks: ["state"],
  manage_core_memory: ["state"],
  think: [],
  compose_files: ["fs.read", "fs.write"],
  ast_edit: ["fs.read", "fs.write"],
  get_active_editor: ["fs.read"],
  search_symbols: ["fs.read"],
  get_diagnostics: ["fs.read"],
  lsp_query: ["fs.read"],
  search_vector_db: ["fs.read"],
  get_architecture_knowledge: ["fs.read"],
  open_web_preview: ["browser"],
  debug_get_state: ["debug"],
  debug_get_stack_trace: ["debug"],
  debug_get_variables: ["debug"],
  debug_evaluate: ["debug"],
  debug_control: ["debug"],
  browser_run: ["net", "browser"],
  browser_snapshot: ["net", "browser"],
  browser_screenshot: ["net", "browser"],
  read_skill: ["fs.read"],
  run_skill_script: ["exec"],
  read_files: ["fs.read"],
  find_files: ["fs.read"],
  list_files: ["fs.read"],
};

describe("createCodingTools", () => {
  it("gives every group of tools when every port is there, each declaring what it can do", () => {
    const declared = Object.fromEntries(all().map((tool) => [tool.name, declarationOf(tool).effects]));
    expect(declared).toEqual(EFFECTS);
  });

  it("leaves out the tools of each port that is not there, and those on request unless they are asked for", () => {
    const names = (host: Host) => createCodingTools({ host, root: os.tmpdir() }).map(({ name }) => name);
    expect(names({})).toEqual(["think"]);
    const full = names(everything);
    expect(full).not.toContain("read_files");
    const owners: Record<string, string[]> = {
      process: ["run_command"],
      terminal: ["manage_terminal"],
      textSearch: ["ripgrep_search"],
      testRunner: ["run_tests"],
      git: ["git_read", "git_ops"],
      webSearch: ["web_search"],
      webFetch: ["web_fetch"],
      tasks: ["manage_tasks"],
      memory: ["manage_core_memory"],
      editor: ["get_active_editor"],
      language: ["search_symbols", "get_diagnostics", "lsp_query"],
      vectorIndex: ["search_vector_db"],
      codeKnowledge: ["get_architecture_knowledge"],
      preview: ["open_web_preview"],
      debug: full.filter((name) => name.startsWith("debug_")),
      browser: full.filter((name) => name.startsWith("browser_")),
    };
    for (const [port, tools] of Object.entries(owners)) {
      const { [port as keyof Host]: _gone, ...rest } = everything;
      expect(names(rest), port).toEqual(full.filter((name) => !tools.includes(name)));
    }
    expect(names({ ...everything, git: { read: absent } })).not.toContain("git_ops");
  });

  it("has the tools that change files where the files can be changed as one set", () => {
    const names = (files?: ToolFiles) =>
      createCodingTools({ host: {}, root: os.tmpdir(), ...(files ? { backend: files } : {}) }).map(
        ({ name }) => name,
      );
    expect(names(backend)).toEqual(["think", "compose_files", "ast_edit"]);
    expect(names(filesOf({}))).toEqual(["think"]);
    expect(names()).toEqual(["think"]);
    expectTypeOf<CommittingBackend>().toExtend<ToolFiles>();
  });

  it("leaves out what is excluded, and refuses names and requests that cannot be met", () => {
    const options = { host: everything, root: os.tmpdir() };
    expect(createCodingTools({ ...options, exclude: ["think"] }).map(({ name }) => name)).not.toContain(
      "think",
    );
    expect(() => createCodingTools({ ...options, exclude: ["thnik" as never] })).toThrow(
      'There is no coding tool "thnik"; the tools are ripgrep_search,',
    );
    expect(() => createCodingTools({ ...options, include: ["read_files"] })).toThrow(
      'The tool "read_files" cannot be included',
    );
    expectTypeOf<"git_read">().toExtend<CodingToolName>();
    expectTypeOf<"execute">().not.toExtend<CodingToolName>();
  });

  it("has schemas that no provider refuses, with a description for every tool that says when to use it", () => {
    for (const tool of all()) {
      for (const target of ["openai-strict", "anthropic", "gemini", "mcp"] as const) {
        const refused = lintToolSchema(tool as never, target).filter(({ what }) => what === "refused");
        expect(refused, `${tool.name} for ${target}`).toEqual([]);
      }
      expect(lintToolSchema(tool as never, "anthropic"), tool.name).toEqual([]);
      expect(tool.description.length, tool.name).toBeGreaterThan(80);
      expect(tool.description.length, tool.name).toBeLessThan(900);
    }
  });
});
