import {
  createFakeEditor,
  createFakeLanguage,
  createFakeMemoryStore,
  createFakeTaskStore,
  createFakeWebFetch,
  createFakeWebSearch,
} from "@fiveseam/host";
import { describe, expect, it } from "vitest";
import { calledWith, filesOf, NO_SECRETS, toolsOver } from "./support.js";

const SOURCE = "const parse = (text) => text;\nexport const twice = (t) => parse(parse(t));\n";
const FILES = {
  "src/a.ts": {
    text: SOURCE,
    symbols: [{ name: "parse", kind: "function" as const, hover: "parse(text): string" }],
    problems: [],
  },
  "src/b.ts": {
    text: "import { parse } from './a';\nparse(1);\n",
    problems: [
      {
        severity: "error" as const,
        message: "number is no string",
        range: { start: { line: 2, column: 7 }, end: { line: 2, column: 8 } },
        source: "ts",
        code: "2345",
      },
    ],
  },
  "secret/key.ts": { text: "parse('hidden');\n", symbols: [{ name: "parseKey", kind: "function" as const }] },
};
const language = () => createFakeLanguage(FILES);
const backend = filesOf({ "/workspace/src/a.ts": SOURCE, "/workspace/secret/key.ts": "parse('hidden');\n" });

describe("search_symbols", () => {
  it("finds symbols by part of their name, and lists those of one file", async () => {
    const { use } = toolsOver({ language: language() });
    expect((await use("search_symbols", { query: "PARSE" })).text).toBe(
      "function parseKey: /workspace/secret/key.ts:1-1\nfunction parse: /workspace/src/a.ts:1-1",
    );
    expect((await use("search_symbols", { path: "/workspace/src/a.ts" })).text).toBe(
      "function parse: /workspace/src/a.ts:1-1",
    );
    expect((await use("search_symbols", { path: "src/a.ts", query: "zzz" })).text).toBe("No symbols.");
    await expect(use("search_symbols")).rejects.toMatchObject({ code: "invalid_arguments" });
    await expect(use("search_symbols", { path: "../x" })).rejects.toThrow("leaves the workspace");
  });

  it("shows nobody a file that they may not read", async () => {
    const { tools } = toolsOver({ language: language() });
    const use = calledWith(tools, { rights: NO_SECRETS });
    expect((await use("search_symbols", { query: "parse" })).text).not.toContain("secret");
    const refused = await use("search_symbols", { path: "/workspace/secret/key.ts" });
    expect(refused).toMatchObject({ status: "error" });
    expect(refused.text).toContain("You may not read /workspace/secret/key.ts");
  });
});

describe("get_diagnostics", () => {
  it("tells clean, problems and unknown apart", async () => {
    const { use } = toolsOver({ language: language() });
    const { text } = await use("get_diagnostics", {
      paths: ["src/a.ts", "/workspace/src/b.ts", "secret/key.ts"],
    });
    expect(text).toBe(
      [
        "/workspace/src/a.ts: no problems",
        "/workspace/src/b.ts: 1 problem",
        "  2:7 error: number is no string (ts 2345)",
        "/workspace/secret/key.ts: unknown: nobody has checked this content, which is not the same as clean",
      ].join("\n"),
    );
  });
});

describe("lsp_query", () => {
  it("follows a name by line and text, without a column", async () => {
    const { use } = toolsOver({ language: language() }, { backend });
    const at = { path: "/workspace/src/a.ts", line: 2, symbol: "parse" };
    expect((await use("lsp_query", { query: "definition", ...at })).text).toBe("/workspace/src/a.ts:1:7");
    expect((await use("lsp_query", { query: "hover", ...at })).text).toBe("parse(text): string");
    const uses = (await use("lsp_query", { query: "references", ...at })).text.split("\n");
    expect(uses).toContain("/workspace/src/b.ts:2:1");
    expect(uses).toContain("/workspace/secret/key.ts:1:1");
    expect((await use("lsp_query", { query: "references", ...at, max_results: 1 })).text).toContain(
      "[there are more",
    );
  });

  it("says what is wrong with a place", async () => {
    const { use } = toolsOver({ language: language() }, { backend });
    const ask = (args: object) => use("lsp_query", { query: "hover", path: "src/a.ts", line: 1, ...args });
    await expect(ask({})).rejects.toThrow("Give `symbol`");
    await expect(ask({ symbol: "twice" })).rejects.toThrow('"twice" does not stand in line 1');
    // Not a part of a longer name.
    await expect(ask({ symbol: "pars" })).rejects.toThrow("does not stand in line 1");
    await expect(ask({ line: 99, symbol: "x" })).rejects.toThrow("has 3 lines");
    expect((await ask({ column: 7 })).text).toBe("parse(text): string");
    const bare = toolsOver({ language: language() });
    await expect(
      bare.use("lsp_query", { query: "hover", path: "src/a.ts", line: 1, symbol: "parse" }),
    ).rejects.toThrow("give `column`");
  });

  it("leaves out uses in files that the caller may not read", async () => {
    const { tools } = toolsOver({ language: language() }, { backend });
    const use = calledWith(tools, { rights: NO_SECRETS });
    const { text } = await use("lsp_query", {
      query: "references",
      path: "src/a.ts",
      line: 1,
      symbol: "parse",
    });
    expect(text).toContain("/workspace/src/b.ts");
    expect(text).not.toContain("secret");
  });
});

