import { JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
import { asPlain } from "./json-plus.js";
import { isMessage, MessageCache, type Step } from "./message-cache.js";
import { bytesPart, bytesRope, BYTES_MARK, CONTENT_MARK, Part, type Rope } from "./rope.js";
import { StringCache } from "./string-cache.js";

/** Strings from this length on are parts of their own: the same text is in a tool's result, a file and a message. */
const LONG_STRING = 512;
/** Objects and lists whose text is longer than this are parts; about three times what a reference costs. */
const LARGE_CONTAINER = 256;
/** Elements in a group of a long list. A list that grew by one stores its last group and a group of groups. */
const GROUP = 16;
/** Numbers and short strings are cheap, so their groups are larger. Bytes in JSON are such lists. */
const PRIMITIVE_GROUP = 256;
const LARGE_GROUP = 64;
/** What a reference takes, when sizes are compared. */
const REFERENCE_CHARS = 4;
/** A structure this deep is taken for a circle, and left to LangGraph's serializer, which cuts circles. */
const MAX_DEPTH = 400;

/** Grows while a value is written; what is large is cut off its end and replaced by a reference. */
class Sink {
  text = "";
  children: Part[] = [];

  refer(part: Part): void {
    this.text += part.isBytes ? BYTES_MARK : CONTENT_MARK;
    this.children.push(part);
  }
}

class LangGraphText extends JsonPlusSerializer {
  text(value: unknown): string {
    return new TextDecoder().decode(this._dumps(value));
  }
}
const langGraph = new LangGraphText();

/** What LangGraph's serializer writes for this value, at once. */
export const langGraphText = (value: unknown): string => langGraph.text(value);

/**
 * Turns values into JSON text exactly as LangGraph's `JsonPlusSerializer` does, cut into shared parts (see rope.ts). One
 * pass encodes one call, synchronously: what is stored is the value at the time of the call.
 */
export class Encoder {
  readonly #messages = new MessageCache();
  readonly #strings = new StringCache();

  /** `step`: the checkpoint that the writes belong to; undefined for a `put`. */
  begin(step: Step): Pass {
    this.#strings.age();
    return new Pass(this.#messages, this.#strings, step);
  }
}

/** The encoding of one call. */
export class Pass {
  /** Lists that occur in several values of the call, as a step's tasks hold one state; valid within it only. */
  readonly #lists = new Map<object, Part>();

  constructor(
    private readonly messages: MessageCache,
    private readonly strings: StringCache,
    private readonly step: Step,
  ) {}

  encode(value: unknown): { type: string; rope: Rope } {
    if (value instanceof Uint8Array) return { type: "bytes", rope: bytesRope(value) };
    const sink = new Sink();
    try {
      if (this.#property("", value, sink, 0)) return { type: "json", rope: sink };
    } catch {
      // A circle, a BigInt, a toJSON that throws: LangGraph's serializer says what is stored then.
    }
    return { type: "json", rope: { text: langGraph.text(value), children: [] } };
  }

  /** `SerializeJSONProperty` of ECMAScript with LangGraph's replacer. False: there is nothing to write. */
  #property(key: string, given: unknown, sink: Sink, depth: number): boolean {
    if (typeof given === "string") return this.#string(given, sink);
    let value = given;
    if (value !== null && (typeof value === "object" || typeof value === "function")) {
      if (isMessage(value)) {
        sink.refer(this.#message(key, value, depth));
        return true;
      }
      const toJson: unknown = (value as { toJSON?: unknown }).toJSON;
      if (typeof toJson === "function") value = toJson.call(value, key) as unknown;
    }
    if (value instanceof Uint8Array) {
      sink.text += '{"lc":2,"type":"constructor","id":["Uint8Array"],"method":"from","args":[[';
      if (value.length > 0) sink.refer(bytesPart(value));
      sink.text += ']],"kwargs":{}}';
      return true;
    }
    value = asPlain(value);
    switch (typeof value) {
      case "string":
        return this.#string(value, sink);
      case "number":
        sink.text += Number.isFinite(value) ? String(value) : "null";
        return true;
      case "boolean":
        sink.text += value ? "true" : "false";
        return true;
      case "object":
        return this.#object(value, sink, depth);
      case "bigint":
        throw new TypeError("BigInt");
      default:
        return false;
    }
  }

  #string(value: string, sink: Sink): true {
    if (value.length < LONG_STRING) sink.text += JSON.stringify(value);
    else sink.refer(this.strings.part(value));
    return true;
  }

  #object(value: object | null, sink: Sink, depth: number): true {
    if (value === null) sink.text += "null";
    else if (value instanceof Number || value instanceof String || value instanceof Boolean)
      sink.text += JSON.stringify(value);
    else if (depth > MAX_DEPTH) throw new RangeError("too deep");
    else {
      const known = this.#lists.get(value);
      if (known) {
        sink.refer(known);
        return true;
      }
      const text = sink.text.length;
      const children = sink.children.length;
      if (Array.isArray(value)) this.#array(value, sink, depth + 1);
      else this.#fields(value, sink, depth + 1);
      const part = cut(sink, text, children, LARGE_CONTAINER);
      if (part) this.#lists.set(value, part);
    }
    return true;
  }

  #fields(value: object, sink: Sink, depth: number): void {
    const keys = Object.keys(value);
    sink.text += "{";
    const writer = keys.length > GROUP ? new GroupWriter(sink, GROUP) : undefined;
    let first = true;
    for (const key of keys) {
      const start = sink.text.length;
      sink.text += (first ? "" : ",") + JSON.stringify(key) + ":";
      if (this.#property(key, (value as Record<string, unknown>)[key], sink, depth)) {
        first = false;
        writer?.wrote();
      } else sink.text = sink.text.slice(0, start);
    }
    sink.text += "}";
  }

  #array(value: readonly unknown[], sink: Sink, depth: number): void {
    sink.text += "[";
    const element = (at: number): void => {
      if (!this.#property(String(at), value[at], sink, depth)) sink.text += "null";
    };
    if (value.length <= GROUP) {
      for (let at = 0; at < value.length; at += 1) {
        if (at > 0) sink.text += ",";
        element(at);
      }
    } else {
      const writer = new GroupWriter(sink, 1);
      for (let at = 0; at < value.length;) {
        const size = typeof value[at] === "object" || isLong(value[at]) ? GROUP : PRIMITIVE_GROUP;
        const full = at + size <= value.length;
        if (at > 0) sink.text += ",";
        const known = full ? this.messages.group(value, at, size) : undefined;
        const text = sink.text.length;
        const children = sink.children.length;
        if (known) sink.refer(known);
        else
          for (let inner = 0; inner < size && at + inner < value.length; inner += 1) {
            if (inner > 0) sink.text += ",";
            element(at + inner);
          }
        const part = full && !known ? cut(sink, text, children, LARGE_GROUP) : undefined;
        if (part) this.messages.rememberGroup(value, at, size, part);
        if (full) writer.wrote();
        at += size;
      }
    }
    sink.text += "]";
  }

  #message(key: string, message: object, depth: number): Part {
    const known = this.messages.known(message);
    if (known) return known;
    const sink = new Sink();
    const json: unknown = (message as { toJSON(key: string): unknown }).toJSON(key);
    const value = asPlain(json) as Record<string, unknown>;
    // Not by #object: a message is a part whatever its size, and not a part within a part.
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new TypeError("odd message");
    sink.text += "{";
    let first = true;
    for (const name of Object.keys(value)) {
      const start = sink.text.length;
      sink.text += (first ? "" : ",") + JSON.stringify(name) + ":";
      const inner = value[name];
      let written = true;
      if (name === "kwargs" && inner !== null && typeof inner === "object" && !Array.isArray(inner))
        this.#fields(inner, sink, depth + 2);
      else written = this.#property(name, inner, sink, depth + 1);
      if (written) first = false;
      else sink.text = sink.text.slice(0, start);
    }
    sink.text += "}";
    return this.messages.remember(message, new Part(sink.text, sink.children), this.step);
  }
}

