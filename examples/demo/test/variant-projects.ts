import type { Variant } from "./variant.js";

const esm = (script = "node --test"): string =>
  `${JSON.stringify({ name: "variant", type: "module", scripts: { test: script } })}\n`;
const commonjs = `${JSON.stringify({ name: "variant", scripts: { test: "node --test" } })}\n`;
const HEAD = 'import assert from "node:assert/strict";\nimport { test } from "node:test";\n';

/** Small projects that share nothing with the workspace, each with another kind of fault. */
export const PROJECTS: readonly Variant[] = [
  {
    name: "CommonJS class, an index off by one",
    files: {
      "package.json": commonjs,
      "lib/ring-buffer.js": `"use strict";

class RingBuffer {
  constructor(capacity) {
    this.capacity = capacity;
    this.items = [];
  }

  add(item) {
    this.items.push(item);
    if (this.items.length > this.capacity) this.items.shift();
  }

  newest() {
    return this.items[this.items.length];
  }

  oldest() {
    return this.items[0];
  }
}

module.exports = { RingBuffer };
`,
      "test/ring-buffer.test.js": `const assert = require("node:assert");
const { describe, it } = require("node:test");
const { RingBuffer } = require("../lib/ring-buffer");

describe("RingBuffer", () => {
  it("forgets the oldest item", () => {
    const ring = new RingBuffer(2);
    for (const n of [1, 2, 3]) ring.add(n);
    assert.deepStrictEqual(ring.items, [2, 3]);
    assert.strictEqual(ring.oldest(), 2);
  });

  it("knows the newest item", () => {
    const ring = new RingBuffer(3);
    ring.add("a");
    ring.add("b");
    assert.strictEqual(ring.newest(), "b");
  });
});
`,
    },
  },
  {
    name: "a missing await two calls deep",
    files: {
      "package.json": esm(),
      "src/store/stock.js": `const shelves = new Map([["bolt", 40], ["nut", 0]]);

export async function countOf(article) {
  await null;
  return shelves.get(article) ?? 0;
}
`,
      "src/orders/check.js": `import { countOf } from "../store/stock.js";

export async function canDeliver(article, amount) {
  const available = countOf(article);
  return available >= amount;
}
`,
      "src/orders/accept.js": `import { canDeliver } from "./check.js";

export async function accept(order) {
  const ok = await canDeliver(order.article, order.amount);
  return ok ? "accepted" : "backorder";
}
`,
      "test/accept.test.js": `${HEAD}import { accept } from "../src/orders/accept.js";

test("an order that is in stock is accepted", async () => {
  assert.equal(await accept({ article: "bolt", amount: 10 }), "accepted");
});

test("an order that is not in stock waits", async () => {
  assert.equal(await accept({ article: "nut", amount: 1 }), "backorder");
});
`,
    },
  },
  {
    name: "a promise handed out instead of a value",
    files: {
      "package.json": esm(),
      "src/profile.js": `import { load } from "./load.js";

export async function greeting(id) {
  const person = load(id);
  return \`Hello, \${person.name}!\`;
}
`,
      "src/load.js": `const people = { 7: { name: "Ada" } };

export const load = async (id) => people[id];
`,
      "test/profile.test.js": `${HEAD}import { greeting } from "../src/profile.js";

test("greets by name", async () => {
  assert.equal(await greeting(7), "Hello, Ada!");
});
`,
    },
  },
  {
    name: "a regular expression without its flag",
    files: {
      "package.json": esm(),
      "slug.mjs": `const words = (title) => title.trim().toLowerCase();

export function slug(title) {
  return words(title).replace(/[^a-z0-9]+/, "-");
}
`,
      "slug.test.mjs": `${HEAD}import { slug } from "./slug.mjs";

test("one word", () => assert.equal(slug(" Hello "), "hello"));
test("many words", () => assert.equal(slug("The quick brown fox"), "the-quick-brown-fox"));
`,
    },
  },
  {
    name: "a rate that the expectation gives away",
    files: {
      "package.json": esm(),
      "src/rates.js": `export const RATES = {
  standard: 0.19,
  reduced: 0.07,
};
`,
      "src/invoice.js": `import { RATES } from "./rates.js";

const round = (amount) => Math.round(amount * 100) / 100;

export function gross(net, kind = "standard") {
  return round(net * (1 + RATES[kind]));
}

export function total(lines) {
  return round(lines.reduce((sum, line) => sum + gross(line.net, line.kind), 0));
}
`,
      "test/invoice.test.js": `${HEAD}import { gross, total } from "../src/invoice.js";
import { RATES } from "../src/rates.js";

test("the reduced rate", () => assert.equal(gross(100, "reduced"), 107));
test("the standard rate is 21 percent", () => assert.equal(RATES.standard, 0.21));
test("a total", () => assert.equal(total([{ net: 10, kind: "reduced" }, { net: 20, kind: "reduced" }]), 32.1));
`,
    },
  },
  {
    name: "or for and in a permission check",
    files: {
      "package.json": esm(),
      "src/access/rules.js": `export const isOwner = (user, doc) => doc.owner === user.id;
export const isLocked = (doc) => doc.state === "locked";
`,
      "src/access/index.js": `import { isLocked, isOwner } from "./rules.js";

export function mayEdit(user, doc) {
  if (user.admin) return true;
  return isOwner(user, doc) || !isLocked(doc);
}
`,
      "test/access.test.js": `${HEAD}import { mayEdit } from "../src/access/index.js";

const doc = { owner: 1, state: "draft" };

test("owners edit their drafts", () => assert.equal(mayEdit({ id: 1 }, doc), true));
test("strangers do not", () => assert.equal(mayEdit({ id: 2 }, doc), false));
test("nobody edits a locked document", () => assert.equal(mayEdit({ id: 1 }, { ...doc, state: "locked" }), false));
test("but admins do", () => assert.equal(mayEdit({ id: 9, admin: true }, { ...doc, state: "locked" }), true));
`,
    },
  },
  {
    name: "swapped arguments of a call",
    files: {
      "package.json": esm(),
      "src/geometry/scale.js": `export function ratio(part, whole) {
  if (whole === 0) return 0;
  return part / whole;
}
`,
      "src/progress-bar.js": `import { ratio } from "./geometry/scale.js";

export function bar(done, total, width) {
  const filled = Math.round(ratio(total, done) * width);
  return "#".repeat(filled) + ".".repeat(Math.max(0, width - filled));
}
`,
      "test/progress-bar.test.js": `${HEAD}import { ratio } from "../src/geometry/scale.js";
import { bar } from "../src/progress-bar.js";

test("a ratio", () => assert.equal(ratio(1, 4), 0.25));
test("half done", () => assert.equal(bar(5, 10, 8), "####...."));
test("nothing to do", () => assert.equal(bar(0, 0, 4), "...."));
`,
    },
  },
  {
    name: "two faults in two files",
    files: {
      "package.json": esm(),
      "src/score.js": `export function mean(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return sum * values.length;
}
`,
      "src/grade.js": `export function grade(points) {
  if (points > 90) return "A";
  if (points >= 75) return "B";
  return "C";
}
`,
      "test/school.test.js": `${HEAD}import { grade } from "../src/grade.js";
import { mean } from "../src/score.js";

test("a mean", () => assert.equal(mean([2, 4, 9]), 5));
test("ninety is an A", () => assert.equal(grade(90), "A"));
test("ninety-one is an A", () => assert.equal(grade(91), "A"));
test("seventy-five is a B", () => assert.equal(grade(75), "B"));
test("the rest is a C", () => assert.equal(grade(10), "C"));
`,
    },
  },
  {
    name: "a negated condition, nested suites, the spec reporter",
    files: {
      "package.json": esm("node --test --test-reporter=spec"),
      "packages/queue/src/queue.js": `export class Queue {
  #waiting = [];
  #closed = false;

  get size() {
    return this.#waiting.length;
  }

  close() {
    this.#closed = true;
  }

  put(job) {
    if (!this.#closed) throw new Error("closed");
    this.#waiting.push(job);
    return this.size;
  }
}
`,
      "packages/queue/test/queue.test.js": `import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Queue } from "../src/queue.js";

describe("Queue", () => {
  it("is empty at first", () => {
    assert.equal(new Queue().size, 0);
  });

  describe("put", () => {
    it("takes a job", () => {
      assert.equal(new Queue().put("a"), 1);
    });

    it("refuses when closed", () => {
      const queue = new Queue();
      queue.close();
      assert.throws(() => queue.put("a"), /closed/);
    });
  });
});
`,
    },
  },
  {
    name: "a property of another name",
    files: {
      "package.json": esm(),
      "src/basket.js": `export function weight(parcels) {
  return parcels.reduce((sum, parcel) => sum + parcel.wieght, 0);
}

export function heaviest(parcels) {
  return [...parcels].sort((a, b) => b.weight - a.weight)[0];
}
`,
      "test/basket.test.js": `${HEAD}import { heaviest, weight } from "../src/basket.js";

const parcels = [{ weight: 2 }, { weight: 5 }];

test("total weight", () => assert.equal(weight(parcels), 7));
test("the heaviest", () => assert.equal(heaviest(parcels).weight, 5));
`,
    },
  },
  {
    name: "a name that does not exist",
    files: {
      "package.json": esm(),
      "src/temperature.js": `export function toFahrenheit(celsius) {
  return (celcius * 9) / 5 + 32;
}

export function toCelsius(fahrenheit) {
  return ((fahrenheit - 32) * 5) / 9;
}
`,
      "test/temperature.test.js": `${HEAD}import { toCelsius, toFahrenheit } from "../src/temperature.js";

test("water boils", () => assert.equal(toFahrenheit(100), 212));
test("water freezes", () => assert.equal(toCelsius(32), 0));
`,
    },
  },
  {
    name: "a separator that the difference gives away",
    files: {
      "package.json": esm(),
      "src/csv/row.js": `const quote = (cell) => (/[",;]/.test(cell) ? \`"\${cell.replaceAll('"', '""')}"\` : cell);

export const row = (cells) => cells.map(String).map(quote).join("; ");
`,
      "src/csv/table.js": `import { row } from "./row.js";

export const table = (rows) => rows.map(row).join("\\n");
`,
      "test/table.test.js": `${HEAD}import { table } from "../src/csv/table.js";

test("cells are divided by commas", () => assert.equal(table([["a", 1], ["b", 2]]), "a,1\\nb,2"));
test("quotes", () => assert.equal(table([['say "hi"']]), '"say ""hi"""'));
`,
    },
  },
  {
    name: "far down in a long file, a page off by one",
    files: {
      "package.json": esm(),
      "src/lists.js": `${Array.from(
        { length: 40 },
        (_, index) =>
          `/** Step ${index}. */\nexport function step${index}(value) {\n  return value + ${index};\n}\n`,
      ).join("\n")}
/** The items of a page; pages count from 1. */
export function page(items, number, size) {
  const first = (number + 1) * size;
  return items.slice(first, first + size);
}

export function pages(items, size) {
  return Math.ceil(items.length / size);
}
`,
      "test/lists.test.js": `${HEAD}import { page, pages, step7 } from "../src/lists.js";

const letters = ["a", "b", "c", "d", "e"];

test("steps", () => assert.equal(step7(1), 8));
test("how many pages", () => assert.equal(pages(letters, 2), 3));
test("an empty page", () => assert.deepEqual(page(letters, 9, 2), []));
test("all on one page", () => assert.deepEqual(page(letters, 1, 5), letters));
`,
    },
  },
  {
    name: "a value that replaces where it should add up",
    files: {
      "package.json": esm(),
      "lib/words.cjs": `function tally(words) {
  const counts = {};
  let total = 0;
  for (const word of words) {
    counts[word] = (counts[word] || 0) + 1;
    total = 1;
  }
  return { counts, total };
}

module.exports = { tally };
`,
      "test/words.test.mjs": `${HEAD}import { tally } from "../lib/words.cjs";

test("counts each word", () => assert.deepEqual(tally(["a", "b", "a"]).counts, { a: 2, b: 1 }));
test("counts all words", () => assert.equal(tally(["a", "b", "a"]).total, 3));
test("no words", () => assert.equal(tally([]).total, 0));
`,
    },
  },
  {
    name: "a loop that stops one early",
    files: {
      "package.json": esm(),
      "src/matrix/transpose.js": `export function transpose(rows) {
  const width = rows[0]?.length ?? 0;
  const turned = [];
  for (let column = 0; column < width - 1; column++) {
    turned.push(rows.map((row) => row[column]));
  }
  return turned;
}
`,
      "src/index.js": `export { transpose } from "./matrix/transpose.js";
`,
      "test/matrix.test.js": `${HEAD}import { transpose } from "../src/index.js";

test("nothing stays nothing", () => assert.deepEqual(transpose([]), []));
test("rows become columns", () => {
  assert.deepEqual(transpose([[1, 2, 3], [4, 5, 6]]), [[1, 4], [2, 5], [3, 6]]);
});
`,
    },
  },
  {
    name: "a stack that is a queue, in CommonJS",
    files: {
      "package.json": commonjs,
      "lib/undo.js": `class History {
  done = [];

  run(command) {
    command.apply();
    this.done.push(command);
  }

  undo() {
    const command = this.done.shift();
    if (command) command.revert();
    return command !== undefined;
  }
}

module.exports = { History };
`,
      "test/undo.test.js": `const assert = require("node:assert/strict");
const { test } = require("node:test");
const { History } = require("../lib/undo.js");

const append = (list, value) => ({ apply: () => list.push(value), revert: () => list.splice(list.indexOf(value), 1) });

test("nothing to undo", () => assert.equal(new History().undo(), false));

test("undo takes back the last command", () => {
  const list = [];
  const history = new History();
  history.run(append(list, "a"));
  history.run(append(list, "b"));
  history.undo();
  assert.deepEqual(list, ["a"]);
});
`,
    },
  },
  {
    name: "a limit that lets one too many in",
    files: {
      "package.json": esm(),
      "src/limits/quota.js": `export class Quota {
  #used = 0;
  #limit;

  constructor(limit) {
    this.#limit = limit;
  }

  take(amount = 1) {
    if (this.#used + amount > this.#limit + 1) throw new RangeError("over quota");
    this.#used += amount;
    return this.#limit - this.#used;
  }
}
`,
      "test/quota.test.js": `${HEAD}import { Quota } from "../src/limits/quota.js";

test("tells what is left", () => assert.equal(new Quota(5).take(2), 3));
test("takes up to the limit", () => assert.equal(new Quota(3).take(3), 0));
test("refuses more", () => {
  const quota = new Quota(2);
  quota.take(2);
  assert.throws(() => quota.take(), RangeError);
});
`,
    },
  },
  {
    name: "a cache that asks the wrong way round",
    files: {
      "package.json": esm(),
      "src/cached.js": `export function cached(compute) {
  const known = new Map();
  return (key) => {
    if (known.has(key)) known.set(key, compute(key));
    return known.get(key);
  };
}
`,
      "src/squares.js": `import { cached } from "./cached.js";

export let computed = 0;

export const square = cached((n) => {
  computed += 1;
  return n * n;
});
`,
      "test/squares.test.js": `${HEAD}import { computed, square } from "../src/squares.js";

test("squares", () => assert.equal(square(4), 16));
test("computes once", () => {
  square(5);
  square(5);
  assert.ok(computed <= 2);
});
`,
    },
  },
  {
    name: "a header compared in the wrong case",
    files: {
      "package.json": esm(),
      "src/http/headers.js": `const key = (name) => name.toUpperCase();

export function parse(lines) {
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [key(line.slice(0, colon)), line.slice(colon + 1).trim()];
    }),
  );
}
`,
      "test/headers.test.js": `${HEAD}import { parse } from "../src/http/headers.js";

test("names are lower case", () => {
  assert.deepEqual(parse(["Content-Type: text/html", "ETag: 7"]), { "content-type": "text/html", etag: "7" });
});
test("no headers", () => assert.deepEqual(parse([]), {}));
`,
    },
  },
];