describe("get_active_editor", () => {
  const place = (line: number, column: number) => ({ line, column });
  const active = {
    path: "src/a.ts",
    language: "typescript",
    dirty: true,
    selection: { start: place(1, 7), end: place(1, 12) },
    selectedText: "parse",
    visible: { start: place(1, 1), end: place(30, 1) },
  };

  it("says what is open, selected and unsaved", async () => {
    const editor = createFakeEditor({
      active,
      others: [{ path: "src/b.ts", language: "typescript", dirty: false }],
    });
    const { use } = toolsOver({ editor });
    expect((await use("get_active_editor")).text).toBe(
      [
        "/workspace/src/a.ts (typescript, unsaved)",
        "visible: lines 1 to 30",
        "selected 1:7 to 1:12:",
        "parse",
        "open too: /workspace/src/b.ts",
      ].join("\n"),
    );
    editor.show({});
    expect((await use("get_active_editor")).text).toBe("No file is active.");
  });

  it("does not show a selection in a file that the caller may not read", async () => {
    const editor = createFakeEditor({ active: { ...active, path: "secret/key.ts", selectedText: "hidden" } });
    const use = calledWith(toolsOver({ editor }).tools, { rights: NO_SECRETS });
    expect((await use("get_active_editor")).text).toBe("No file is active.");
  });
});

describe("web_search and web_fetch", () => {
  it("lists hits, and says when there are none or more", async () => {
    const hits = [1, 2, 3].map((n) => ({ title: `T${n}`, url: `https://x/${n}`, snippet: `S${n}` }));
    const { use } = toolsOver({ webSearch: createFakeWebSearch({ zod: hits }) });
    expect((await use("web_search", { query: "zod", max_results: 2 })).text).toBe(
      "1. T1\n   https://x/1\n   S1\n2. T2\n   https://x/2\n   S2\n[there are more results: ask for more, or search more closely]",
    );
    expect((await use("web_search", { query: "else" })).text).toBe("Nothing was found (fake).");
  });

  it("shows a page in parts that fit together", async () => {
    const text = Array.from({ length: 500 }, (_, n) => `word${n}`).join(" ");
    const { use } = toolsOver({ webFetch: createFakeWebFetch({ "https://x/": { text } }) });
    let read = "";
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const part: string = (await use("web_fetch", { url: "https://x/", offset, max_chars: 1_000 })).text;
      const [, ...body] = part.split("\n");
      const next = /call again with offset (\d+)/.exec(body.at(-1) ?? "");
      if (next) body.pop();
      read += body.join("\n");
      offset = next ? Number(next[1]) : undefined;
    }
    expect(read).toBe(text);
  });
});

