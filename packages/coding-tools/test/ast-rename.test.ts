import { describe, expect, it } from "vitest";
import { edited, renamed } from "./ast-support.js";

describe("rename inside a symbol of TypeScript", () => {
  const inside = (body: string) => `function f(item: Item) {\n${body}\n}\n`;
  const renameItem = (body: string) => renamed("typescript", inside(body), "f", "item", "entry");

  it("renames what means the same variable and leaves properties, types and strings", async () => {
    expect(await renameItem("  item.item = { item: item[0] };\n  return `item ${item}`; // item")).toBe(
      "function f(entry: Item) {\n  entry.item = { item: entry[0] };\n  return `item ${entry}`; // item\n}\n",
    );
  });

  it("leaves variables of that name in inner scopes, and their uses", async () => {
    const body = [
      "  list.map((item) => item.x);",
      "  for (const item of list) use(item);",
      "  try { item() } catch (item) { throw item }",
      "  { let item = 1; item++; }",
      "  const g = function item() { return item; };",
      "  class item {}",
    ].join("\n");
    expect(await renameItem(body.replace("\n  class item {}", ""))).toBe(
      inside(body.replace("\n  class item {}", ""))
        .replace("f(item: Item)", "f(entry: Item)")
        .replace("try { item() }", "try { entry() }"),
    );
  });

  it("hoists `var`, and follows closures and patterns", async () => {
    expect(
      await renamed(
        "typescript",
        "function f() {\n  if (a) { var n = 1; }\n  return () => n;\n}\n",
        "f",
        "n",
        "m",
      ),
    ).toBe("function f() {\n  if (a) { var m = 1; }\n  return () => m;\n}\n");
    expect(
      await renamed(
        "typescript",
        "const f = ({ a, b: { c = a } }: P, [d = c]: Q) => a + c + d;\n",
        "f",
        "c",
        "z",
      ),
    ).toBe(
      "const f = ({ a, b: { z = a } }: P, [d = z]: Q) => a + z + d;\n".replace("{ z = a }", "{ c: z = a }"),
    );
  });

  it("keeps the property of a shorthand", async () => {
    expect(
      await renamed("typescript", "function f({ id }) {\n  return { id, x: id };\n}\n", "f", "id", "key"),
    ).toBe("function f({ id: key }) {\n  return { id: key, x: key };\n}\n");
  });

  it("renames components but no tags, and types apart from values", async () => {
    expect(await renamed("tsx", "const A = (b: T) => <b><B.C x={b} /></b>;\n", "A", "b", "c")).toBe(
      "const A = (c: T) => <b><B.C x={c} /></b>;\n",
    );
    expect(
      await renamed("typescript", "function f<T>(T: T): T {\n  return T as T;\n}\n", "f", "T", "U"),
    ).toContain("function f<");
    expect(
      await renamed("typescript", "function f(Foo: Foo): Foo {\n  return Foo;\n}\n", "f", "Foo", "value"),
    ).toBe("function f(value: Foo): Foo {\n  return value;\n}\n");
  });

  it("renames the symbol itself and what calls it from inside, and tells where else the name stands", async () => {
    const text = "export function walk(n) {\n  // walk on\n  return n && walk(n.walk);\n}\nwalk(1);\n";
    const done = await edited("typescript", text, {
      symbol: "walk",
      operation: "rename",
      from: "walk",
      to: "go",
    });
    expect(done.text).toBe("export function go(n) {\n  // walk on\n  return n && go(n.walk);\n}\nwalk(1);\n");
    expect(done.notes).toEqual([
      "2 places renamed.",
      'Left inside it as other things (a variable of an inner scope, a property, a comment, a string): "walk" at line 2, 3 of the old file.',
      'Not touched outside it: "walk" at line 5 of the old file.',
    ]);
  });

  it("renames a method's own name alone", async () => {
    const text = "class A {\n  run() {\n    run();\n    this.run();\n  }\n}\n";
    expect(await renamed("typescript", text, "A.run", "run", "go")).toBe(
      text.replace("  run() {", "  go() {"),
    );
  });

  it("refuses a name that is taken, one that is none, one that is not there, and one that means several things", async () => {
    const text = "function f(a, b) {\n  for (const i of a) b(i);\n  for (const i of b) a(i);\n}\n";
    await expect(renamed("javascript", text, "f", "a", "b")).rejects.toMatchObject({
      code: "name_taken",
      message: expect.stringContaining("at line 1") as string,
    });
    await expect(renamed("javascript", text, "f", "a", "b c")).rejects.toMatchObject({
      code: "syntax_error",
    });
    await expect(renamed("javascript", text, "f", "a", "class")).rejects.toMatchObject({
      code: "syntax_error",
    });
    await expect(renamed("javascript", text, "f", "q", "r")).rejects.toMatchObject({
      code: "name_not_found",
    });
    await expect(renamed("javascript", text, "f", "i", "j")).rejects.toMatchObject({
      code: "ambiguous_name",
      message: expect.stringContaining("at the lines 2, 3") as string,
    });
  });
});

