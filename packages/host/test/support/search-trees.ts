import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import type { TextSearchQuery } from "../../src/index.js";

/** A tree to search: contents by path, plus links. Paths that contradict each other (a file as a folder) are left out. */
export interface Tree {
  files: readonly (readonly [string, Buffer])[];
  links: readonly (readonly [string, string])[];
}

export const withTree = async <T>(tree: Tree, use: (root: string) => Promise<T>): Promise<T> => {
  const root = await mkdtemp(path.join(os.tmpdir(), "fiveseam-search-"));
  try {
    for (const [name, content] of tree.files) {
      try {
        await mkdir(path.dirname(path.join(root, name)), { recursive: true });
        await writeFile(path.join(root, name), content);
      } catch (error) {
        if (!["EEXIST", "ENOTDIR", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? ""))
          throw error;
      }
    }
    for (const [name, target] of tree.links) {
      await symlink(target, path.join(root, name)).catch((error: NodeJS.ErrnoException) => {
        if (!["EEXIST", "ENOTDIR", "ENOENT"].includes(error.code ?? "")) throw error;
      });
    }
    return await use(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
};

const names = fc.constantFrom(
  "a",
  "b",
  "ab",
  "a.ts",
  "b.ts",
  "a.js",
  "A.ts",
  ".h",
  ".git",
  ".gitignore",
  "a b",
  "é",
  "[a]",
  "{a}",
  "a-b",
  "#a",
  "!a",
  "node_modules",
  "dist",
  "-e",
  "ü.ts",
  "a\\b",
  "*",
);
const filePath = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));

const text = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom("foo", "bar", "Foo", "f", "o", "a", "b", "_", " ", "1", "-", ".", "("),
      },
      { weight: 2, arbitrary: fc.constantFrom("\n", "\r\n", "\r", "\n\n", "\t") },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          "é",
          "ſ",
          "K",
          "\u2028",
          "\u0085",
          "\uFEFF",
          "\uFFFD",
          "😀",
          "ß",
          "İ",
          "\u00a0",
        ),
      },
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(""));

const broken = fc.constantFrom([0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0x80]);

const content: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 8, arbitrary: text.map((each) => Buffer.from(each)) },
  { weight: 2, arbitrary: text.map((each) => Buffer.from(`\uFEFF${each}`)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(text, broken, text)
      .map(([a, b, c]) => Buffer.concat([Buffer.from(a), Buffer.from(b), Buffer.from(c)])),
  },
  { weight: 1, arbitrary: fc.tuple(text, text).map(([a, b]) => Buffer.from(`${a}\0${b}`)) },
  { weight: 1, arbitrary: text.map((each) => Buffer.from(`\uFEFF${each}`, "utf16le")) },
  { weight: 1, arbitrary: text.map((each) => Buffer.from(`\uFEFF${each}`, "utf16le").swap16()) },
  {
    weight: 1,
    arbitrary: text.map((each) => Buffer.concat([Buffer.from(`\uFEFF${each}`, "utf16le"), Buffer.from("x")])),
  },
);

const globPart = fc.constantFrom(
  "*",
  "**",
  "?",
  "a",
  "b",
  "a.ts",
  "*.ts",
  "*.{ts,js}",
  "[ab]",
  "[!a]",
  "[^b]*",
  "[a-b].ts",
  ".*",
  ".h",
  "a*b",
  "é",
  "?.ts",
  "\\[a\\]",
  "{a}",
  "\\#a",
  "\\!a",
  "node_modules",
  "dist",
  "a b",
  "**a",
  "a**",
  "[]a]",
  "[a-]",
  "{a,b}*",
  "[",
  "{",
  "}",
  "\\",
  "\\*",
  "-e",
  "[a",
  "***",
  "[[:alpha:]]",
  "{a,{b,ab}}",
  "{,a}b",
  "[b-a]",
  "a\\\\b",
  "*/",
);
export const glob = fc
  .tuple(
    fc.constantFrom("", "", "", "!", "/", "!/", "\\!", "#"),
    fc.array(globPart, { minLength: 1, maxLength: 3 }),
    fc.constantFrom("", "", "", "/", "/**", " ", "\\ ", "\t"),
  )
  .map(([before, parts, after]) => before + parts.join("/") + after);

const ignoreFile = fc
  .tuple(
    filePath,
    fc.array(glob, { minLength: 1, maxLength: 4 }),
    fc.constantFrom("\n", "\r\n"),
    fc.boolean(),
  )
  .map(([folder, lines, newline, marked]) => {
    const parts = folder.split("/");
    parts[parts.length - 1] = ".gitignore";
    return [
      parts.join("/"),
      Buffer.from((marked && lines.length > 2 ? "\uFEFF# x\n" : "") + lines.join(newline)),
    ] as const;
  });

