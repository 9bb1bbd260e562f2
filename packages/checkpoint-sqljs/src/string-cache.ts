import { Part } from "./rope.js";

/** Calls after which a string that was not seen again is forgotten: at least this many, at most twice. */
const GENERATION = 64;

/**
 * The parts of long strings. Files in the state are plain objects, walked at every call; the engine keeps the hash of a
 * string with it, so finding a part again costs nothing like quoting and comparing 50 kB.
 */
export class StringCache {
  #young = new Map<string, Part>();
  #old = new Map<string, Part>();
  #calls = 0;

  age(): void {
    this.#calls += 1;
    if (this.#calls % GENERATION !== 0) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  part(value: string): Part {
    const young = this.#young.get(value);
    if (young) return young;
    const part = this.#old.get(value) ?? new Part(JSON.stringify(value), []);
    this.#young.set(value, part);
    return part;
  }
}