const isLong = (value: unknown): boolean => typeof value === "string" && value.length >= LONG_STRING;

/** Cuts off what was written since, if that is large enough to be a part, and refers to it instead. */
const cut = (sink: Sink, text: number, children: number, large: number): Part | undefined => {
  const own = sink.children.length - children;
  if (sink.text.length - text + own * REFERENCE_CHARS < large) return undefined;
  // Nothing but one reference: it stands for itself.
  if (own === 1 && sink.text.length - text === 1) return undefined;
  const part = new Part(sink.text.slice(text), sink.children.splice(children));
  sink.text = sink.text.slice(0, text);
  sink.refer(part);
  return part;
};

/**
 * Makes parts of every sixteen pieces of a list, and again of every sixteen such parts. A list that grows at its end
 * thus keeps nearly all of its parts; what is left over at its end stays in the list itself. A part's text is "a,b,c": put back in, it continues the list it is in.
 */
class GroupWriter {
  /** Where the pieces of each level begin that are not in a part yet. */
  readonly #levels: { text: number; children: number }[][] = [[]];
  #at: { text: number; children: number };

  /** `pieces`: how many of what is written make a part of the first level. */
  constructor(
    private readonly sink: Sink,
    private readonly pieces: number,
  ) {
    this.#at = { text: sink.text.length, children: sink.children.length };
  }

  /** A piece was written, its comma before it included. */
  wrote(): void {
    this.#add(0, this.#at);
    this.#at = { text: this.sink.text.length, children: this.sink.children.length };
  }

  #add(level: number, start: { text: number; children: number }): void {
    const starts = (this.#levels[level] ??= []);
    starts.push(start);
    const size = level === 0 ? this.pieces : GROUP;
    if (starts.length < size) return;
    const first = starts[0]!;
    starts.length = 0;
    // The comma before the first piece belongs to the list, not to the part.
    const comma = this.sink.text.charAt(first.text) === "," ? 1 : 0;
    if (size > 1) cut(this.sink, first.text + comma, first.children, LARGE_GROUP);
    this.#add(level + 1, first);
  }
}
