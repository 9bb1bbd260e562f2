import {
  createPrefixMeter,
  type PrefixMeter,
  type PrefixMeterOptions,
} from "../../src/prefix-meter/index.js";

/** A text of `tokens` tokens: with the counter of `testMeter`, each "§" is one and nothing else counts. */
export const words = (name: string, tokens: number): string => `${name}${"§".repeat(tokens)}`;

/** A meter whose arithmetic can be done by hand. */
export const testMeter = (options: PrefixMeterOptions = {}): PrefixMeter =>
  createPrefixMeter({ countTokens: (text) => text.split("§").length - 1, now: () => 0, ...options });

const MARK = { cache_control: { type: "ephemeral" } };

type Block = Record<string, unknown>;

/** A text block, marked for the cache or not. */
export const block = (name: string, tokens: number, mark: boolean | { ttl: string } = false): Block => ({
  type: "text",
  text: words(name, tokens),
  ...(mark === false ? {} : mark === true ? MARK : { cache_control: { type: "ephemeral", ...mark } }),
});

export const user = (...content: Block[]): Block => ({ role: "user", content });
export const assistant = (...content: Block[]): Block => ({ role: "assistant", content });

export const tool = (name: string, tokens: number, more: Block = {}): Block => ({
  name,
  description: words(name, tokens),
  input_schema: { type: "object" },
  ...more,
});

/** An Anthropic body. */
export const body = (parts: { tools?: Block[]; system?: Block[]; messages: Block[] } & Block): Block => ({
  model: "claude-sonnet-4-6",
  max_tokens: 100,
  ...parts,
});

/** A meter that is given Anthropic bodies of one conversation. */
export const conversation = (
  options: PrefixMeterOptions = {},
): { meter: PrefixMeter; send: (sent: Block, atMs?: number) => ReturnType<PrefixMeter["record"]> } => {
  const meter = testMeter(options);
  return {
    meter,
    send: (sent, atMs = 0) => meter.record(sent, { provider: "anthropic", conversation: "c", atMs }),
  };
};