describe("manage_tasks", () => {
  it("keeps a list, and shows the whole of it after each change", async () => {
    const { use } = toolsOver({ tasks: createFakeTaskStore() });
    expect((await use("manage_tasks", { action: "list" })).text).toBe("The list is empty.");
    await use("manage_tasks", { action: "add", title: "Parse" });
    await use("manage_tasks", { action: "add", title: "Print", dependencies: ["1"], notes: "a\nb" });
    await use("manage_tasks", { action: "update", id: "1", status: "in_progress" });
    expect((await use("manage_tasks", { action: "add", title: "First", before: "1" })).text).toBe(
      "[ ] 3: First\n[>] 1: Parse\n[ ] 2: Print (after 1)\n      a\n      b",
    );
    await use("manage_tasks", { action: "update", id: "1", status: "done" });
    expect((await use("manage_tasks", { action: "clear" })).text).not.toContain("Parse");
    await expect(use("manage_tasks", { action: "update" })).rejects.toThrow('action "update" needs `id`');
    await expect(use("manage_tasks", { action: "remove", id: "99" })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("keeps a conversation's list apart from the workspace's and from another conversation's", async () => {
    const { tools, use } = toolsOver({ tasks: createFakeTaskStore() });
    const one = calledWith(tools, { threadId: "one" });
    const two = calledWith(tools, { threadId: "two" });
    await one("manage_tasks", { action: "add", title: "Mine", scope: "conversation" });
    await one("manage_tasks", { action: "add", title: "Ours" });
    expect((await two("manage_tasks", { action: "list", scope: "conversation" })).text).toBe(
      "The list is empty.",
    );
    expect((await two("manage_tasks", { action: "list" })).text).toBe("[ ] 1: Ours");
    await expect(use("manage_tasks", { action: "list", scope: "conversation" })).rejects.toThrow(
      "no conversation",
    );
  });
});

describe("manage_core_memory", () => {
  it("keeps blocks by scope and key", async () => {
    const { use } = toolsOver({ memory: createFakeMemoryStore() });
    expect((await use("manage_core_memory", { action: "list" })).text).toBe("Nothing is remembered yet.");
    const on = (action: string, args: object = {}) =>
      use("manage_core_memory", { action, scope: "project", key: "style", ...args });
    await on("set", { text: "two spaces" });
    expect((await on("append", { text: "no semicolons" })).text).toBe(
      "## project/style (24 bytes)\ntwo spaces\nno semicolons",
    );
    expect((await on("replace", { old_text: "two", new_text: "$& four" })).text).toContain("$& four spaces");
    expect((await use("manage_core_memory", { action: "list", scope: "user" })).text).toBe(
      "Nothing is remembered yet.",
    );
    await expect(on("replace", { old_text: "absent", new_text: "x" })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(on("set")).rejects.toThrow('action "set" needs `text`');
    expect((await on("delete")).text).toBe("Deleted project/style.");
  });
});

describe("think", () => {
  it("does nothing", async () => {
    expect((await toolsOver({}).use("think", { thought: "hm" })).text).toBe("Noted.");
  });
});

describe("the tools that are there on request", () => {
  const files = {
    "/workspace/src/a.ts": SOURCE,
    "/workspace/long.txt": Array.from({ length: 900 }, (_, n) => `line ${n + 1}`).join("\n"),
    "/workspace/secret/key.ts": "hidden",
  };

  it("reads several files at once, by lines and by symbol, and one that cannot be read spoils nothing", async () => {
    const { use } = toolsOver(
      { language: language() },
      { backend: filesOf(files), include: ["read_files", "list_files"] },
    );
    const { text, status } = await use("read_files", {
      files: [
        { path: "src/a.ts", symbol: "parse" },
        { path: "/workspace/long.txt", start_line: 899 },
        { path: "long.txt", end_line: 500 },
        { path: "missing.ts" },
      ],
    });
    expect(status).toBe("success");
    const parts = text.split("\n\n");
    expect(parts[0]).toBe("@@ /workspace/src/a.ts lines 1-1 of 2 @@\nconst parse = (text) => text;");
    expect(parts[1]).toBe("@@ /workspace/long.txt lines 899-900 of 900 @@\nline 899\nline 900");
    expect(parts[2]).toMatch(/line 400\n\[lines 401 to 500 follow: ask for them\]$/);
    expect(parts[3]).toContain("[not read: File '/workspace/missing.ts' not found]");
    expect((await use("list_files", { depth: 2 })).text).toBe(
      "/workspace/\nlong.txt\nsecret/\n  key.ts\nsrc/\n  a.ts",
    );
  });

  it("keeps to the caller's rights", async () => {
    const { tools } = toolsOver({}, { backend: filesOf(files), include: ["read_files", "list_files"] });
    const use = calledWith(tools, { rights: NO_SECRETS });
    expect((await use("read_files", { files: [{ path: "secret/key.ts" }] })).text).toContain(
      "You may not read",
    );
    expect((await use("list_files", { depth: 3 })).text).not.toContain("key.ts");
  });
});
