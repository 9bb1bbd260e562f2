import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { RunEvent } from "fiveseam";
import { describe, expect, it, onTestFinished } from "vitest";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const WORKSPACE = fileURLToPath(new URL("../workspace", import.meta.url));

interface Outcome {
  status: number | null;
  signal: NodeJS.Signals | null;
  events: RunEvent[];
  resume: string[];
}

/** Runs the built demo; `stopAfter` kills it with SIGKILL when that many tool results have been reported. */
const demo = (args: string[], stopAfter = Number.POSITIVE_INFINITY): Promise<Outcome> =>
  new Promise((resolve) => {
    const { FIVESEAM_MODEL: _model, ...env } = process.env;
    const child = spawn(process.execPath, [MAIN, "--json", ...args], { env });
    const events: RunEvent[] = [];
    let said = "";
    let finished = 0;
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      const event = JSON.parse(line) as RunEvent;
      events.push(event);
      if (event.type === "tool.finished") finished += 1;
      if (finished >= stopAfter) child.kill("SIGKILL");
    });
    child.once("close", (status, signal) => {
      const words = /npm run demo -- (--resume .*)/.exec(said)?.[1]?.split(" ") ?? [];
      resolve({ status, signal, events, resume: words });
    });
  });

const hashOf = (directory: string): string => {
  const hash = createHash("sha256");
  for (const name of readdirSync(directory, { recursive: true }).map(String).toSorted()) {
    const file = path.join(directory, name);
    hash.update(name);
    if (/\.\w+$/.test(name)) hash.update(readFileSync(file));
  }
  return hash.digest("hex");
};

const finishedCalls = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === "tool.finished" && !event.restored ? [event.callId] : []));

describe("the demo", () => {
  it("fixes a fresh copy, leaves its source untouched, and does it again", async () => {
    const before = hashOf(WORKSPACE);
    for (let round = 0; round < 2; round += 1) {
      const { status, events, resume } = await demo([]);
      expect(status).toBe(0);
      expect(events.at(-1)).toMatchObject({ type: "run.finished", reason: "completed" });
      expect(
        events.some((event) => event.type === "delegate.finished" && event.role === "code-analyzer"),
      ).toBe(true);
      const workspace = resume[resume.indexOf("--workspace") + 1] ?? "";
      expect(existsSync(path.join(workspace, "package.json"))).toBe(true);
      rmSync(path.dirname(workspace), { recursive: true, force: true });
    }
    expect(hashOf(WORKSPACE)).toBe(before);
  });

  it.each(process.env["KILL_ROUNDS"] ? [1, 9, 14] : [9])(
    "killed after %i tool results and resumed finishes the job and repeats nothing",
    async (results) => {
      const killed = await demo([], results);
      expect(killed.signal).toBe("SIGKILL");
      const workspace = killed.resume[killed.resume.indexOf("--workspace") + 1] ?? "";
      onTestFinished(() => rmSync(path.dirname(workspace), { recursive: true, force: true }));
      const resumed = await demo(killed.resume);
      expect(resumed.status).toBe(0);
      expect(resumed.events.at(-1)).toMatchObject({ type: "run.finished", reason: "completed" });
      const before = finishedCalls(killed.events);
      expect(before.length).toBeGreaterThanOrEqual(results);
      expect(finishedCalls(resumed.events).filter((callId) => before.includes(callId))).toEqual([]);
      expect(
        resumed.events.filter((event) => event.type === "tool.started" && before.includes(event.callId)),
      ).toEqual([]);
    },
  );

  it("says what is wrong with its arguments and with a directory that is not there", async () => {
    expect(await demo(["--resume", "x"])).toMatchObject({ status: 2 });
    expect(await demo(["--workspace", "/no/such/place"])).toMatchObject({ status: 1, events: [] });
    expect(await demo(["--nope"])).toMatchObject({ status: 1, events: [] });
  });
});
