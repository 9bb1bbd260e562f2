import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineChanges } from "../src/files/line-changes.js";

/** The longest common subsequence by the textbook's table. */
const common = (one: readonly string[], other: readonly string[]): number => {
  let row = Array.from({ length: other.length + 1 }, () => 0);
  for (const line of one) {
    const next = [0];
    for (const [at, own] of other.entries())
      next.push(line === own ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
};

describe("lineChanges", () => {
  it("counts the fewest lines that have to come and go", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (from, to) => {
        const shared = common(from, to);
        const text = (given: readonly string[]) => given.map((line) => `${line}\n`).join("");
        expect(lineChanges(text(from), text(to))).toEqual({
          added: to.length - shared,
          removed: from.length - shared,
        });
      }),
    );
  });

  it("counts all lines of long texts that have nothing in common, and does not take long", () => {
    const many = (letter: string) => Array.from({ length: 20_000 }, (_, at) => `${letter}${at}\n`).join("");
    expect(lineChanges(many("a"), many("b"))).toEqual({ added: 20_000, removed: 20_000 });
  });
});
