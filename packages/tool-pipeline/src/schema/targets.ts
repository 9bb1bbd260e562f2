/** Who a schema is sent to. */
export type SchemaTarget = "openai-strict" | "anthropic" | "gemini" | "mcp";

/** What a target takes. */
export interface TargetRules {
  /** Keywords that survive; undefined when all do. */
  readonly keywords: ReadonlySet<string> | undefined;
  /** Formats of strings that survive; undefined when all do. */
  readonly formats: ReadonlySet<string> | undefined;
  /** Every object is closed and names each of its properties as required; what was optional may be null. */
  readonly closed: boolean;
  /** `$ref` survives. */
  readonly refs: boolean;
  /** Values of `enum` other than strings survive. */
  readonly anyEnum: boolean;
  readonly maxDepth: number;
  readonly maxProperties: number;
}

const EVERYTHING: TargetRules = {
  keywords: undefined,
  formats: undefined,
  closed: false,
  refs: true,
  anyEnum: true,
  maxDepth: Infinity,
  maxProperties: Infinity,
};

/**
 * None takes a union at the top. Anthropic's words: "input_schema does not support oneOf, allOf, or anyOf at the top level",
 * a 400 for the whole list of tools; OpenAI's strict mode wants an object there too, and MCP's `inputSchema` is an object by
 * the protocol, which clients send on to either.
 */
export const TARGETS: Readonly<Record<SchemaTarget, TargetRules>> = {
  anthropic: EVERYTHING,
  mcp: EVERYTHING,
  // OpenAI's guide to structured outputs, "Supported schemas". `default` is refused by name ("'default' is not permitted").
  "openai-strict": {
    keywords: new Set([
      ..."type properties required additionalProperties items enum const anyOf $ref $defs definitions".split(
        " ",
      ),
      ..."description title pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split(
        " ",
      ),
      ..."minItems maxItems $schema".split(" "),
    ]),
    formats: new Set("date-time time date duration email hostname ipv4 ipv6 uuid".split(" ")),
    closed: true,
    refs: true,
    anyEnum: true,
    maxDepth: 10,
    maxProperties: 5_000,
  },
  // The `Schema` object of generateContent's `parameters`, a subset of OpenAPI 3.0.
  gemini: {
    keywords: new Set([
      ..."type properties required items enum anyOf description title nullable format minimum maximum".split(
        " ",
      ),
      ..."minItems maxItems minLength maxLength minProperties maxProperties pattern default".split(" "),
    ]),
    formats: new Set(["date-time", "enum"]),
    closed: false,
    refs: false,
    anyEnum: false,
    maxDepth: Infinity,
    maxProperties: Infinity,
  },
};