describe("rename inside a symbol of Python", () => {
  const py = (text: string, symbol: string, from: string, to: string) =>
    renamed("python", text, symbol, from, to);

  it("leaves keyword arguments, attributes and names of inner functions, lambdas and comprehensions", async () => {
    const text = [
      "def f(x, y=1):",
      "    g(x=x, y=x.x)",
      "    a = [x for x in x]",
      "    b = lambda x: x",
      "    def inner(x=x):",
      "        return x",
      "    return x",
      "",
    ].join("\n");
    expect(await py(text, "f", "x", "z")).toBe(
      [
        "def f(z, y=1):",
        "    g(x=z, y=z.x)",
        "    a = [x for x in z]",
        "    b = lambda x: x",
        "    def inner(x=z):",
        "        return x",
        "    return z",
        "",
      ].join("\n"),
    );
  });

  it("follows targets of every kind, `global` and `nonlocal`", async () => {
    const text =
      "def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n    with a as n, b as (m, n): pass\n    for n, m in n: pass\n    return (n := 2)\n";
    expect(await py(text, "f", "n", "count")).toBe(text.replaceAll(/\bn\b/g, "count"));
    const outer = "def f():\n    global n\n    n = 1\n    def g(n): return n\n";
    expect(await py(outer, "f", "n", "count")).toBe(
      "def f():\n    global count\n    count = 1\n    def g(n): return n\n",
    );
  });

  it("does not see a class's names from its methods, and keeps what an import is called elsewhere", async () => {
    const text = "def f(v):\n    class C:\n        v = v\n        def m(self): return v\n    return v\n";
    expect(await py(text, "f", "v", "w")).toContain("def m(self): return w");
    expect(await py("def f():\n    from a import b\n    import os\n    return b(os)\n", "f", "b", "c")).toBe(
      "def f():\n    from a import b as c\n    import os\n    return c(os)\n",
    );
    const method = "class A:\n    def run(self):\n        run()\n        self.run()\n";
    expect(await py(method, "A.run", "run", "go")).toBe(method.replace("def run", "def go"));
  });
});

describe("rename inside a symbol of Go", () => {
  const go = (body: string, from: string, to: string) =>
    renamed("go", `package m\n\nfunc f(x int, rest ...T) {\n${body}\n}\n`, "f", from, to);

  it("knows that `x := x` reads the outer one", async () => {
    expect(await go("\tx := x + 1\n\tuse(x)", "x", "y")).toContain(
      "f(y int, rest ...T) {\n\tx := y + 1\n\tuse(x)\n",
    );
    expect(await go("\tif x := g(x); x > 0 {\n\t\tuse(x)\n\t}\n\tuse(x)", "x", "y")).toContain(
      "\tif x := g(y); x > 0 {\n\t\tuse(x)\n\t}\n\tuse(y)",
    );
  });

  it("leaves fields, qualified names, keys and inner functions", async () => {
    expect(
      await go(
        "\ta.x = T{x: x}\n\tg(func(x int) { use(x) })\n\tfor x := range x {\n\t\tuse(x)\n\t}",
        "x",
        "y",
      ),
    ).toContain("\ta.x = T{x: y}\n\tg(func(x int) { use(x) })\n\tfor x := range y {\n\t\tuse(x)\n\t}");
    expect(await go("\tvar v pkg.T\n\t_ = v", "T", "U")).toContain("rest ...U) {\n\tvar v pkg.T");
  });

  it("gives up on a name that stands there too often, rather than hold everybody up", async () => {
    const started = performance.now();
    await expect(go("\tuse(x)\n".repeat(20_000), "x", "y")).rejects.toMatchObject({ code: "too_many_uses" });
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
