import { HostError } from "./errors.js";
import type { MemoryBlock, MemoryLimits, MemoryScope } from "./memory-store-port.js";

/** The blocks of one scope as they are stored. Fields that this release does not know stay where they are. */
export interface MemoryState {
  readonly blocks: Readonly<Record<string, StoredBlock>>;
}

interface StoredBlock {
  readonly text: string;
  readonly updatedAt: number;
}

/** What a call does to a block. */
export type MemoryChange =
  | { kind: "set"; text: string }
  | { kind: "append"; text: string }
  | { kind: "replace"; oldText: string; newText: string }
  | { kind: "delete" };

export const DEFAULT_MEMORY_LIMITS: MemoryLimits = { maxBlockBytes: 8_000, maxBlocks: 50 };
export const EMPTY_MEMORY: MemoryState = { blocks: {} };

// Names of files and markdown headings are made of it, and `__proto__` is none.
const KEY = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export const applyMemoryChange = (
  state: MemoryState,
  key: string,
  change: MemoryChange,
  now: number,
  limits: MemoryLimits,
): MemoryState => {
  if (typeof key !== "string" || !KEY.test(key))
    throw new HostError(
      "invalid_argument",
      `${JSON.stringify(key)} is no key: lower-case letters, digits, ".", "_" and "-", at most 64`,
    );
  const old = Object.hasOwn(state.blocks, key) ? state.blocks[key] : undefined;
  if (change.kind === "delete") {
    if (!old) throw noBlock(key);
    return {
      ...state,
      blocks: Object.fromEntries(Object.entries(state.blocks).filter(([name]) => name !== key)),
    };
  }
  const text = changedText(old?.text, key, change);
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.maxBlockBytes)
    throw new HostError(
      "too_large",
      `block "${key}" would have ${bytes} bytes; at most ${limits.maxBlockBytes} are kept. Shorten it first`,
    );
  if (!old && Object.keys(state.blocks).length >= limits.maxBlocks)
    throw new HostError(
      "too_large",
      `there are ${limits.maxBlocks} blocks already; delete or merge some first`,
    );
  return { ...state, blocks: { ...state.blocks, [key]: { ...old, text, updatedAt: now } } };
};

const noBlock = (key: string): HostError => new HostError("not_found", `there is no block "${key}"`);

const changedText = (
  old: string | undefined,
  key: string,
  change: Exclude<MemoryChange, { kind: "delete" }>,
): string => {
  if (change.kind === "set") return checkedText(change.text);
  if (change.kind === "append") {
    const text = checkedText(change.text);
    return old === undefined || old === "" ? text : `${old}${old.endsWith("\n") ? "" : "\n"}${text}`;
  }
  if (old === undefined) throw noBlock(key);
  const { oldText } = change;
  if (checkedText(oldText) === "") throw new HostError("invalid_argument", "the passage to replace is empty");
  const at = old.indexOf(oldText);
  if (at < 0) throw new HostError("not_found", `block "${key}" does not hold that passage`);
  if (old.indexOf(oldText, at + 1) >= 0)
    throw new HostError(
      "invalid_argument",
      `block "${key}" holds that passage more than once; give more of it`,
    );
  return old.slice(0, at) + checkedText(change.newText) + old.slice(at + oldText.length);
};

const checkedText = (text: string): string => {
  if (typeof text === "string") return text;
  throw new HostError("invalid_argument", "the text is no string");
};

export const blocksOf = (scope: MemoryScope, state: MemoryState): MemoryBlock[] =>
  Object.keys(state.blocks)
    .sort()
    .map((key) => blockOf(scope, key, state));

export const blockOf = (scope: MemoryScope, key: string, state: MemoryState): MemoryBlock => {
  const { text, updatedAt } = state.blocks[key] as StoredBlock;
  return { scope, key, text, bytes: Buffer.byteLength(text), updatedAt };
};

export const checkedMemoryScope = (scope: MemoryScope): MemoryScope => {
  if (scope === "user" || scope === "project") return scope;
  throw new HostError(
    "invalid_argument",
    `"${String(scope)}" is no scope of memory; give "user" or "project"`,
  );
};

/** What is wrong with stored blocks, or nothing. */
export const faultOfMemory = (value: unknown): string | undefined => {
  const blocks = (value as Partial<MemoryState> | null)?.blocks;
  if (typeof blocks !== "object" || blocks === null || Array.isArray(blocks)) return "it holds no blocks";
  const known = Object.entries(blocks).every(
    ([key, block]) =>
      KEY.test(key) &&
      typeof block === "object" &&
      block !== null &&
      typeof block.text === "string" &&
      typeof block.updatedAt === "number",
  );
  return known ? undefined : "a block has no valid key, text or time";
};
