import type * as TreeSitter from "web-tree-sitter";

export type Library = typeof TreeSitter;

// Loaded when it is needed: it takes a while, and many agents start without parsing anything.
const library = (): Promise<Library> => import("web-tree-sitter");

/** By copy of web-tree-sitter, under one key for all packages that use it. */
const STARTED = Symbol.for("fiveseam.web-tree-sitter.started");

const started = (): WeakMap<object, Promise<void>> => {
  const shared = globalThis as { [STARTED]?: WeakMap<object, Promise<void>> };
  return (shared[STARTED] ??= new WeakMap());
};

/**
 * Starts the WebAssembly of the parsers, once for the process: web-tree-sitter 0.27 that is started twice at once makes two
 * modules of itself and mixes them up. A failure is not remembered: the next call tries again.
 *
 * @param wasm reads its bytes; not called when somebody has started it.
 */
export const startParsers = async (wasm: () => Promise<Uint8Array>): Promise<Library> => {
  const loaded = await library();
  await start(loaded.Parser, wasm);
  return loaded;
};

const start = (Parser: Library["Parser"], wasm: () => Promise<Uint8Array>): Promise<void> => {
  const known = started().get(Parser);
  // Somebody else's bytes may be missing where ours are not.
  if (known) return known.catch(() => start(Parser, wasm));
  const starting = (async () => {
    const { buffer, byteOffset, byteLength } = await wasm();
    await Parser.init({ wasmBinary: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer });
  })().catch((error: unknown) => {
    started().delete(Parser);
    throw error;
  });
  started().set(Parser, starting);
  return starting;
};
