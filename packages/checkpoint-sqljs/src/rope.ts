import { bytesOf, latin1Of } from "./latin1.js";
import type { ContentStore } from "./content-store.js";

/**
 * Values are stored as JSON text in which parts are replaced by references: a mark and the part's number. A part is such
 * a text itself, or plain bytes. Putting the parts back gives, to the letter, what LangGraph's serializer would have
 * written, and its own parser reads it: structure is shared on disk and nothing has to be decoded by us.
 *
 * JSON text never holds these characters (`JSON.stringify` escapes them), so a mark needs no escaping.
 */
export const CONTENT_MARK = "\u0001";
export const BYTES_MARK = "\u0002";
/** How a part of bytes begins in memory, where it is text too: one character per byte. Nothing else begins so. */
export const BYTES_PREFIX = "\u0003";

// oxlint-disable-next-line no-control-regex
const REFERENCE = /([\u0001\u0002])([0-9a-z]+)/g;
// oxlint-disable-next-line no-control-regex
const WHOLE_BYTES = /^\u0002([0-9a-z]+)$/;
// oxlint-disable-next-line no-control-regex
const MARK = /[\u0001\u0002]/g;

/** What the number of a part in one store is remembered by; another store, or the same one read again, is another. */
export type StoreEpoch = object;

/** A part that is stored once, however many values hold it. */
export class Part {
  id = 0;
  epoch: StoreEpoch | undefined;

  constructor(
    /** JSON text with bare marks, or (for bytes) one character per byte. */
    readonly text: string,
    /** The parts that the marks stand for, in order. */
    readonly children: readonly Part[],
    readonly isBytes: boolean = false,
  ) {}
}

/** A value that is not stored yet: text with bare marks and what they stand for. */
export interface Rope {
  readonly text: string;
  readonly children: readonly Part[];
}

/** A value as stored; `type` is the serializer's. */
export interface Stored {
  readonly type: string;
  readonly text: string;
}

export const bytesPart = (bytes: Uint8Array): Part => new Part(latin1Of(bytes), [], true);

/** A value that is nothing but bytes of the serializer. */
export const bytesRope = (bytes: Uint8Array): Rope => ({ text: BYTES_MARK, children: [bytesPart(bytes)] });

/** Fills in the numbers of the parts, storing those that are new. */
export const resolveRope = ({ text, children }: Rope, store: ContentStore): string => {
  if (children.length === 0) return text;
  let next = 0;
  return text.replace(MARK, (mark) => mark + resolvePart(children[next++]!, store).toString(36));
};

const resolvePart = (part: Part, store: ContentStore): number => {
  if (part.epoch === store.epoch) return part.id;
  part.id = store.intern(part.isBytes ? BYTES_PREFIX + part.text : resolveRope(part, store));
  part.epoch = store.epoch;
  return part.id;
};

/** The numbers of the parts that a stored text refers to. */
export const referencesOf = (text: string): number[] =>
  isBytes(text) ? [] : Array.from(text.matchAll(REFERENCE), (match) => Number.parseInt(match[2]!, 36));

/** The same text with other numbers. */
export const mapReferences = (text: string, number: (id: number) => number): string =>
  isBytes(text)
    ? text
    : text.replace(
        REFERENCE,
        (_, mark: string, id: string) => mark + number(Number.parseInt(id, 36)).toString(36),
      );

export const isBytes = (content: string): boolean => content.startsWith(BYTES_PREFIX);

/** Puts the parts back in. Bytes inside of JSON become the list of numbers that LangGraph's serializer writes. */
export class Expander {
  /** Lists are held by several tasks of one step; each is put together once per read. */
  readonly #known = new Map<number, string>();

  constructor(private readonly store: ContentStore) {}

  /** What `loadsTyped` is given: bytes if the serializer wrote bytes, else JSON text. */
  value({ text }: Stored): Uint8Array | string {
    const whole = WHOLE_BYTES.exec(text);
    return whole ? this.#bytes(Number.parseInt(whole[1]!, 36)) : this.#expand(text);
  }

  #expand(text: string): string {
    return text.replace(REFERENCE, (_, mark: string, id: string) =>
      this.#part(mark, Number.parseInt(id, 36)),
    );
  }

  #part(mark: string, id: number): string {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const text = mark === BYTES_MARK ? this.#bytes(id).join(",") : this.#expand(this.store.get(id));
    this.#known.set(id, text);
    return text;
  }

  #bytes(id: number): Uint8Array {
    return bytesOf(this.store.get(id).slice(1));
  }
}
