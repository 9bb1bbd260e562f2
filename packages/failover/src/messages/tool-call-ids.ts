import { createHash } from "node:crypto";

/** The shape of tool call ids that a provider takes. */
interface IdRule {
  readonly valid: RegExp;
  readonly make: (digest: string) => string;
}

const call = (length: number) => (digest: string) => `call_${digest.slice(0, length)}`;

/**
 * As their APIs answer a wrong one (2026): Anthropic `String should match pattern '^[a-zA-Z0-9_-]+$'`, OpenAI `string too
 * long. Expected a string with maximum length 40`, Mistral `must be a-z, A-Z, 0-9, with a length of 9`, Bedrock
 * `[a-zA-Z0-9_-]+` of at most 64.
 */
const RULES: Readonly<Record<string, IdRule>> = {
  anthropic: { valid: /^[a-zA-Z0-9_-]{1,128}$/, make: call(24) },
  bedrock: { valid: /^[a-zA-Z0-9_-]{1,64}$/, make: call(24) },
  mistral: { valid: /^[a-zA-Z0-9]{9}$/, make: (digest) => digest.slice(0, 9) },
};
/** OpenAI's, within Anthropic's alphabet: what every other provider takes. */
const COMMON: IdRule = { valid: /^[a-zA-Z0-9_-]{1,40}$/, make: call(24) };

/**
 * Maps ids that the next provider refuses to ones it takes, the same for a call and its result, and the same in every
 * request (the id is a digest of the old one), so that a cached prefix stays one. Distinct ids stay distinct.
 */
export class ToolCallIds {
  private readonly mapped = new Map<string, string>();
  private taken: Set<string> | undefined;
  private readonly rule: IdRule;

  constructor(
    family: string,
    private readonly present: () => Iterable<string>,
  ) {
    this.rule = RULES[family] ?? COMMON;
  }

  map(id: string): string {
    if (this.rule.valid.test(id)) return id;
    const known = this.mapped.get(id);
    if (known !== undefined) return known;
    this.taken ??= new Set([...this.present()].filter((each) => this.rule.valid.test(each)));
    for (let salt = 0; ; salt += 1) {
      const digest = createHash("sha256")
        .update(salt === 0 ? id : `${salt}:${id}`)
        .digest("hex");
      const made = this.rule.make(digest);
      if (this.taken.has(made)) continue;
      this.taken.add(made);
      this.mapped.set(id, made);
      return made;
    }
  }
}
