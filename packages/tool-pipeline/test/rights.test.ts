import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ALL_RIGHTS,
  covers,
  createRights,
  EFFECTS,
  intersect,
  NO_RIGHTS,
  PipelineError,
  type Access,
  type Rights,
} from "../src/index.js";

const name = fc.constantFrom("docs", "adr", "src", ".git", "a b", "x.ts", "a+b");
const path = fc.array(name, { maxLength: 4 }).map((names) => `/${names.join("/")}`);
const segment = fc.oneof(name, fc.constantFrom("*", "*.ts", "?ocs", "{docs,src}", "[a-d]*", "**"));
const glob = fc.array(segment, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join("/")}`);
const globs = fc.array(glob, { maxLength: 3 });
const paths = fc.oneof(
  fc.constantFrom("all" as const, "none" as const),
  globs,
  fc.record({ allow: globs, deny: globs }),
  fc.record({ deny: globs }),
);
const simple: fc.Arbitrary<Rights> = fc
  .record({
    effects: fc.oneof(fc.constant("all" as const), fc.subarray([...EFFECTS])),
    read: paths,
    write: paths,
  })
  .map(createRights);
// Rights that were put together before, so that their form is richer than what can be written.
const rights = fc.oneof(
  simple,
  fc.tuple(simple, simple).map(([a, b]) => intersect(a, b)),
);
const access: fc.Arbitrary<Access> = fc.oneof(
  fc.constantFrom(...EFFECTS),
  path.map((read) => ({ read })),
  path.map((write) => ({ write })),
);
const RUNS = { numRuns: 1_000 };

describe("intersect is a true meet", () => {
  it("covers exactly what both cover: never wider than either, never narrower than both", () => {
    const tally = { both: 0, one: 0 };
    fc.assert(
      fc.property(rights, rights, access, (a, b, asked) => {
        const both = intersect(a, b);
        const [left, right] = [covers(a, asked), covers(b, asked)];
        if (left && right) tally.both += 1;
        else if (left || right) tally.one += 1;
        // An effect on files goes when no path is left of it, though each of the two had some.
        if (asked === "fs.read" || asked === "fs.write") {
          expect(covers(both, asked) && !(left && right)).toBe(false);
        } else expect(covers(both, asked)).toBe(left && right);
      }),
      RUNS,
    );
    expect(tally.both).toBeGreaterThan(50);
    expect(tally.one).toBeGreaterThan(50);
  });

  it("is idempotent, commutative and associative, to the letter", () => {
    fc.assert(
      fc.property(rights, rights, rights, (a, b, c) => {
        expect(intersect(a, a)).toEqual(a);
        expect(intersect(a, b)).toEqual(intersect(b, a));
        expect(intersect(intersect(a, b), c)).toEqual(intersect(a, intersect(b, c)));
        expect(intersect(intersect(a, b), b)).toEqual(intersect(a, b));
      }),
      RUNS,
    );
  });

  it("has everything as its identity and nothing as its end", () => {
    fc.assert(
      fc.property(rights, (a) => {
        expect(intersect(a, ALL_RIGHTS)).toEqual(a);
        expect(intersect(a, NO_RIGHTS)).toEqual(NO_RIGHTS);
      }),
    );
  });

  it("rights that say the same in other words are deeply equal", () => {
    const write = (...list: string[]) => createRights({ effects: "all", read: "all", write: list });
    expect(write("/docs/**", "/docs/adr/**", "/a")).toEqual(write("/a", "/docs/**", "/docs/**"));
    expect(write("/**", "/docs/**")).toEqual(ALL_RIGHTS);
    expect(intersect(write("/docs/**"), write("/docs/adr/**"))).toEqual(write("/docs/adr/**"));
    expect(createRights({ effects: ["net"], read: "all", write: "all" })).toEqual(
      createRights({ effects: ["net", "fs.read"], read: "none", write: [] }),
    );
    expect(
      createRights({ effects: "all", read: "all", write: { allow: ["/d/a/**"], deny: ["/d/**"] } }),
    ).toEqual(createRights({ effects: "all", read: "all", write: "none" }));
  });
});

describe("covers", () => {
  const rules = createRights({
    effects: ["fs.read", "fs.write"],
    read: { deny: ["/workspace/secret/**"] },
    write: ["/docs/**"],
  });

  it("sees through dots, doubled slashes and line breaks, and refuses what names no path", () => {
    for (const read of [
      "/workspace/./secret/x",
      "/workspace//secret/x",
      "/workspace/a/../secret/x",
      "/workspace/secret",
      "/workspace/secret/",
      "/workspace/secret/a\nb",
      "/workspace/secret/.x",
    ])
      expect(covers(rules, { read })).toBe(false);
    expect(covers(rules, { read: "/workspace/secrets" })).toBe(true);
    for (const write of ["docs/x", "", "/docs/../../docs/x", "/docs/a\0b", "/docs\\x", "/docs2/x", "/"])
      expect(covers(rules, { write })).toBe(false);
    expect(covers(rules, { write: "/docs/a b/.c" })).toBe(true);
  });

  it("a literal path is covered by a subtree exactly when it lies in it", () => {
    fc.assert(
      fc.property(path, path, (base, at) => {
        const own = createRights({
          effects: "all",
          read: "all",
          write: [base === "/" ? "/**" : `${base}/**`],
        });
        expect(covers(own, { write: at })).toBe(base === "/" || at === base || at.startsWith(`${base}/`));
      }),
    );
  });

  it("a rule that is not a path, or whose syntax is of another dialect, is a typed error", () => {
    for (const wrong of [
      "docs/**",
      "/docs/a|/etc/b",
      "/(a)",
      "!/a",
      "/a/../b",
      "/a//b",
      "/a/",
      "/a\\b",
      "",
      "/w/{1..3}",
      "/w/[[:alpha:]]",
      "/w/[ab",
      "/w/a**",
      `/${"{a,b}".repeat(12)}`,
    ]) {
      const make = () => createRights({ effects: "all", read: [wrong], write: "none" });
      expect(make).toThrow(PipelineError);
      expect(make).toThrow(expect.objectContaining({ code: "invalid_rights" }));
    }
    expect(() => createRights({ effects: ["fs.erase" as never], read: "all", write: "all" })).toThrow(
      "fs.erase",
    );
  });

  it("** stands for no directory too: a rule for every .env denies the one at the root", () => {
    const careful = createRights({
      effects: "all",
      read: { deny: ["/**/.env", "/**/secrets/**", "/a/**/b", "/w/[!x]?.{ts,js}"] },
      write: "all",
    });
    for (const read of [
      "/.env",
      "/a/.env",
      "/a/b/.env",
      "/secrets/x",
      "/x/secrets",
      "/a/b",
      "/a/c/d/b",
      "/w/ab.ts",
    ])
      expect(covers(careful, { read }), read).toBe(false);
    for (const read of ["/env", "/.envrc", "/a/secret", "/b", "/w/xb.ts", "/w/ab.tsx"])
      expect(covers(careful, { read }), read).toBe(true);
  });

  it("no path makes a rule cost more than a moment", () => {
    const costly = createRights({
      effects: "all",
      read: ["/w/*a*a*a*a*a*a*b", "/**/a/**/a/**/a/**/a/**/b"],
      write: "none",
    });
    const before = process.cpuUsage();
    expect(covers(costly, { read: `/w/${"a".repeat(5_000)}` })).toBe(false);
    expect(covers(costly, { read: `/${"a/".repeat(2_000)}a` })).toBe(false);
    const { user } = process.cpuUsage(before);
    expect(user / 1_000).toBeLessThan(500);
  });

  it("rights cannot be changed from outside", () => {
    expect(() => (rules.effects as string[]).push("exec")).toThrow(TypeError);
    expect(() => (rules.write.allow as string[][]).push([])).toThrow(TypeError);
    expect(() => (rules.write.allow[0] as string[]).push("/**")).toThrow(TypeError);
  });
});
