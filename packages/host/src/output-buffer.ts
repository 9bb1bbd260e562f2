import { StringDecoder } from "node:string_decoder";

/** Keeps the first and the last bytes of a stream in bounded memory, and counts what it drops between them. */
export class OutputBuffer {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #omitted = 0;

  constructor(maxBytes: number) {
    this.#headLimit = Math.max(0, Math.floor(maxBytes / 2));
    this.#tailLimit = Math.max(0, maxBytes - this.#headLimit);
  }

  get omittedBytes(): number {
    return this.#omitted;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    const room = this.#headLimit - this.#headBytes;
    if (room > 0) {
      const taken = rest.subarray(0, room);
      this.#head.push(taken);
      this.#headBytes += taken.length;
      rest = rest.subarray(taken.length);
    }
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    // Trimmed only when it is twice too long, so that a stream of small chunks costs a copy a limit and not a chunk.
    if (this.#tailBytes > this.#tailLimit * 2 + 65_536) this.#trim();
  }

  #trim(): void {
    const all = Buffer.concat(this.#tail, this.#tailBytes);
    const kept = all.subarray(Math.max(0, all.length - this.#tailLimit));
    this.#omitted += all.length - kept.length;
    // A copy, so that the large buffer behind the slice can be freed.
    this.#tail = [Buffer.from(kept)];
    this.#tailBytes = kept.length;
  }

  text(): string {
    this.#trim();
    const head = Buffer.concat(this.#head, this.#headBytes);
    const tail = this.#tail[0] ?? Buffer.alloc(0);
    if (this.#omitted === 0) return Buffer.concat([head, tail]).toString("utf8");
    // A decoder holds back a character cut at the end of the head; continuation bytes at the start of the tail go too.
    const first = new StringDecoder("utf8").write(head);
    let start = 0;
    while (start < 3 && start < tail.length && ((tail[start] as number) & 0xc0) === 0x80) start += 1;
    return `${first}\n[… ${this.#omitted} bytes cut …]\n${tail.subarray(start).toString("utf8")}`;
  }
}
