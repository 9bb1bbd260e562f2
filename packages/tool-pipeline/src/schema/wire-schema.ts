import { isObject, type JsonSchema } from "./json-schema.js";
import type { TargetRules } from "./targets.js";

/** What happens to a part of a schema on its way to a target. */
export interface SchemaFinding {
  /**
   * `refused`: there is no form of it that the target takes. `lost`: the model is not told; the tool checks it when it is
   * called. `changed`: the wire form says the same in another way, or asks something of the tool.
   */
  readonly what: "refused" | "lost" | "changed";
  /** JSON pointer into the tool's schema. */
  readonly at: string;
  readonly message: string;
}

const UNIONS = ["anyOf", "oneOf", "allOf"] as const;
/** Say nothing to a model. */
const SILENT = new Set(["$schema", "$id", "$comment", "additionalProperties", "$defs", "definitions"]);
const MAX_INLINED = 32;

const unique = (values: readonly unknown[]): unknown[] => {
  const seen = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...seen.values()];
};

const withNote = (schema: JsonSchema, note: string): JsonSchema => {
  const before = schema["description"];
  return { ...schema, description: typeof before === "string" && before !== "" ? `${before} ${note}` : note };
};

/** One pass over a schema; `findings` says what it did. */
export class WireForm {
  readonly findings: SchemaFinding[] = [];
  #properties = 0;

  constructor(
    readonly rules: TargetRules,
    readonly root: JsonSchema,
  ) {}

  make(): JsonSchema {
    const top = this.#flatTop(this.root);
    if (top["type"] !== "object") {
      this.#find("refused", "", "The arguments must be an object.");
      return top;
    }
    return this.#visit(top, "", 1, 0);
  }

