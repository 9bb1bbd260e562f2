import os from "node:os";
import { createCodingBackend } from "@fiveseam/backends";
import {
  ALL_RIGHTS,
  covers,
  createRights,
  declareEffects,
  EFFECTS,
  type Effect,
} from "@fiveseam/tool-pipeline";
import { tool } from "@langchain/core/tools";
import { createMiddleware } from "langchain";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  defineRole,
  RightsError,
  ROLE_POLICIES,
  rolePrompt,
  ROLES,
  type Role,
  type RoleName,
  type RolePolicy,
} from "../src/index.js";
import { build, delegate, namesOf, toolWith } from "./support.js";

const READ_ONLY: readonly RoleName[] = ["code-analyzer", "reviewer", "architecture-expert"];
const PERMISSIVE: readonly RoleName[] = ["debugger", "tester", "file-organizer", "general-purpose"];
const TEXTS = { description: "x", purpose: "x", answer: "x" };
const reader = createRights({ effects: ["fs.read"], read: "all", write: "none" });

const peek = toolWith("peek", ["fs.read"]);
const poke = toolWith("poke", ["exec"]);
const foreign = tool(() => "?", { name: "mcp_list", description: "Only lists.", schema: z.object({}) });

describe("the roles", () => {
  it("are the eight specialists and general-purpose", () => {
    expect(Object.keys(ROLES).toSorted()).toEqual(
      [
        "architect",
        "architecture-expert",
        "code-analyzer",
        "debugger",
        "doc-writer",
        "file-organizer",
        "general-purpose",
        "reviewer",
        "tester",
      ].toSorted(),
    );
    expect(Object.entries(ROLES).every(([name, role]) => role.name === name)).toBe(true);
  });

  it("do not compile without a policy, in the record as in a product's own role", () => {
    expectTypeOf(ROLE_POLICIES).toEqualTypeOf<Readonly<Record<RoleName, RolePolicy>>>();
    const { reviewer: _, ...others } = ROLE_POLICIES;
    // @ts-expect-error "reviewer" is missing
    const partial: Readonly<Record<RoleName, RolePolicy>> = others;
    expect(partial).toBeDefined();
    // @ts-expect-error the policy is missing
    expect(() => defineRole({ ...TEXTS, name: "auditor" })).toThrow("needs a `policy`");
    // @ts-expect-error no such policy
    expect(() => defineRole({ ...TEXTS, name: "auditor", policy: "read-only" })).toThrow(TypeError);
    expect(() => defineRole({ ...TEXTS, name: "auditor", policy: reader, answer: " " })).toThrow("`answer`");
    const auditor = defineRole({ ...TEXTS, name: "auditor", policy: reader });
    expectTypeOf(auditor).toEqualTypeOf<Role<"auditor">>();
    expect(auditor.rights).toBe(reader);
  });

  it("that only read write nowhere, doc-writer below /docs/ and architect below /docs/adr/ alone", () => {
    const paths = [
      "/workspace/a.ts",
      "/docs/a.md",
      "/docs/adr/1.md",
      "/notes.txt",
      "/docs/../workspace/a.ts",
    ];
    const writable = (name: RoleName) => paths.filter((path) => covers(ROLES[name].rights, { write: path }));
    for (const name of READ_ONLY) {
      expect(writable(name)).toEqual([]);
      for (const effect of ["fs.write", "exec", "vcs.write", "browser", "debug"] as const)
        expect(covers(ROLES[name].rights, effect)).toBe(false);
    }
    expect(writable("doc-writer")).toEqual(["/docs/a.md", "/docs/adr/1.md"]);
    expect(writable("architect")).toEqual(["/docs/adr/1.md"]);
  });

  it("that are not fenced say so, by a literal", () => {
    for (const name of PERMISSIVE) {
      expect(ROLE_POLICIES[name]).toBe("permissive");
      expect(ROLES[name].rights).toBe(ALL_RIGHTS);
    }
    expect(Object.values(ROLE_POLICIES).filter((policy) => policy === "permissive")).toHaveLength(4);
  });
});

