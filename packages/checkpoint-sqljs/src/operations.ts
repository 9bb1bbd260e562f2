import { ByteReader, ByteWriter } from "./byte-codec.js";
import type { ContentStore } from "./content-store.js";
import { BYTES_PREFIX, isBytes, type Stored } from "./rope.js";
import { fromStoredText, toStoredText } from "./stored-text.js";

export interface CheckpointAddress {
  readonly threadId: string;
  readonly namespace: string;
  readonly checkpointId: string;
}

/** A channel's value; undefined when the new version has none. */
export interface ChangedChannel {
  readonly channel: string;
  /** As JSON, for 1 and "1" are different versions. */
  readonly version: string;
  readonly value: Stored | undefined;
}

export interface StoredWrite {
  readonly taskId: string;
  readonly index: number;
  readonly channel: string;
  readonly taskPath: string;
  readonly value: Stored;
}

export interface PutOperation extends CheckpointAddress {
  readonly kind: "put";
  readonly nowMs: number;
  /** There was no checkpoint with this id; for counting them. */
  readonly isNew: boolean;
  readonly parentId: string | undefined;
  /** The checkpoint without its channel values. */
  readonly checkpoint: Stored;
  readonly metadata: Stored;
  /** `[channel, version][]` as JSON, if the checkpoint itself cannot be read without the serializer. */
  readonly versions: string | undefined;
  readonly changed: readonly ChangedChannel[];
  /** The first words of the user, in the checkpoint that has them first. */
  readonly title: string | undefined;
}

export interface WritesOperation extends CheckpointAddress {
  readonly kind: "writes";
  readonly nowMs: number;
  readonly writes: readonly StoredWrite[];
}

/** What can happen to a database. Journal and memory go through the same `applyOperation`. */
export type Operation =
  | PutOperation
  | WritesOperation
  | { readonly kind: "delete-thread"; readonly threadId: string }
  | { readonly kind: "copy-thread"; readonly threadId: string; readonly to: string; readonly nowMs: number }
  | {
      readonly kind: "prune";
      readonly threadId: string;
      readonly checkpoints: readonly { readonly namespace: string; readonly checkpointId: string }[];
    };

// The numbers are on disk: never reuse one.
const KINDS = ["put", "writes", "delete-thread", "copy-thread", "prune"] as const;

/** The payload of a journal record: the parts that no record holds yet, and what happened. */
export const encodeOperation = (
  content: ContentStore,
  parts: readonly number[],
  operation: Operation,
): Uint8Array => {
  const to = new ByteWriter();
  to.uint(parts.length);
  for (const id of parts) {
    const text = content.get(id);
    to.uint(id);
    if (isBytes(text)) to.uint(1).latin1(text.slice(1));
    else to.uint(0).text(text);
  }
  const id = (value: string): ByteWriter => to.text(toStoredText(value));
  const value = ({ type, text }: Stored): ByteWriter => to.text(type).text(text);
  to.uint(KINDS.indexOf(operation.kind));
  id(operation.threadId);
  switch (operation.kind) {
    case "put":
      id(operation.namespace);
      id(operation.checkpointId);
      to.uint(operation.nowMs)
        .uint(operation.isNew ? 1 : 0)
        .optionalText(operation.parentId && toStoredText(operation.parentId));
      value(operation.checkpoint);
      value(operation.metadata);
      to.optionalText(operation.versions).uint(operation.changed.length);
      for (const { channel, version, value: changed } of operation.changed) {
        id(channel)
          .text(version)
          .uint(changed ? 1 : 0);
        if (changed) value(changed);
      }
      to.optionalText(operation.title && toStoredText(operation.title));
      break;
    case "writes":
      id(operation.namespace);
      id(operation.checkpointId);
      to.uint(operation.nowMs).uint(operation.writes.length);
      for (const write of operation.writes) {
        id(write.taskId).int(write.index);
        id(write.channel);
        id(write.taskPath);
        value(write.value);
      }
      break;
    case "delete-thread":
      break;
    case "copy-thread":
      id(operation.to).uint(operation.nowMs);
      break;
    case "prune":
      to.uint(operation.checkpoints.length);
      for (const { namespace, checkpointId } of operation.checkpoints) {
        id(namespace);
        id(checkpointId);
      }
  }
  return to.bytes();
};

export const decodeOperation = (content: ContentStore, payload: Uint8Array): Operation => {
  const from = new ByteReader(payload);
  for (let count = from.uint(); count > 0; count -= 1) {
    const part = from.uint();
    content.add(part, from.uint() === 1 ? BYTES_PREFIX + from.latin1() : from.text());
  }
  const id = (): string => fromStoredText(from.text());
  const value = (): Stored => ({ type: from.text(), text: from.text() });
  const kind = KINDS[from.uint()];
  const threadId = id();
  switch (kind) {
    case "put":
      return {
        kind,
        threadId,
        namespace: id(),
        checkpointId: id(),
        nowMs: from.uint(),
        isNew: from.uint() === 1,
        parentId: mapped(from.optionalText(), fromStoredText),
        checkpoint: value(),
        metadata: value(),
        versions: from.optionalText(),
        changed: from.many(() => ({
          channel: id(),
          version: from.text(),
          value: from.uint() === 1 ? value() : undefined,
        })),
        title: mapped(from.optionalText(), fromStoredText),
      };
    case "writes":
      return {
        kind,
        threadId,
        namespace: id(),
        checkpointId: id(),
        nowMs: from.uint(),
        writes: from.many(() => ({
          taskId: id(),
          index: from.int(),
          channel: id(),
          taskPath: id(),
          value: value(),
        })),
      };
    case "delete-thread":
      return { kind, threadId };
    case "copy-thread":
      return { kind, threadId, to: id(), nowMs: from.uint() };
    case "prune":
      return { kind, threadId, checkpoints: from.many(() => ({ namespace: id(), checkpointId: id() })) };
    default:
      throw new RangeError("a record of a kind that this release does not know");
  }
};

const mapped = <T>(value: T | undefined, map: (value: T) => T): T | undefined =>
  value === undefined ? undefined : map(value);
