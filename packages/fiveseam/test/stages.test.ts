import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../src/index.js";
import { runChild } from "./child.js";
import { ofType, workspaceWith } from "./support.js";

const CHILD = fileURLToPath(new URL("stages-child.mjs", import.meta.url));

interface Stage {
  threadId: string;
  message?: string;
  approvals?: Record<string, { type: "approve" }>;
}

/** A stage in a process of its own; with `killAt`, it is killed when so many events have been read. */
const stage = async (
  places: { workspace: string; stateDir: string },
  what: Stage,
  killAt = Number.POSITIVE_INFINITY,
): Promise<RunEvent[]> => {
  let seen = 0;
  const { lines, killed } = await runChild(CHILD, [JSON.stringify({ ...places, ...what })], (_, kill) => {
    seen += 1;
    if (seen >= killAt) kill();
  });
  if (!killed) expect(lines.at(-1)).toEqual({ damage: [] });
  return lines.filter(
    (line): line is RunEvent => typeof line === "object" && line !== null && "type" in line,
  );
};

const approvalOf = (events: readonly RunEvent[], file: string): string => {
  const found = ofType(events, "approval.needed").find(
    ({ actions }) => actions[0]?.args["file_path"] === file,
  );
  if (!found) throw new Error(`Nothing asks about ${file}.`);
  return found.interruptId;
};
const approve = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, { type: "approve" as const }]));

describe("with the default checkpointer and store, each stage in a new process", () => {
  it("parallel delegates wait for approvals, go on one by one, and what is written to /docs/ is there in another thread", async () => {
    const places = await workspaceWith({ log: "" });
    const threadId = "long job";
    const asked = await stage(places, { threadId, message: "go" });
    expect(asked.at(-1)).toMatchObject({ type: "run.finished", reason: "needs_input" });

    const half = await stage(places, {
      threadId,
      approvals: approve(approvalOf(asked, "/workspace/right.txt")),
    });
    expect(half.at(-1)).toMatchObject({ reason: "needs_input" });
    expect(approvalOf(half, "/workspace/left.txt")).toBe(approvalOf(asked, "/workspace/left.txt"));

    const docs = await stage(places, {
      threadId,
      approvals: approve(approvalOf(half, "/workspace/left.txt")),
    });
    const last = await stage(places, { threadId, approvals: approve(approvalOf(docs, "/docs/decision.md")) });
    expect(last.at(-1)).toMatchObject({ reason: "completed", text: "all written" });

    const log = (await readFile(path.join(places.workspace, "log"), "utf8")).split("\n").slice(0, 2);
    expect(log.toSorted()).toEqual(["left", "right"]);
    const read = await stage(places, { threadId: "another", message: "read the decision" });
    expect(read.at(-1)).toMatchObject({ reason: "completed" });
    expect(ofType(read, "run.finished")[0]?.text).toContain("text of /docs/decision.md");
  }, 120_000);

  it.each(process.env["KILL_ROUNDS"] ? [3, 9] : [9])(
    "killed at event %i and again with each second answer, the thread goes on to the same end",
    async (killAt) => {
      const places = await workspaceWith({ log: "" });
      const threadId = "t";
      let events = await stage(places, { threadId, message: "go" }, killAt);
      for (let round = 0; round < 8; round += 1) {
        events = await stage(places, { threadId });
        const waiting = ofType(events, "approval.needed").map(({ interruptId }) => interruptId);
        if (waiting.length === 0) break;
        await stage(places, { threadId, approvals: approve(...waiting) }, round % 2 === 0 ? 3 : undefined);
      }
      expect(events.at(-1)).toMatchObject({ reason: "completed", text: "all written" });
      for (const name of ["left", "right"])
        expect(await readFile(path.join(places.workspace, `${name}.txt`), "utf8")).toBe(
          `text of /workspace/${name}.txt`,
        );
    },
    120_000,
  );
});
