/** Appends numbers and strings to a growing buffer. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(1024);
  #length = 0;

  uint(value: number): this {
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#length++] = rest;
    return this;
  }

  /** Small negative numbers stay small. */
  int(value: number): this {
    return this.uint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  text(value: string): this {
    const bytes = Buffer.byteLength(value, "utf8");
    this.uint(bytes).#reserve(bytes);
    this.#length += this.#buffer.write(value, this.#length, bytes, "utf8");
    return this;
  }

  /** One byte for each character. */
  latin1(value: string): this {
    this.uint(value.length).#reserve(value.length);
    this.#length += this.#buffer.write(value, this.#length, value.length, "latin1");
    return this;
  }

  optionalText(value: string | undefined): this {
    return value === undefined ? this.uint(0) : this.uint(1).text(value);
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** Reads what a `ByteWriter` wrote, in the same order. */
export class ByteReader {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  uint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.#buffer[this.#at++];
      if (byte === undefined) throw new RangeError("the record ends too early");
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  int(): number {
    const value = this.uint();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  text(): string {
    const [from, to] = this.#span();
    return this.#buffer.toString("utf8", from, to);
  }

  latin1(): string {
    const [from, to] = this.#span();
    return this.#buffer.toString("latin1", from, to);
  }

  optionalText(): string | undefined {
    return this.uint() === 0 ? undefined : this.text();
  }

  /** Calls as often as the count that comes next says. */
  many<T>(read: () => T): T[] {
    return Array.from({ length: this.uint() }, read);
  }

  #span(): [from: number, to: number] {
    const length = this.uint();
    const from = this.#at;
    if (from + length > this.#buffer.length) throw new RangeError("the record ends too early");
    this.#at += length;
    return [from, this.#at];
  }
}