  #find(what: SchemaFinding["what"], at: string, message: string): void {
    this.findings.push({ what, at, message });
  }

  /** A union at the top becomes one object with the properties of all, since no target takes one there. */
  #flatTop(schema: JsonSchema): JsonSchema {
    const keyword = UNIONS.find((each) => Array.isArray(schema[each]));
    if (keyword === undefined) return schema;
    const { [keyword]: list, ...rest } = schema;
    const forms = (list as unknown[]).map((form) =>
      isObject(form) ? this.#flatTop(this.#resolve(form)) : {},
    );
    const own = isObject(rest["properties"]) ? rest["properties"] : {};
    if (
      forms.some(
        (form) =>
          form["type"] !== "object" && !(Array.isArray(form["required"]) && rest["type"] === "object"),
      )
    ) {
      this.#find(
        "refused",
        `/${keyword}`,
        `${keyword} at the top level holds something that is not an object.`,
      );
      return schema;
    }
    this.#find(
      "lost",
      `/${keyword}`,
      `${keyword} at the top level becomes one object; which fields go together is told in words.`,
    );
    const properties: JsonSchema = { ...own };
    for (const form of forms) {
      for (const [name, property] of Object.entries(isObject(form["properties"]) ? form["properties"] : {})) {
        properties[name] = this.#merge(properties[name], property);
      }
    }
    const lists = forms.map((form) =>
      Array.isArray(form["required"]) ? (form["required"] as string[]) : [],
    );
    const required =
      keyword === "allOf"
        ? lists.flat()
        : (lists[0] ?? []).filter((name) => lists.every((each) => each.includes(name)));
    const always = Array.isArray(rest["required"]) ? (rest["required"] as string[]) : [];
    const flat: JsonSchema = {
      ...rest,
      type: "object",
      properties,
      required: [...new Set([...always, ...required])],
    };
    return keyword === "allOf"
      ? flat
      : withNote(
          flat,
          `Give the fields of exactly one of these: ${lists.map((names) => names.join(" + ")).join("; ")}.`,
        );
  }

  /** Both of two properties of one name: the discriminator's constants become an enum. */
  #merge(one: unknown, other: unknown): unknown {
    if (one === undefined || JSON.stringify(one) === JSON.stringify(other)) return other;
    if (isObject(one) && isObject(other)) {
      const values = [one, other].map((each) =>
        "const" in each
          ? [each["const"]]
          : Array.isArray(each["enum"])
            ? (each["enum"] as unknown[])
            : undefined,
      );
      if (values.every((each) => each !== undefined)) {
        const { const: _const, ...rest } = one;
        return { ...rest, enum: unique(values.flat()) };
      }
    }
    return { anyOf: [one, other] };
  }

  #resolve(schema: JsonSchema): JsonSchema {
    const ref = schema["$ref"];
    if (typeof ref !== "string" || !ref.startsWith("#/")) return schema;
    let at: unknown = this.root;
    for (const part of ref.slice(2).split("/"))
      at = isObject(at) ? at[part.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
    const { $ref: _ref, ...rest } = schema;
    return isObject(at) ? { ...at, ...rest } : schema;
  }

  #visit(given: JsonSchema, at: string, depth: number, inlined: number): JsonSchema {
    const { rules } = this;
    let schema = given;
    if (depth > rules.maxDepth) {
      this.#find("refused", at, `It is nested deeper than ${rules.maxDepth} levels.`);
      return {};
    }
    if (!rules.refs && typeof schema["$ref"] === "string") {
      if (inlined >= MAX_INLINED) {
        this.#find("refused", at, `${schema["$ref"]} refers to itself.`);
        return {};
      }
      schema = this.#resolve(schema);
      return this.#visit(schema, at, depth, inlined + 1);
    }
    schema = this.#unions(schema, at);
    schema = this.#values(schema, at);
    schema = this.#keywords(schema, at);
    return this.#inside(schema, at, depth, inlined);
  }

  #unions(schema: JsonSchema, at: string): JsonSchema {
    const { keywords } = this.rules;
    let next = schema;
    if (keywords && Array.isArray(next["oneOf"])) {
      const { oneOf, ...rest } = next;
      this.#find("changed", `${at}/oneOf`, "oneOf becomes anyOf.");
      next = { ...rest, anyOf: oneOf };
    }
    if (keywords?.has("nullable") && Array.isArray(next["type"])) {
      const types = (next["type"] as unknown[]).filter((type) => type !== "null");
      const nullable = types.length < (next["type"] as unknown[]).length;
      const { type: _type, ...rest } = next;
      next =
        types.length === 1
          ? { ...rest, type: types[0] }
          : { ...rest, anyOf: types.map((type) => ({ type })) };
      if (nullable) next = { ...next, nullable: true };
    }
    return next;
  }

  #values(schema: JsonSchema, at: string): JsonSchema {
    const { keywords, anyEnum } = this.rules;
    let next = schema;
    if ("const" in next && keywords && !keywords.has("const")) {
      const { const: value, ...rest } = next;
      this.#find("changed", `${at}/const`, "const becomes an enum of one value.");
      next = { ...rest, enum: [value] };
    }
    if (
      !anyEnum &&
      Array.isArray(next["enum"]) &&
      (next["enum"] as unknown[]).some((value) => typeof value !== "string")
    ) {
      const { enum: values, ...rest } = next;
      this.#find("lost", `${at}/enum`, "An enum may hold strings only; the values are told in words.");
      next = withNote(rest, `One of ${JSON.stringify(values)}.`);
    }
    return next;
  }

  #keywords(schema: JsonSchema, at: string): JsonSchema {
    const { keywords, formats } = this.rules;
    let next: JsonSchema = {};
    const notes: string[] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === "format" && formats && !formats.has(String(value))) {
        this.#find("lost", `${at}/format`, `The format ${String(value)} is told in words.`);
        notes.push(`Format: ${String(value)}.`);
      } else if (!keywords || keywords.has(keyword)) next[keyword] = value;
      else if (!SILENT.has(keyword)) {
        this.#find(
          "lost",
          `${at}/${keyword}`,
          `${keyword} is not taken${keyword === "default" ? ", and told in words" : ""}.`,
        );
        if (keyword === "default") notes.push(`Default: ${JSON.stringify(value)}.`);
      } else if (keyword === "additionalProperties" && isObject(value)) {
        this.#find("lost", `${at}/additionalProperties`, "Which values a map may have is not told.");
      }
    }
    if (notes.length > 0) next = withNote(next, notes.join(" "));
    return next;
  }

  #inside(schema: JsonSchema, at: string, depth: number, inlined: number): JsonSchema {
    const next = { ...schema };
    const visit = (child: unknown, place: string, deeper = 0): unknown =>
      isObject(child) ? this.#visit(child, `${at}${place}`, depth + deeper, inlined) : child;
    for (const keyword of ["items", "not"])
      if (keyword in next) next[keyword] = visit(next[keyword], `/${keyword}`);
    for (const keyword of [...UNIONS, "prefixItems"]) {
      const list = next[keyword];
      if (Array.isArray(list))
        next[keyword] = list.map((child, index) => visit(child, `/${keyword}/${index}`));
    }
    for (const keyword of ["properties", "$defs", "definitions"]) {
      const map = next[keyword];
      if (!isObject(map)) continue;
      next[keyword] = Object.fromEntries(
        Object.entries(map).map(([name, child]) => [
          name,
          visit(child, `/${keyword}/${name}`, keyword === "properties" ? 1 : 0),
        ]),
      );
    }
    return this.rules.closed && (next["type"] === "object" || isObject(next["properties"]))
      ? this.#close(next, at)
      : next;
  }

  /** OpenAI's strict mode: nothing optional, nothing more than is named. */
  #close(schema: JsonSchema, at: string): JsonSchema {
    const properties = isObject(schema["properties"]) ? schema["properties"] : {};
    const required = Array.isArray(schema["required"]) ? (schema["required"] as string[]) : [];
    const open = schema["additionalProperties"];
    if (open === true || isObject(open)) {
      this.#find(
        "refused",
        `${at}/additionalProperties`,
        "An object with names of the model's choice (a map) is not taken.",
      );
    }
    this.#properties += Object.keys(properties).length;
    if (this.#properties > this.rules.maxProperties) {
      this.#find("refused", at, `There are more than ${this.rules.maxProperties} properties.`);
    }
    const all = Object.entries(properties).map(([name, child]): [string, unknown] => {
      if (required.includes(name) || !isObject(child)) return [name, child];
      this.#find(
        "changed",
        `${at}/properties/${name}`,
        "It becomes required and may be null: the tool must take null for absent.",
      );
      return [name, nullable(child)];
    });
    return {
      ...schema,
      properties: Object.fromEntries(all),
      required: Object.keys(properties),
      additionalProperties: false,
    };
  }
}

const nullable = (schema: JsonSchema): JsonSchema => {
  const { type } = schema;
  if (typeof type === "string" && !("enum" in schema) && !("const" in schema))
    return { ...schema, type: [type, "null"] };
  if (Array.isArray(type))
    return type.includes("null") ? schema : { ...schema, type: [...(type as unknown[]), "null"] };
  const { description, ...rest } = schema;
  return { ...(description === undefined ? {} : { description }), anyOf: [rest, { type: "null" }] };
};
