import assert from "node:assert/strict";
import type { BackendProtocolV2 } from "deepagents";

/** One promise of the protocol, to be run by any test runner: it rejects with an AssertionError where it is broken. */
export interface ConformanceCase {
  readonly name: string;
  run(): Promise<void>;
}

/** What a backend may be without. */
export type BackendTrait =
  /** `delete`. */
  | "delete"
  /** `uploadFiles` and `downloadFiles`. */
  | "transfer"
  /** Files that are no text. */
  | "binary"
  /** Files on a disk, below `root` of the subject. */
  | "disk"
  /** Of two edits of one file at the same time none is lost. */
  | "concurrent-edits";

/** An empty backend to be put to the test, and how it is put away again. */
export interface BackendSubject {
  readonly backend: BackendProtocolV2;
  /** Where its files are on the disk; asked of a backend that has the trait "disk". */
  readonly root?: string;
  /** Runs a case where the backend can be used; for instance inside a graph. */
  inContext?(work: () => Promise<void>): Promise<void>;
  close?(): Promise<void> | void;
}

export interface BackendConformanceOptions {
  /** Gives an empty backend each time. */
  create(): Promise<BackendSubject> | BackendSubject;
  /** What the backend is without; the cases about that are left out. */
  lacks?: readonly BackendTrait[];
}

/** A case before it knows its subject. */
export interface Draft {
  readonly name: string;
  readonly needs?: readonly BackendTrait[];
  test(backend: BackendProtocolV2, subject: BackendSubject): Promise<void>;
}

export const casesOf = (drafts: readonly Draft[], options: BackendConformanceOptions): ConformanceCase[] => {
  const { create, lacks = [] } = options;
  return drafts
    .filter(({ needs = [] }) => !needs.some((trait) => lacks.includes(trait)))
    .map(({ name, test }) => ({
      name: `backend: ${name}`,
      async run() {
        const subject = await create();
        const work = (): Promise<void> => test(subject.backend, subject);
        try {
          await (subject.inContext ? subject.inContext(work) : work());
        } finally {
          await subject.close?.();
        }
      },
    }));
};

/** Writes files and asserts that it went well. */
export const seed = async (
  backend: BackendProtocolV2,
  files: Readonly<Record<string, string>>,
): Promise<void> => {
  for (const [path, content] of Object.entries(files)) {
    const { error } = await backend.write(path, content);
    assert.equal(error, undefined, `write ${path}: ${error}`);
  }
};

/** The whole text of a file, as it was written. */
export const textOf = async (backend: BackendProtocolV2, path: string): Promise<string | undefined> => {
  const { data } = await backend.readRaw(path);
  const content: unknown = (data as { content?: unknown } | undefined)?.content;
  // The first version of the protocol kept lines.
  return Array.isArray(content) ? content.join("\n") : (content as string | undefined);
};

/** Asserts that a call answers with an error, in words, instead of throwing or doing it. */
export const refuses = async (
  what: string,
  call: () => Promise<{ error?: string }> | { error?: string } | undefined,
): Promise<void> => {
  let result: { error?: string } | undefined;
  try {
    result = await call();
  } catch (error) {
    assert.fail(`${what} threw instead of answering with an error: ${String(error)}`);
  }
  assert.equal(typeof result?.error, "string", `${what} did not answer with an error`);
  assert.notEqual(result?.error, "");
};
