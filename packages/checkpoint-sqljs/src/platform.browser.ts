import { NoFileSystemError, WasmLoadError } from "./errors.js";
import type * as node from "./platform.js";

// The browser's side of platform.ts: no files, and WebAssembly by URL.

export const openStorage: typeof node.openStorage = async () => {
  throw new NoFileSystemError();
};

export const openModel: typeof node.openModel = async () => {
  throw new NoFileSystemError();
};

export const writeExport: typeof node.writeExport = async () => {
  throw new NoFileSystemError();
};

/** Neither Node's types nor our `lib` declare it with a URL alone. */
declare const fetch: (url: string) => Promise<{
  ok: boolean;
  status: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}>;

export const readWasm: typeof node.readWasm = async (locateFile) => {
  if (!locateFile) throw new WasmLoadError("in a browser, pass wasmBinary or locateFile");
  const url = locateFile("sql-wasm.wasm");
  const response = await fetch(url);
  if (!response.ok) throw new WasmLoadError(`${url} answered with status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
};
