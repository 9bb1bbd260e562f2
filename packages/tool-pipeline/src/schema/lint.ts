import { PipelineError } from "../errors.js";
import { refinementsIn, schemaOf, type JsonSchema, type SchemaSubject } from "./json-schema.js";
import { TARGETS, type SchemaTarget } from "./targets.js";
import { WireForm, type SchemaFinding } from "./wire-schema.js";

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const formOf = (
  tool: SchemaSubject,
  target: SchemaTarget,
): { schema: JsonSchema; findings: SchemaFinding[] } => {
  const findings: SchemaFinding[] = [];
  if (!NAME.test(tool.name)) {
    findings.push({
      what: "refused",
      at: "",
      message: `The name "${tool.name}" is not 1 to 64 of A-Z a-z 0-9 _ -.`,
    });
  }
  let given: JsonSchema;
  try {
    given = schemaOf(tool);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      schema: {},
      findings: [...findings, { what: "refused", at: "", message: `It has no JSON schema: ${reason}.` }],
    };
  }
  const form = new WireForm(TARGETS[target], given);
  const schema = form.make();
  const rules = refinementsIn(tool.schema).map((at): SchemaFinding => ({
    what: "lost",
    at,
    message: "A rule in code (refine) is not told; say it in a description.",
  }));
  return { schema, findings: [...findings, ...form.findings, ...rules] };
};

/**
 * What a tool's schema loses on its way to a provider, and what that one would refuse. An empty list: it arrives as it is.
 *
 * @example
 * ```ts
 * import { lintToolSchema } from "@fiveseam/tool-pipeline";
 * import { z } from "zod";
 *
 * lintToolSchema({ name: "fetch", schema: z.object({ url: z.url().optional() }) }, "openai-strict");
 * // [{ what: "lost", at: "/properties/url/format", … }, { what: "changed", at: "/properties/url", … }]
 * ```
 */
export const lintToolSchema = (tool: SchemaSubject, target: SchemaTarget): readonly SchemaFinding[] =>
  formOf(tool, target).findings;

/**
 * The schema in the form that the target takes. What it cannot say is told in descriptions where that is possible.
 *
 * @throws {PipelineError} `invalid_schema`, with the findings in its message, when there is no such form.
 */
export const toWireSchema = (tool: SchemaSubject, target: SchemaTarget): JsonSchema => {
  const { schema, findings } = formOf(tool, target);
  const refused = findings.filter(({ what }) => what === "refused");
  if (refused.length === 0) return schema;
  const why = refused.map(({ at, message }) => (at === "" ? message : `${at}: ${message}`)).join(" ");
  throw new PipelineError("invalid_schema", `${target} does not take the schema of ${tool.name}. ${why}`);
};

/** A tool that was set aside, with what the target would refuse. */
export interface QuarantinedTool<T> {
  readonly tool: T;
  readonly findings: readonly SchemaFinding[];
}

/**
 * Sets aside the tools that a target would refuse, since providers refuse the whole list for one of them. What to do about
 * those, and whom to warn, is the caller's matter.
 */
export const quarantineTools = <T extends SchemaSubject>(
  tools: readonly T[],
  target: SchemaTarget,
): { tools: T[]; quarantined: QuarantinedTool<T>[] } => {
  const quarantined = tools.flatMap((tool) => {
    const findings = lintToolSchema(tool, target).filter(({ what }) => what === "refused");
    return findings.length > 0 ? [{ tool, findings }] : [];
  });
  return { tools: tools.filter((tool) => quarantined.every((each) => each.tool !== tool)), quarantined };
};
