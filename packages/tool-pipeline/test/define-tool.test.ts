import { describe, expect, it } from "vitest";
import { z } from "zod";
import { declareEffects, defineTool, type Effect } from "../src/index.js";

const definition = {
  name: "count",
  description: "Counts.",
  schema: z.object({}),
  effects: [] as readonly Effect[],
  run: () => "1",
};

describe("what a tool must state", () => {
  it.each(["", "with space", "a".repeat(65), "é"])("refuses the name %j", (name) => {
    expect(() => defineTool({ ...definition, name })).toThrow(
      /is not a tool name that every provider accepts/,
    );
  });

  it("names the effects that there are when one is unknown", () => {
    const effects = ["fs.raed"] as unknown as readonly Effect[];
    expect(() => defineTool({ ...definition, effects })).toThrow(
      /^Unknown effect\(s\) fs\.raed; the effects are fs\.read,/,
    );
  });

  it.each([undefined, null, "exec", {}])("says that effects are a list, given %j", (effects) => {
    const given = effects as unknown as readonly Effect[];
    expect(() => defineTool({ ...definition, effects: given })).toThrow(
      /^`effects` must be a list of fs\.read,/,
    );
    expect(() => declareEffects({}, { effects: given })).toThrow(/^`effects` must be a list of/);
  });

  it("says so when there is no declaration at all", () => {
    expect(() => declareEffects({}, undefined as never)).toThrow(/^`effects` must be a list of/);
  });
});
