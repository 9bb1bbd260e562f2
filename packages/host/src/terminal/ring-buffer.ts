const SMALL_BYTES = 4_096;

/** The last bytes of a stream that is counted from its start. */
export class RingBuffer {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #start = 0;
  #end = 0;

  constructor(maxBytes: number) {
    this.#limit = maxBytes;
  }

  /** Position of the first byte that is held. */
  get start(): number {
    return this.#start;
  }

  /** Bytes so far, those that are gone included. */
  get end(): number {
    return this.#end;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#end += chunk.length;
    const last = this.#chunks[this.#chunks.length - 1];
    // A program that writes byte by byte would cost an object a byte.
    if (last && last.length + chunk.length <= SMALL_BYTES)
      this.#chunks[this.#chunks.length - 1] = Buffer.concat([last, chunk]);
    else this.#chunks.push(chunk);
    let dropped = 0;
    for (const first of this.#chunks) {
      if (this.#end - this.#start - first.length < this.#limit) break;
      this.#start += first.length;
      dropped += 1;
    }
    if (dropped > 0) this.#chunks.splice(0, dropped);
  }

  /** From a position that is held, at most so many bytes. */
  read(from: number, maxBytes: number): Buffer {
    const parts: Buffer[] = [];
    let at = this.#start;
    let room = maxBytes;
    for (const chunk of this.#chunks) {
      const skip = Math.max(0, from - at);
      if (skip < chunk.length && room > 0) {
        const part = chunk.subarray(skip, skip + room);
        parts.push(part);
        room -= part.length;
      }
      at += chunk.length;
    }
    return Buffer.concat(parts);
  }
}

const continuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Continuation bytes at the start of a piece whose beginning is lost. */
export const leadingPart = (bytes: Buffer): number => {
  let count = 0;
  while (count < 3 && continuation(bytes[count])) count += 1;
  return count;
};

/** Bytes at the end that begin a character and do not complete it. */
export const trailingPart = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (continuation(byte)) continue;
    const length = byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    return byte < 0xf5 && length > back ? back : 0;
  }
  return 0;
};
