import { symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  bracketExec,
  createCodingBackend,
  withReview,
  withStaging,
  withUndo,
  WorkspaceBackend,
} from "../src/index.js";
import { rootWith, temporary } from "./support.js";

/** As a caller without TypeScript gives them. */
const untyped = (options: object): never => options as never;

describe("options", () => {
  it("that are misspelled are refused with the one that may be meant", async () => {
    const root = await rootWith();
    const directory = await temporary();
    const files = new WorkspaceBackend({ root });
    const cases: [() => unknown, RegExp][] = [
      [() => createCodingBackend(untyped({ workspace: root, spilDirectory: "x" })), /`spillDirectory` may/],
      [
        () => createCodingBackend({ workspace: root, files: untyped({ hidenPaths: [] }) }),
        /`hiddenPaths` may/,
      ],
      [() => new WorkspaceBackend(untyped({ root, maxfilebytes: 1 })), /`maxFileBytes` may/],
      [() => withUndo(files, untyped({ directory, maxByte: 1 })), /`maxBytes` may/],
      [() => withStaging(files, untyped({ directory, onstaged: () => {} })), /`onStaged` may/],
      [() => withReview(files, untyped({ approve: () => {}, wen: () => true })), /`when` may/],
      [() => bracketExec(files, untyped({ maxMS: 1 })), /`maxMs` may/],
      [() => bracketExec(files, untyped({ verbose: true })), /there are maxFiles, maxBytes/],
    ];
    for (const [make, message] of cases)
      expect(make).toThrow(
        expect.objectContaining({ code: "invalid_option", message: expect.stringMatching(message) }),
      );
  });

  it("of another type are refused", async () => {
    const root = await rootWith();
    const directory = await temporary();
    const files = new WorkspaceBackend({ root });
    const cases: [() => unknown, RegExp][] = [
      [() => createCodingBackend(untyped({ workspace: 1 })), /`workspace` .* a string or an object/],
      [() => createCodingBackend(untyped({ workspace: root, freshness: true })), /`freshness`.* or `false`/],
      [() => createCodingBackend(untyped({ workspace: root, extra: [] })), /`extra` .* an object/],
      [() => new WorkspaceBackend(untyped({ root, hiddenPaths: "/x" })), /`hiddenPaths` .* an array/],
      [() => withUndo(files, untyped({ directory, maxBytes: "1" })), /`maxBytes` .* a number/],
      [() => withStaging(files, untyped({ directory, mount: 1 })), /`mount` .* a string/],
      [() => withReview(files, untyped({ approve: () => {}, when: true })), /`when` .* a function/],
      [() => bracketExec(files, { maxMs: Number.NaN }), /`maxMs` .* a number/],
      [() => bracketExec(files, untyped([])), /must be an object/],
    ];
    for (const [make, message] of cases)
      expect(make).toThrow(
        expect.objectContaining({ code: "invalid_option", message: expect.stringMatching(message) }),
      );
  });

  it("that are undefined count as left out", async () => {
    const root = await rootWith();
    expect(() => createCodingBackend(untyped({ workspace: root, files: undefined }))).not.toThrow();
  });
});

describe("the directory of a decorator", () => {
  it("may lie in the workspace only where the agent cannot come", async () => {
    const root = await rootWith({ "src/a.ts": "" });
    const outside = await temporary();
    await symlink(path.join(root, "src"), path.join(outside, "link"));
    const plain = new WorkspaceBackend({ root });
    const hiding = new WorkspaceBackend({ root, hiddenPaths: ["/.state"] });
    const inside = { code: "invalid_option", message: expect.stringContaining("inside the workspace") };
    for (const make of [withUndo, withStaging]) {
      for (const directory of [root, path.join(root, ".state/undo"), path.join(outside, "link/undo")])
        expect(() => make(plain, { directory })).toThrow(expect.objectContaining(inside));
      expect(() => make(hiding, { directory: path.join(root, "src") })).toThrow(
        expect.objectContaining(inside),
      );
      expect(() => make(hiding, { directory: path.join(root, `.state/${make.name}`) })).not.toThrow();
      expect(() => make(plain, { directory: path.join(outside, `..state-${make.name}`) })).not.toThrow();
    }
    const reviewed = withReview(plain, { approve: () => ({ type: "approve" }) });
    expect(() => withUndo(reviewed, { directory: root })).toThrow(expect.objectContaining(inside));
  });
});
