import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { FileLocks } from "../src/workspace/file-locks.js";
import { temporary } from "./support.js";

/** No process has it: Linux counts to 4,194,304 at most. */
const NOBODY = 4_999_999;

const setUp = async () => {
  const locks = new FileLocks("/root", await temporary(), () => undefined);
  const own = await locks.hold("/a", "/a", () => {
    const [name = ""] = readdirSync(locks.directory);
    return Promise.resolve(JSON.parse(readFileSync(path.join(locks.directory, name), "utf8")) as object);
  });
  const file = path.join(locks.directory, "left.lock");
  const leave = (holder: object, ageMs = 0): void => {
    writeFileSync(file, JSON.stringify({ ...own, pid: NOBODY, started: "1", ...holder }));
    const at = (Date.now() - ageMs) / 1000;
    utimesSync(file, at, at);
  };
  const isLeft = (): boolean => {
    locks.sweep();
    return existsSync(file);
  };
  return { own, leave, isLeft };
};

describe("a lock that was left", () => {
  it("by a process that is gone is broken at once", async () => {
    const { leave, isLeft } = await setUp();
    leave({});
    expect(isLeft()).toBe(false);
  });

  it("by a process of another container is broken only when it is old: its pid says nothing here", async () => {
    const { own, leave, isLeft } = await setUp();
    if (process.platform === "linux")
      expect(own).toMatchObject({ pidNamespace: expect.stringMatching(/^pid:/) as string });
    const elsewhere = { host: hostname(), pidNamespace: "pid:[1]" };
    leave(elsewhere);
    expect(isLeft()).toBe(true);
    leave(elsewhere, 5 * 60_000);
    expect(isLeft()).toBe(true);
    leave(elsewhere, 11 * 60_000);
    expect(isLeft()).toBe(false);
  });
});
