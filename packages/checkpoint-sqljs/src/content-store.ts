import { referencesOf, type StoreEpoch } from "./rope.js";

/**
 * The parts of one database by number, each content once. Equality is that of the content itself: a hash would only add
 * work, because every content is in memory anyway.
 *
 * A part is harmless until something that is stored refers to it. So parts are numbered while a record is made, and
 * travel in the next record that is written, whichever that is.
 */
export class ContentStore {
  /** Changes when numbers that were given out may not hold any more. */
  epoch: StoreEpoch = {};
  readonly #byId = new Map<number, string>();
  readonly #byContent = new Map<string, number>();
  #nextId = 1;
  #unwritten: number[] = [];
  /** In characters, which for JSON is close to bytes. */
  chars = 0;

  get size(): number {
    return this.#byId.size;
  }

  get(id: number): string {
    const content = this.#byId.get(id);
    if (content === undefined) throw new Error(`part ${id} is missing`);
    return content;
  }

  /** The number of this content, a new one if it is not there yet. */
  intern(content: string): number {
    const known = this.#byContent.get(content);
    if (known !== undefined) return known;
    const id = this.#nextId;
    this.add(id, content);
    this.#unwritten.push(id);
    return id;
  }

  /** Content that is on disk under this number. */
  add(id: number, content: string): void {
    this.#byId.set(id, content);
    this.#byContent.set(content, id);
    this.chars += content.length;
    if (id >= this.#nextId) this.#nextId = id + 1;
  }

  /** The parts that no record holds yet, for the one that is being made. */
  takeUnwritten(): number[] {
    const ids = this.#unwritten;
    this.#unwritten = [];
    return ids;
  }

  /** The record with these parts was not written. */
  returnUnwritten(ids: readonly number[]): void {
    this.#unwritten = [...ids, ...this.#unwritten];
  }

  entries(): IterableIterator<[number, string]> {
    return this.#byId.entries();
  }

  /** The parts that these texts refer to, by whatever way. */
  reachable(roots: Iterable<string>): Set<number> {
    const reached = new Set<number>();
    const visit = (text: string): void => {
      for (const id of referencesOf(text)) {
        if (reached.has(id)) continue;
        reached.add(id);
        visit(this.get(id));
      }
    };
    for (const root of roots) visit(root);
    return reached;
  }

  /** Drops what these texts do not reach. A snapshot has to follow, for numbers on disk stay as they are. */
  sweep(roots: Iterable<string>): void {
    const reached = this.reachable(roots);
    this.#unwritten = [];
    this.epoch = {};
    for (const [id, content] of this.#byId) {
      if (reached.has(id)) continue;
      this.#byId.delete(id);
      if (this.#byContent.get(content) === id) this.#byContent.delete(content);
      this.chars -= content.length;
    }
  }
}
