import { describe, expect, it } from "vitest";
import { contextPrefixMiddleware, instructionFiles, type PrefixSource } from "../src/index.js";
import { converse } from "./support.js";

describe("a source", () => {
  const source = (more: Partial<PrefixSource>): PrefixSource => ({
    title: "S",
    maxTokens: 100,
    load: async () => [{ id: "a", text: "text a" }],
    ...more,
  });

  it.each<[string, Partial<PrefixSource>[]]>([
    [
      "duplicate ids",
      [
        {
          load: async () => [
            { id: "a", text: "1" },
            { id: "a", text: "2" },
          ],
        },
      ],
    ],
    [
      "titles alike",
      [{ load: async () => [{ id: "a", text: "1" }] }, { load: async () => [{ id: "a", text: "2" }] }],
    ],
    ["a title with a newline", [{ title: "S\nT" }]],
    ["__proto__", [{ title: "__proto__", load: async () => [{ id: "__proto__", text: "1" }] }]],
    ["an id with a newline", [{ load: async () => [{ id: "a\nb", text: "1" }] }]],
  ])("that says the same again changes nothing: %s", async (_, more) => {
    const middleware = contextPrefixMiddleware({ sources: more.map(source) });
    const { calls, systems } = await converse(
      [middleware],
      Array.from({ length: 16 }, () => "hi"),
    );
    expect(new Set(systems).size).toBe(1);
    expect(
      calls
        .at(-1)!
        .map(({ text }) => text)
        .join(),
    ).not.toContain("context-changed");
  });
  it("keeps to its budget with what it says of what was left out", async () => {
    const middleware = contextPrefixMiddleware({
      sources: [
        source({
          maxTokens: 500,
          load: async () =>
            Array.from({ length: 1_000 }, (_, at) => ({
              id: `/workspace/rules/rule-${at}.md`,
              text: "r".repeat(100),
            })),
        }),
      ],
    });
    const { systems } = await converse([middleware], ["a"]);
    expect(systems[0]!.length).toBeLessThan(500 * 4 * 1.5);
  });
});

describe("imports", () => {
  it("of many files that import many files end", async () => {
    let reads = 0;
    const many = (name: string): string => `${`@${name}\n`.repeat(200)}end`;
    const texts = new Map(
      ["CLAUDE", "a", "b", "c", "d"].map((name, at, all) => [
        `/w/${name}.md`,
        many(`${all[at + 1] ?? "e"}.md`),
      ]),
    );
    const source = instructionFiles({
      root: "/w/",
      files: { read: async (path) => ((reads += 1), texts.get(path)), list: async () => [] },
    });
    const [section] = await source.load({});
    expect(reads).toBeLessThan(200);
    expect(section!.text).toContain("end");
  });
});
