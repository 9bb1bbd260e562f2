import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  lintToolSchema,
  PipelineError,
  quarantineTools,
  toWireSchema,
  type SchemaTarget,
} from "../src/index.js";

const TARGETS: readonly SchemaTarget[] = ["openai-strict", "anthropic", "gemini", "mcp"];
const plain = {
  name: "plain",
  schema: z.object({ path: z.string().describe("Where."), lines: z.array(z.number()) }),
};
const lint = (schema: unknown, target: SchemaTarget, name = "t") =>
  lintToolSchema({ name, schema }, target).map(({ what, at }) => `${what} ${at}`);

describe("the schema linter", () => {
  it("has nothing to say of a plain schema, and its wire form is the same object to every target", () => {
    for (const target of TARGETS) {
      expect(lintToolSchema(plain, target)).toEqual([]);
      expect(toWireSchema(plain, target)).toMatchObject({
        type: "object",
        properties: { path: { type: "string", description: "Where." }, lines: { items: { type: "number" } } },
        required: ["path", "lines"],
      });
    }
  });

  it("a union at the top becomes one object for every target, its discriminator an enum, and says so", () => {
    const schema = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("run"), code: z.string() }),
      z.object({ kind: z.literal("act"), actions: z.array(z.string()) }),
    ]);
    for (const target of TARGETS) {
      expect(lint(schema, target)[0]).toMatch(/^lost \/(oneOf|anyOf)$/);
      const wire = toWireSchema({ name: "t", schema }, target);
      expect(wire).toMatchObject({
        type: "object",
        description: "Give the fields of exactly one of these: kind + code; kind + actions.",
        properties: { kind: { type: "string", enum: ["run", "act"] } },
      });
      for (const keyword of ["oneOf", "anyOf", "allOf"]) expect(wire).not.toHaveProperty(keyword);
    }
    const atLeastOne = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    expect(toWireSchema({ name: "t", schema: atLeastOne }, "anthropic")).toMatchObject({
      properties: { a: { type: "string" }, b: { type: "string" } },
      required: [],
    });
  });

  it("OpenAI strict: everything is required and closed, what was optional may be null, what it refuses goes", () => {
    const schema = z.object({
      url: z.url().optional(),
      mode: z.enum(["a", "b"]).default("a"),
      inner: z.object({ n: z.number().optional() }),
      name: z.string().min(2),
      one: z.union([z.string(), z.number()]),
    });
    const wire = toWireSchema({ name: "t", schema }, "openai-strict");
    expect(wire).toMatchObject({
      additionalProperties: false,
      required: ["url", "mode", "inner", "name", "one"],
      properties: {
        url: { type: ["string", "null"], description: "Format: uri." },
        mode: { description: 'Default: "a".' },
        inner: {
          required: ["n"],
          additionalProperties: false,
          properties: { n: { type: ["number", "null"] } },
        },
        one: { type: ["string", "number"] },
      },
    });
    expect(lint(schema, "openai-strict")).toEqual(
      expect.arrayContaining([
        "lost /properties/url/format",
        "changed /properties/url",
        "lost /properties/mode/default",
        "changed /properties/inner/properties/n",
        "lost /properties/name/minLength",
      ]),
    );
    expect(lint(z.object({ map: z.record(z.string(), z.number()) }), "openai-strict")).toContain(
      "refused /properties/map/additionalProperties",
    );
    let deep: z.ZodType = z.string();
    for (let level = 0; level < 11; level += 1) deep = z.object({ deep });
    expect(lint(deep, "openai-strict").some((finding) => finding.startsWith("refused"))).toBe(true);
    expect(lint(deep, "anthropic")).toEqual([]);
  });

  it("Gemini: constants become enums, references are put in place, null is a flag, maps and numbers as enums are told in words", () => {
    const schema = {
      type: "object",
      $defs: { point: { type: "object", properties: { x: { type: "number" } } } },
      properties: {
        kind: { const: "a" },
        level: { enum: [1, 2] },
        maybe: { type: ["string", "null"] },
        at: { $ref: "#/$defs/point" },
        either: { oneOf: [{ type: "string" }, { type: "number" }] },
        map: { type: "object", additionalProperties: { type: "number" } },
      },
    };
    expect(toWireSchema({ name: "t", schema }, "gemini")).toEqual({
      type: "object",
      properties: {
        kind: { enum: ["a"] },
        level: { description: "One of [1,2]." },
        maybe: { type: "string", nullable: true },
        at: { type: "object", properties: { x: { type: "number" } } },
        either: { anyOf: [{ type: "string" }, { type: "number" }] },
        map: { type: "object" },
      },
    });
    const recursive = {
      type: "object",
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
      properties: { node: { $ref: "#/$defs/node" } },
    };
    expect(lint(recursive, "gemini").some((finding) => finding.startsWith("refused"))).toBe(true);
    expect(lint(recursive, "openai-strict").some((finding) => finding.startsWith("refused"))).toBe(false);
  });

  it("names rules in code, which no schema tells", () => {
    const schema = z
      .object({ a: z.array(z.string().refine((text) => text !== "")), b: z.number() })
      .refine(({ b }) => b > 0);
    for (const target of TARGETS) {
      expect(lint(schema, target)).toEqual(expect.arrayContaining(["lost ", "lost /properties/a/items"]));
    }
    expect(lint(z.object({ a: z.string().min(1) }), "mcp")).toEqual([]);
  });

  it("one bad tool is set aside and the rest of the list lives", () => {
    const bad = [
      { name: "two words", schema: z.object({}) },
      { name: "no_schema" },
      { name: "text", schema: { type: "string" } },
      { name: "date", schema: z.object({ at: z.date() }) },
      { name: "union", schema: { anyOf: [{ type: "string" }, { type: "object" }] } },
    ];
    for (const target of TARGETS) {
      const { tools, quarantined } = quarantineTools([plain, ...bad], target);
      expect(tools).toEqual([plain]);
      expect(quarantined.map(({ tool }) => tool.name)).toEqual(bad.map(({ name }) => name));
      for (const tool of bad) {
        expect(() => toWireSchema(tool, target)).toThrow(PipelineError);
        expect(() => toWireSchema(tool, target)).toThrow(expect.objectContaining({ code: "invalid_schema" }));
      }
    }
  });

  it("leaves the tool's own schema as it is", () => {
    const schema = { type: "object", properties: { a: { type: "string", default: "x" } } };
    const before = structuredClone(schema);
    for (const target of TARGETS) toWireSchema({ name: "t", schema }, target);
    expect(schema).toEqual(before);
  });
});
