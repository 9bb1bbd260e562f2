import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { withParser } from "../src/ast/grammars.js";
import { faultsIn } from "../src/ast/syntax-errors.js";
import { SYNTAX } from "../src/ast/syntax.js";
import { edited, symbolsOf } from "./ast-support.js";

describe("the symbols of a file", () => {
  it("are found in TypeScript, with members, entries, namespaces and what functions hold", async () => {
    const found = await symbolsOf(
      "typescript",
      `@Dec() export class A<T> extends B {
  @Input() name: string = "x";
  @Foo() method() { function inner() {} const quick = () => 1; const local = 1; }
  static #secret = 2;
  abstract later(): void;
  "quoted-name"() {}
}
export const a = 1, { b, c: [d = 2] } = f();
export default { hooks: { start() {} }, bar: () => 1 };
enum E { X = 1, Y }
interface I { m(a: string): void; p?: number }
declare module "x" { function q(): void }
namespace N.M { export type T = string }
exports.foo = function () { function deep() {} };
Thing.prototype.act = () => 1;
if (a) { function maybe() {} }
declare global { interface Window { mine: 1 } }
`,
    );
    expect(found).toEqual(
      [
        "A A.name A.method A.method.inner A.method.quick A.#secret A.later A.quoted-name a b d default default.hooks",
        "default.hooks.start default.bar E E.X E.Y I I.m I.p x x.q N.M N.M.T exports.foo exports.foo.deep",
        "Thing.prototype.act maybe global.Window global.Window.mine",
      ].flatMap((line) => line.split(" ")),
    );
  });

  it("are found in JavaScript and TSX", async () => {
    expect(
      await symbolsOf(
        "javascript",
        "module.exports = { run() {}, stop: function () {} };\nclass A { @dec m() {} f = 1; }\nexport default class { go() {} }\n",
      ),
    ).toEqual(["module.exports", "run", "stop", "A", "A.m", "A.f", "default", "default.go"]);
    expect(
      await symbolsOf("tsx", "export const App = ({ id }: P) => {\n  return <b key={id}>x</b>;\n};\n"),
    ).toEqual(["App"]);
  });

  it("are found in Python, decorated, nested and conditional", async () => {
    const found = await symbolsOf(
      "python",
      `X = 1
a, (b, c) = 1, (2, 3)
@dec
async def f():
    local = 1
    def g(): pass
class C(B):
    y: int = 1
    @property
    def p(self): return 1
if X:
    def maybe(): pass
try:
    import q
except ImportError:
    def fallback(): pass
type Alias = int
`,
    );
    expect(found).toEqual(["X", "a", "b", "c", "f", "f.g", "C", "C.y", "C.p", "maybe", "fallback", "Alias"]);
  });

  it("are found in Go, methods and fields by their type", async () => {
    const found = await symbolsOf(
      "go",
      `package main
type T struct { A, B int }
type ( U interface { M(a int) string }; V = int )
const ( X = iota; Y )
var a, b = 1, 2
var ( q int )
func (t *T) Ptr() {}
func (T) Val() {}
func (l *List[K]) Gen() {}
func F[P any](p P) {}
`,
    );
    expect(found).toEqual("T T.A T.B U U.M V X Y a b q T.Ptr T.Val List.Gen F".split(" "));
  });
});

describe("a symbol's name", () => {
  const text =
    "class A {\n  run() {}\n}\nclass B {\n  run() {}\n  get size() {\n    return 1;\n  }\n  set size(v) {}\n}\n";
  const remove = (symbol: string, line?: number) =>
    edited("typescript", text, { symbol, line, operation: "insert_after", text: "x() {}" });

  it("that several have is an error that lists them with their lines", async () => {
    await expect(remove("run")).rejects.toMatchObject({
      code: "ambiguous_symbol",
      message: '"run" is there 2 times: A.run (line 2), B.run (line 5). Give its whole path, or `line`.',
    });
    await expect(remove("B.size")).rejects.toThrow("B.size (line 6), B.size (line 9)");
  });

  it("is found by the end of its path, and of several by a line", async () => {
    expect((await remove("B.run")).before.firstLine).toBe(5);
    expect((await remove("run", 2)).symbol).toBe("A.run");
    expect((await remove("size", 7)).after.firstLine).toBeGreaterThan(8);
    await expect(remove("size", 1)).rejects.toMatchObject({ code: "ambiguous_symbol" });
  });

  it("that is not there is an error that lists near names, or what there is", async () => {
    await expect(remove("B.rum")).rejects.toMatchObject({
      code: "symbol_not_found",
      message: 'There is no symbol "B.rum". Near are A.run (line 2), B.run (line 5).',
    });
    await expect(remove("nothingLikeIt")).rejects.toThrow("There are A (line 1), B (line 4).");
    await expect(
      edited("go", "package main\n", { symbol: "x", operation: "insert_after", text: "var y int" }),
    ).rejects.toThrow("No symbols were found in it.");
  });

  it("may be written as Go and C++ write it", async () => {
    const go = "package m\n\nfunc (t *T) Run() {}\n";
    for (const symbol of ["(*T).Run", "T.Run", "T::Run", "Run"]) {
      const { text: after } = await edited("go", go, {
        symbol,
        operation: "insert_after",
        text: "var x = 1",
      });
      expect(after).toBe("package m\n\nfunc (t *T) Run() {}\n\nvar x = 1\n".replace("}\n\nvar", "}\nvar"));
    }
  });
});

describe("real files", () => {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const sources = (folder: string): string[] =>
    readdirSync(path.join(here, "..", folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => path.join(here, "..", folder, name));

  it("parse, and replacing each top symbol by its own text changes nothing", async () => {
    const files = sources("src");
    expect(files.length).toBeGreaterThan(40);
    let count = 0;
    for (const file of files) {
      const text = readFileSync(file, "utf8");
      const symbols = await withParser("typescript", {}, (parse) => {
        const { rootNode } = parse(text);
        expect(faultsIn(rootNode), file).toEqual([]);
        return [...SYNTAX.typescript.symbols(rootNode)]
          .filter(({ path: names }) => names.length === 1)
          .map((each) => ({
            name: each.path.join("."),
            line: each.node.startPosition.row + 1,
            own: each.node.text,
          }));
      });
      for (const { name, line, own } of symbols) {
        const same = await edited("typescript", text, {
          symbol: name,
          line,
          operation: "replace",
          text: own,
        });
        expect(same.text === text, `${file}: ${name}`).toBe(true);
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(150);
  });
});
