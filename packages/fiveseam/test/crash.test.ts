import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../src/index.js";
import { runChild } from "./child.js";
import { finished, results, workspaceWith } from "./support.js";

const CHILD = fileURLToPath(new URL("crash-child.mjs", import.meta.url));

/** Runs the child and kills it with SIGKILL so long after its first event, or lets it finish. */
const child = async (
  args: string[],
  killAfterMs?: number,
): Promise<{ events: RunEvent[]; killed: boolean }> => {
  let timer: NodeJS.Timeout | undefined;
  const { lines, killed } = await runChild(CHILD, args, (_, kill) => {
    if (killAfterMs !== undefined) timer ??= setTimeout(kill, killAfterMs);
  });
  clearTimeout(timer);
  return { events: lines as RunEvent[], killed };
};

describe.each(["main", "delegate"])("SIGKILL in the middle of a run, in the %s agent", (where) => {
  // Six commands of 0.15 s each: the times fall into and between them. All of them with KILL_ROUNDS.
  it.each(process.env["KILL_ROUNDS"] ? [60, 330, 700] : where === "main" ? [330] : [700])(
    "after %i ms, then resume in a new process",
    async (ms) => {
      const { workspace, stateDir } = await workspaceWith({ log: "" });
      const before = await child([workspace, stateDir, "run", where], ms);
      let after = await child([workspace, stateDir, "resume", where]);
      expect(finished(after.events)).toMatchObject({ reason: "completed", text: "finished" });

      const log = (await readFile(path.join(workspace, "log"), "utf8")).trim().split("\n");
      // Whatever had begun has begun once, whenever the process died.
      expect(log.filter((line) => line.startsWith("begin")).toSorted()).toEqual(
        [...new Set(log.filter((line) => line.startsWith("begin")))].toSorted(),
      );
      // What was reported as finished is not run again and keeps its result.
      const done = results(before.events).map((event) => event.callId);
      const unknown = results(after.events).filter((event) => event.status === "unknown");
      expect(unknown.length).toBeLessThanOrEqual(1);
      expect(unknown.map((event) => event.callId).filter((id) => done.includes(id))).toEqual([]);
      // The thread is finished: one more resume changes nothing.
      after = await child([workspace, stateDir, "resume", where]);
      expect(finished(after.events).text).toBe("finished");
      expect((await readFile(path.join(workspace, "log"), "utf8")).trim().split("\n")).toEqual(log);
    },
  );
});

describe("an agent that is not closed", () => {
  it("does not keep its process alive", async () => {
    const { workspace, stateDir } = await workspaceWith({ log: "" });
    const { killed, events } = await child([workspace, stateDir, "run", "main"]);
    expect(killed).toBe(false);
    expect(finished(events).reason).toBe("completed");
  });
});
