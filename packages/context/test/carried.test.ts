import { describe, expect, it } from "vitest";
import { compactionOf, converse } from "./support.js";

describe("what a compaction carries", () => {
  it("fits a small window, whatever the user has said", async () => {
    const { middleware, warnings, events } = compactionOf();
    const turns = Array.from({ length: 30 }, (_, at) => `request ${at} ${"log ".repeat(400)}`);
    await converse([middleware], turns);
    expect(events.length).toBeGreaterThan(0);
    expect(events.filter(({ tokensAfter }) => tokensAfter > 4_000)).toEqual([]);
    expect(warnings.filter(({ code }) => code === "context_still_full")).toEqual([]);
  });
});