export const tree: fc.Arbitrary<Tree> = fc.record({
  files: fc
    .tuple(
      fc.array(ignoreFile, { maxLength: 3 }),
      fc.array(fc.tuple(filePath, content), { minLength: 4, maxLength: 14 }),
    )
    .map(([ignores, files]) => [...ignores, ...files]),
  links: fc.array(fc.tuple(filePath, fc.constantFrom("a", "..", "/etc", "b.ts", "missing")), {
    maxLength: 2,
  }),
});

const literal = fc.constantFrom(
  "foo",
  "Foo",
  "f",
  "o",
  "a",
  "fo",
  "(",
  ".",
  "foo.",
  "é",
  "ſ",
  "k",
  "s",
  "K",
  "\uFFFD",
  "-e",
  "--files",
  "o\r",
  "😀",
  "\uFEFF",
  " ",
  "İ",
  "i",
  "ss",
);

const atom: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("f", "o", "foo", "a", "b", "1", " ", "_", "k", "s") },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ".",
      "\\w",
      "\\W",
      "\\d",
      "\\D",
      "\\s",
      "\\S",
      "[a-f]",
      "[^a-f]",
      "[\\w-]",
      "[^\\s]",
      "[\\Wa]",
      "[\\s\\S]",
      "\\t",
      "\\.",
      "\\(",
      "\\{",
      "{",
      "}",
      "]",
      "\\p{L}",
      "\\P{Lu}",
      "[\\p{L}1]",
      "é",
      "\\u{1F600}",
      "\\xe9",
      "\\uFFFD",
      "[^\\x00-\\x7f]",
      "[[:alpha:]]",
      "[a&&b]",
      "[~-]",
      "\\-",
      "\\/",
      "[\\]]",
      "ſ",
      "[k]",
      "[^k]",
      "[^S]",
      "\\x{FEFF}",
      "[\\n]",
    ),
  },
);
const assertion = fc.constantFrom("^", "$", "\\b", "\\B", "(?=o)", "(?!o)", "(?<=f)", "(?<!f)");
const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "*?", "+?");
const { pattern: regex } = fc.letrec<{ pattern: string; sequence: string; piece: string }>((tie) => ({
  pattern: fc.oneof(
    { weight: 3, arbitrary: tie("sequence") },
    { weight: 1, arbitrary: fc.tuple(tie("sequence"), tie("sequence")).map((parts) => parts.join("|")) },
  ),
  sequence: fc.array(tie("piece"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
  piece: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.tuple(atom, quantifier).map((parts) => parts.join("")),
    assertion,
    fc.tuple(tie("pattern"), quantifier).map(([body, many]) => `(${body})${many}`),
    fc.tuple(tie("pattern"), quantifier).map(([body, many]) => `(?:${body})${many}`),
    tie("pattern").map((body) => `(${body})\\1`),
  ),
}));

/** Absent most of the time: many conditions at once leave nothing to find. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>, weight = 4): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

export const query: fc.Arbitrary<TextSearchQuery> = fc
  .record({
    find: fc.oneof(
      literal.map((pattern) => ({ pattern, regex: false })),
      regex.map((pattern) => ({ pattern, regex: true })),
      regex.map((pattern) => ({ pattern: `(?i)${pattern}`, regex: true })),
    ),
    caseSensitive: rarely(fc.boolean()),
    word: rarely(fc.boolean()),
    paths: rarely(fc.array(fc.oneof(names, filePath), { maxLength: 2 }), 2),
    globs: rarely(fc.array(glob, { minLength: 1, maxLength: 3 })),
    hidden: rarely(fc.boolean(), 1),
    ignore: rarely(fc.boolean(), 2),
    beforeContext: rarely(fc.nat(2)),
    afterContext: rarely(fc.nat(2)),
    maxMatches: rarely(fc.integer({ min: 1, max: 4 })),
    maxMatchesPerFile: rarely(fc.integer({ min: 1, max: 2 })),
    maxColumns: rarely(fc.integer({ min: 1, max: 9 })),
    maxFileBytes: rarely(fc.nat(30), 9),
  })
  .map(({ find, ...rest }) => {
    const given = { ...find, ...rest };
    for (const key of Object.keys(given) as (keyof typeof given)[])
      if (given[key] === undefined) delete given[key];
    return given as TextSearchQuery;
  });
