import initSqlJs, { type SqlJsStatic } from "sql.js";
import { WasmLoadError } from "./errors.js";
import { readWasm } from "./platform.js";

/**
 * Where SQLite's WebAssembly comes from. By default it is found in the installed `sql.js` package; in a browser one of
 * the two has to be given.
 */
export interface WasmSource {
  /** The bytes of `sql-wasm.wasm`, for single-file bundles. Used by the first `open()` of the process. */
  readonly wasmBinary?: Uint8Array | ArrayBuffer;
  /**
   * Given "sql-wasm.wasm", returns the path (in a browser the URL) to read it from. Ignored when `wasmBinary` is given.
   */
  readonly locateFile?: (name: string) => string;
}

/** The part of WebAssembly that is used here; neither Node's types nor our `lib` declare it. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array | ArrayBuffer,
    imports: unknown,
  ): Promise<{ instance: unknown; module: unknown }>;
};

interface Glue {
  readonly ready: Promise<SqlJsStatic>;
  /** Undefined when somebody else in this process started sql.js before us. */
  readonly start?: { imports: unknown; receive: (instance: unknown) => void };
}

let glue: Glue | undefined;
let loading: Promise<SqlJsStatic> | undefined;

/** SQLite, one instance per process. A failure is not remembered: the next call tries again. */
export const loadSqlJs = (source: WasmSource = {}): Promise<SqlJsStatic> => {
  loading ??= load(source).catch((error: unknown) => {
    loading = undefined;
    throw error instanceof WasmLoadError
      ? error
      : new WasmLoadError(error instanceof Error ? error.message : String(error), { cause: error });
  });
  return loading;
};

const load = async (source: WasmSource): Promise<SqlJsStatic> => {
  glue ??= startGlue();
  if (glue.start) {
    const bytes = source.wasmBinary ?? (await readWasm(source.locateFile));
    const { instance } = await WebAssembly.instantiate(bytes, glue.start.imports);
    glue.start.receive(instance);
  }
  return glue.ready;
};

/**
 * `initSqlJs` keeps its first promise for ever, a rejected one too. So it is called once and only its hook is taken,
 * which waits for an instance; reading and compiling happen outside and can be repeated.
 */
const startGlue = (): Glue => {
  let start: Glue["start"];
  const ready = initSqlJs({
    instantiateWasm: ((imports: unknown, receive: (instance: unknown) => void) => {
      start = { imports, receive };
      return {};
    }) as never,
    // Only reached after an abort inside SQLite, which also throws to the caller. A library prints nothing.
    print: () => {},
    printErr: () => {},
  });
  // A rejection is delivered to whoever awaits `ready`.
  ready.catch(() => {});
  return { ready, ...(start ? { start } : {}) };
};
