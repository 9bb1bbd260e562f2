import { canonicalPath } from "@fiveseam/backends";
import type {
  BackendProtocolV2,
  DeleteResult,
  EditResult,
  FileDownloadResponse,
  FileInfo,
  FileUploadResponse,
  GlobResult,
  GrepMatch,
  GrepResult,
  LsResult,
  ReadRawResult,
  ReadResult,
  WriteResult,
} from "deepagents";
import picomatch from "picomatch";
import type { ObjectStore, StoredObject } from "./object-store.js";

/** How often a change is tried again when somebody else was faster. */
const ATTEMPTS = 8;
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const isText = (bytes: Uint8Array): boolean => {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false; // That is what was asked.
  }
};
const missing = (path: string): { error: string } => ({ error: `File '${path}' not found` });

/**
 * Files as objects. There are no directories in an object store, so they are what keys have in common; and there are no locks,
 * so a change is put on the condition that nobody else has changed the object since it was read.
 */
export class ObjectStoreBackend implements BackendProtocolV2 {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Every path of a result is canonical; what has no canonical form is an error, and not an exception. */
  async #at<T extends object>(
    path: string,
    work: (key: string) => Promise<T>,
  ): Promise<T | { error: string }> {
    let key: string;
    try {
      key = canonicalPath(path);
    } catch (error) {
      return { error: (error as Error).message };
    }
    return work(key);
  }

  async #keysBelow(directory: string): Promise<string[]> {
    return this.#store.list(directory === "/" ? "/" : `${directory}/`);
  }

  ls(path: string): Promise<LsResult> {
    return this.#at(path, async (directory) => {
      const prefix = directory === "/" ? "/" : `${directory}/`;
      const files = new Map<string, FileInfo>();
      for (const key of await this.#keysBelow(directory)) {
        const [name = "", ...below] = key.slice(prefix.length).split("/");
        if (below.length > 0) files.set(`${prefix}${name}/`, { path: `${prefix}${name}/`, is_dir: true });
        else files.set(key, await this.#info(key));
      }
      return { files: [...files.values()] };
    });
  }

  async #info(key: string): Promise<FileInfo> {
    const object = await this.#store.get(key);
    const size = object?.bytes.length ?? 0;
    return { path: key, is_dir: false, size, modified_at: object?.modified.toISOString() ?? "" };
  }

  read(path: string, offset = 0, limit = 500): Promise<ReadResult> {
    return this.#at(path, async (key) => {
      const object = await this.#store.get(key);
      if (!object) return missing(key);
      if (!isText(object.bytes)) return { error: `File '${key}' is binary (${object.bytes.length} bytes)` };
      const lines = decode(object.bytes).split("\n");
      if (lines.at(-1) === "") lines.pop();
      if (offset > 0 && offset >= lines.length)
        return { error: `Offset ${offset} exceeds file length: ${key} has ${lines.length} lines` };
      const end = Math.min(offset + limit, lines.length);
      return {
        content: lines.slice(offset, end).join("\n"),
        mimeType: "text/plain",
        totalLines: lines.length,
        ...(end < lines.length ? { nextOffset: end } : {}),
      };
    });
  }

  readRaw(path: string): Promise<ReadRawResult> {
    return this.#at(path, async (key) => {
      const object = await this.#store.get(key);
      if (!object) return missing(key);
      const at = object.modified.toISOString();
      const text = isText(object.bytes);
      return {
        data: {
          content: text ? decode(object.bytes) : object.bytes,
          mimeType: text ? "text/plain" : "application/octet-stream",
          created_at: at,
          modified_at: at,
        },
      };
    });
  }

  async #change(
    key: string,
    change: (object: StoredObject | undefined) => Uint8Array | { error: string },
  ): Promise<{ error?: string }> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const object = await this.#store.get(key);
      const next = change(object);
      if (!(next instanceof Uint8Array)) return next;
      if (await this.#store.put(key, next, object?.version)) return {};
    }
    return { error: `File '${key}' is being changed by others; try again` };
  }

  write(path: string, content: string): Promise<WriteResult> {
    return this.#at(path, async (key) => ({
      path: key,
      filesUpdate: null,
      ...(await this.#change(key, () => encode(content))),
    }));
  }

  edit(path: string, oldString: string, newString: string, replaceAll = false): Promise<EditResult> {
    return this.#at(path, async (key): Promise<EditResult> => {
      let occurrences = 0;
      const result = await this.#change(key, (object) => {
        if (!object) return missing(key);
        if (!isText(object.bytes)) return { error: `File '${key}' is binary` };
        const text = decode(object.bytes);
        if (oldString === "") return { error: "old_string is empty" };
        const pieces = text.split(oldString);
        occurrences = pieces.length - 1;
        if (occurrences === 0) return { error: `String not found in '${key}'` };
        if (occurrences > 1 && !replaceAll)
          return {
            error: `String stands ${occurrences} times in '${key}'; give more of the lines around it`,
          };
        return encode(pieces.join(newString));
      });
      return result.error === undefined ? { path: key, filesUpdate: null, occurrences } : result;
    });
  }

  delete(path: string): Promise<DeleteResult> {
    return this.#at(path, async (key): Promise<DeleteResult> => {
      const below = await this.#keysBelow(key);
      const own = await this.#store.get(key);
      if (!own && below.length === 0) return missing(key);
      for (const each of own ? [key, ...below] : below) await this.#store.remove(each);
      return { path: key, filesUpdate: null };
    });
  }

  glob(pattern: string, path = "/"): Promise<GlobResult> {
    return this.#at(path, async (directory) => {
      const matches = picomatch(pattern.replace(/^\//, ""), { dot: true });
      const from = directory === "/" ? 1 : directory.length + 1;
      const keys = (await this.#keysBelow(directory)).filter((key) => matches(key.slice(from)));
      return { files: await Promise.all(keys.map((key) => this.#info(key))) };
    });
  }

  grep(
    pattern: string,
    path: string | null = "/",
    glob: string | null = null,
    maxCount: number | null = null,
  ): Promise<GrepResult> {
    return this.#at(path ?? "/", async (at) => {
      const fits = glob === null ? () => true : picomatch(glob, { dot: true });
      // A glob without a slash is meant for the name alone.
      const keep = (key: string): boolean =>
        fits(glob?.includes("/") ? key : key.slice(key.lastIndexOf("/") + 1));
      const from = at === "/" ? 1 : at.length + 1;
      const below = (await this.#keysBelow(at)).filter((key) => keep(key.slice(from)));
      const own = (await this.#store.get(at)) ? [at] : [];
      const matches: GrepMatch[] = [];
      for (const key of [...own, ...below]) {
        const object = await this.#store.get(key);
        if (!object || !isText(object.bytes)) continue;
        for (const [index, text] of decode(object.bytes).split("\n").entries())
          if (text.includes(pattern)) matches.push({ path: key, line: index + 1, text });
      }
      const limit = maxCount ?? Infinity;
      return { matches: matches.slice(0, limit), truncated: matches.length > limit };
    });
  }

  async uploadFiles(files: [string, Uint8Array][]): Promise<FileUploadResponse[]> {
    const responses: FileUploadResponse[] = [];
    for (const [path, bytes] of files) {
      const { error } = await this.#at(path, (key) => this.#change(key, () => bytes));
      responses.push({ path, error: error === undefined ? null : "invalid_path" });
    }
    return responses;
  }

  async downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    const responses: FileDownloadResponse[] = [];
    for (const path of paths) {
      const result = await this.#at(path, async (key) => ({ object: await this.#store.get(key) }));
      const object = "object" in result ? result.object : undefined;
      const error = "error" in result ? "invalid_path" : object ? null : "file_not_found";
      responses.push({ path, content: object?.bytes ?? null, error });
    }
    return responses;
  }
}
