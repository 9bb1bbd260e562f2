import fc from "fast-check";
import { expect, it } from "vitest";
import { assistant, block, body, testMeter, user } from "./bodies.js";

const texts = fc.array(
  fc.record({
    name: fc.constantFrom("a", "b", "c"),
    tokens: fc.integer({ min: 0, max: 2_000 }),
    mark: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);
const request = fc.record({ system: texts, messages: texts, seconds: fc.integer({ min: 0, max: 600 }) });
const anthropic = ({ system, messages }: { system: Piece[]; messages: Piece[] }) =>
  body({
    system: system.map((piece) => block(piece.name, piece.tokens)),
    messages: messages.map((piece, at) =>
      (at % 2 ? assistant : user)(block(piece.name, piece.tokens, piece.mark)),
    ),
  });
interface Piece {
  name: string;
  tokens: number;
  mark: boolean;
}
const openai = (given: { system: Piece[]; messages: Piece[] }) => ({
  ...anthropic(given),
  model: "gpt-4.1",
  system: undefined,
});

it("reused, written and uncached make up the prompt, and no part exceeds it", () => {
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 6 }), fc.boolean(), (requests, isAnthropic) => {
      const meter = testMeter();
      let atMs = 0;
      for (const each of requests) {
        atMs += each.seconds * 1_000;
        const turn = meter.record(isAnthropic ? anthropic(each) : openai(each), {
          provider: isAnthropic ? "anthropic" : "openai",
          conversation: "c",
          atMs,
        });
        const { promptTokens, reusedTokens, writtenTokens, uncachedTokens, rebilledTokens } = turn;
        expect(reusedTokens + writtenTokens + uncachedTokens).toBe(promptTokens);
        expect(Math.min(reusedTokens, writtenTokens, uncachedTokens, rebilledTokens)).toBeGreaterThanOrEqual(
          0,
        );
        expect(reusedTokens + rebilledTokens).toBeLessThanOrEqual(promptTokens);
        expect(turn.moved !== undefined).toBe(rebilledTokens > 0);
      }
    }),
    { numRuns: 150 },
  );
});

it("a request sent again as it was is reused as far as it was kept", () => {
  fc.assert(
    fc.property(request, (given) => {
      const meter = testMeter();
      const send = () => meter.record(anthropic(given), { provider: "anthropic" });
      const first = send();
      expect(send().reusedTokens).toBe(first.writtenTokens);
    }),
    { numRuns: 150 },
  );
});