describe("a role's prompt", () => {
  it("of one that cannot write says to return its findings, and names no path that the role cannot use", () => {
    for (const role of Object.values(ROLES) as Role[]) {
      const prompt = rolePrompt(role, ["run_command"]);
      const writes = covers(role.rights, "fs.write");
      expect(prompt.includes("Return your findings")).toBe(!writes);
      expect(prompt.includes("nobody can ask you back")).toBe(true);
      expect(prompt).toContain(role.answer);
      const sentences = prompt.split(/(?<=[.:])\s/);
      for (const sentence of sentences) {
        for (const [path] of sentence.matchAll(/(?<![\w.])\/[a-z][\w/*-]*/g)) {
          const about = /write|change/.test(sentence) ? { write: path } : { read: path };
          expect(covers(role.rights, about), `${role.name}: ${sentence}`).toBe(true);
        }
      }
    }
    expect(rolePrompt(ROLES["code-analyzer"])).not.toContain("/docs");
    expect(rolePrompt(ROLES.architect)).toContain("match /docs/adr/**, and no others");
  });

  it("follows from the rights, whatever the role is", () => {
    const of = (policy: RolePolicy, tools: string[] = []) =>
      rolePrompt(defineRole({ ...TEXTS, name: "x", policy }), tools);
    const rights = (read: "all" | string[], write: "none" | { deny: string[] }) =>
      createRights({ effects: "all", read, write });
    expect(of(rights(["/workspace/src/**"], "none"))).toContain("read files that match /workspace/src/**.");
    const guarded = of(rights("all", { deny: ["/workspace/secret/**"] }));
    expect(guarded).toContain("write files in some places, and no others");
    expect(guarded).not.toContain("secret");
    expect(of(reader, ["run_command"])).toContain("only commands that read");
    expect(of(reader)).not.toContain("run_command");
    expect(of("permissive", ["run_command"])).not.toContain("only commands that read");
  });
});

describe("a role's tools", () => {
  it("are listed for every role; a read-only one gets what declares that it reads, and no undeclared tool", () => {
    const built = build({ tools: [peek, poke, foreign] });
    for (const name of READ_ONLY) expect(namesOf(delegate(built, name).tools)).toEqual(["peek"]);
    expect(namesOf(delegate(built, "doc-writer").tools)).toEqual(["peek"]);
    expect(namesOf(delegate(built, "tester").tools)).toEqual(["peek", "poke"]);
    expect(namesOf(delegate(built, "general-purpose").tools)).toEqual(["peek", "poke", "mcp_list"]);
    expect(built.every((each) => "runnable" in each || Array.isArray(each.tools))).toBe(true);
  });

  it("are none when no tool fits, and not all", () => {
    expect(delegate(build({ tools: [poke] }), "reviewer").tools).toEqual([]);
    const picky = defineRole({
      ...TEXTS,
      name: "picky",
      policy: "permissive",
      tools: { effects: ["vcs.write"] },
    });
    expect(delegate(build({ roles: [picky], tools: [peek, poke, foreign] }), "picky").tools).toEqual([]);
  });

  it("go by declarations: a foreign tool with a harmless name reaches no fenced role, one declared to read does", () => {
    const named = (name: string) => tool(() => "?", { name, description: "x", schema: z.object({}) });
    const declared = declareEffects(named("mcp_search"), { effects: ["net"], idempotent: true });
    const tools = [named("read_only_list"), declared];
    for (const name of [...READ_ONLY, "doc-writer", "architect", "tester", "debugger", "file-organizer"])
      expect(namesOf(delegate(build({ tools }), name).tools)).not.toContain("read_only_list");
    expect(namesOf(delegate(build({ tools }), "reviewer").tools)).toEqual(["mcp_search"]);
  });

  it("are one of each name, the first", () => {
    const impostor = toolWith("peek", []);
    for (const role of delegate(build({ tools: [peek, impostor, peek] }), "reviewer").tools ?? [])
      expect(role).toBe(peek);
    expect(namesOf(delegate(build({ tools: [peek, impostor] }), "general-purpose").tools)).toEqual(["peek"]);
    const run = [{ type: "web_search" }, { type: "code_execution" }] as never[];
    expect(delegate(build({ tools: run }), "general-purpose").tools).toEqual(run);
    // The first is what the main agent has, so that a second one cannot slip in where the first may not go.
    expect(delegate(build({ tools: [toolWith("peek", ["exec"]), peek] }), "reviewer").tools).toEqual([]);
  });

  it("are chosen by effect and by name", () => {
    const role = (tools: NonNullable<Role["tools"]>) =>
      namesOf(
        delegate(
          build({
            roles: [defineRole({ ...TEXTS, name: "x", policy: "permissive", tools })],
            tools: [peek, poke, foreign],
          }),
          "x",
        ).tools,
      );
    expect(role({ effects: ["exec"] })).toEqual(["poke"]);
    expect(role({ effects: [], names: ["mcp_list", "absent"] })).toEqual(["mcp_list"]);
    expect(role({ except: ["poke"] })).toEqual(["peek", "mcp_list"]);
  });

  const beyond: [string, Effect][] = EFFECTS.filter((effect) => effect !== "fs.read").map((effect) => [
    `a tool of ${effect}`,
    effect,
  ]);
  it.each(beyond)(
    "that exceed the role's rights are an error where it is put together: %s",
    (_title, effect) => {
      const held = toolWith("held", ["fs.read", effect]);
      for (const tools of [{ names: ["held"] }, { effects: ["fs.read", effect] as const }]) {
        const role = defineRole({ ...TEXTS, name: "auditor", policy: reader, tools });
        expect(() => build({ roles: [role], tools: [held] })).toThrow(
          expect.objectContaining({
            name: "RightsError",
            code: "rights_exceeded",
            role: "auditor",
            tool: "held",
            effects: [effect],
            message: expect.stringMatching(`"auditor" would hold the tool "held".*${effect}`),
          }),
        );
      }
    },
  );

  it("that exceed the rights are an error too when deepagents or a middleware brings them", () => {
    const role = defineRole({ ...TEXTS, name: "auditor", policy: reader, tools: { names: ["edit_file"] } });
    expect(() => build({ roles: [role] })).toThrow(RightsError);
    const middleware = (name: string) =>
      name === "reviewer" ? [createMiddleware({ name: "Brings", tools: [poke] })] : [];
    expect(() => build({ middleware })).toThrow(
      expect.objectContaining({ role: "reviewer", tool: "poke", effects: ["exec"] }),
    );
  });

  it("include one whose calls may do less than it declares, when those are within the rights", () => {
    const shell = declareEffects(toolWith("shell", []), {
      effects: ["exec"],
      lesser: { effects: ["fs.read"], when: () => false },
    });
    expect(namesOf(delegate(build({ tools: [shell] }), "reviewer").tools)).toEqual(["shell"]);
  });
});

describe("what a delegate is given", () => {
  it("is its own files, the pipeline and the given middleware, made anew for each", () => {
    const made: string[] = [];
    const middleware = (role: string) => (made.push(role), [createMiddleware({ name: "Mine" })]);
    for (const each of build({ middleware })) {
      if ("runnable" in each) throw new Error("none is compiled");
      expect(each.middleware?.map(({ name }) => name)).toEqual([
        "FilesystemMiddleware",
        "FiveseamToolPipeline",
        "FiveseamPlanMode",
        "Mine",
      ]);
    }
    expect(made).toEqual(Object.keys(ROLES));
  });

  it("is the main agent's gates, which cost nothing where there are none", () => {
    const reviewer = (options: Parameters<typeof build>[0]) => delegate(build(options), "reviewer");
    expect(reviewer({ interruptOn: { peek: true } }).interruptOn).toEqual({ peek: true });
    expect(reviewer({})).not.toHaveProperty("interruptOn");
    expect(reviewer({ interruptOn: {} })).not.toHaveProperty("interruptOn");
  });

  it("is the main agent's skills for general-purpose only; another role has its own", () => {
    const skilled = defineRole({ ...TEXTS, name: "skilled", policy: reader, skills: ["/skills/own/"] });
    const built = build({ roles: [...Object.values(ROLES), skilled], skills: ["/skills/all/"] });
    const skills = Object.fromEntries(
      built.flatMap((each) => ("skills" in each && each.skills ? [[each.name, each.skills]] : [])),
    );
    expect(skills).toEqual({ "general-purpose": ["/skills/all/"], skilled: ["/skills/own/"] });
  });

  it("is an error when two roles have one name, and leaves no unfenced general-purpose when that one is left out", () => {
    expect(() => build({ roles: [ROLES.reviewer, ROLES.reviewer] })).toThrow('named "reviewer"');
    const built = build({
      roles: [ROLES.reviewer],
      backend: createCodingBackend({ workspace: os.tmpdir() }),
    });
    expect(built.map(({ name }) => name)).toEqual(["reviewer", "general-purpose"]);
    expect(built[1]).toHaveProperty("runnable");
  });
});
