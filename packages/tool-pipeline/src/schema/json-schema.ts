import { toJsonSchema } from "@langchain/core/utils/json_schema";
import type { InteropZodType } from "@langchain/core/utils/types";

/** A JSON schema, as far as it is looked into. */
export type JsonSchema = { [keyword: string]: unknown };

/** A tool, as far as the linter needs it: its name, and a zod or JSON schema of its arguments. */
export interface SchemaSubject {
  readonly name: string;
  readonly schema?: unknown;
}

export const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The arguments as JSON schema. Throws when there are none, or zod cannot say them in JSON schema. */
export const schemaOf = (tool: SchemaSubject): JsonSchema => {
  if (tool.schema === undefined || tool.schema === null) throw new TypeError("the tool has no schema");
  const made: unknown = toJsonSchema(tool.schema as InteropZodType);
  if (!isObject(made)) throw new TypeError("its schema is not an object");
  return structuredClone(made);
};

interface ZodInside {
  readonly _zod?: {
    readonly def?: {
      readonly checks?: readonly ZodInside[];
      readonly check?: string;
      readonly shape?: Readonly<Record<string, unknown>>;
      readonly options?: readonly unknown[];
      readonly items?: readonly unknown[];
      readonly element?: unknown;
      readonly innerType?: unknown;
      readonly valueType?: unknown;
      readonly in?: unknown;
    };
  };
}

/** Where a zod 4 schema has rules in code (`refine`, `superRefine`, `check`), which no JSON schema can say. */
export const refinementsIn = (schema: unknown, at = "", seen = new Set<unknown>()): string[] => {
  const def = (schema as ZodInside | undefined)?._zod?.def;
  if (!def || seen.has(schema)) return [];
  seen.add(schema);
  const inside = (child: unknown, place: string): string[] => refinementsIn(child, place, seen);
  return [
    ...((def.checks ?? []).some((check) => check._zod?.def?.check === "custom") ? [at] : []),
    ...Object.entries(def.shape ?? {}).flatMap(([name, child]) => inside(child, `${at}/properties/${name}`)),
    ...(def.options ?? []).flatMap((child, index) => inside(child, `${at}/anyOf/${index}`)),
    ...(def.items ?? []).flatMap((child, index) => inside(child, `${at}/items/${index}`)),
    ...inside(def.element, `${at}/items`),
    ...inside(def.valueType, `${at}/additionalProperties`),
    ...inside(def.innerType, at),
    ...inside(def.in, at),
  ];
};
