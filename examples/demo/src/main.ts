import { randomUUID } from "node:crypto";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { ScriptedChatModel } from "@fiveseam/models";
import {
  createCodingAgent,
  defaultStateDirectory,
  type ApprovalDecision,
  type CodingAgent,
  type RunEvent,
} from "fiveseam";
import { HELP, readArguments, type DemoArguments } from "./arguments.js";
import { DEFAULT_TASK, difference, freshCopy, testsPass, type Place } from "./demo-workspace.js";
import { demoPolicy, FENCES_TASK } from "./policy/index.js";
import { painter, Renderer } from "./render.js";

const placeOf = async (given: DemoArguments): Promise<Place> => {
  if (given.workspace === undefined) return freshCopy();
  const workspace = path.resolve(given.workspace);
  return { workspace, stateDir: given.stateDir ?? (await defaultStateDirectory(workspace)) };
};

interface Shown {
  readonly completed: boolean;
  readonly lastVerdict: string | undefined;
  /** What waits for an approval. */
  readonly pending: readonly string[];
}

/** The stream of events, shown as it comes; the last event and the verdict of the last test run come back. */
const show = async (events: AsyncIterable<RunEvent>, print: (event: RunEvent) => void): Promise<Shown> => {
  let completed = false;
  let lastVerdict: string | undefined;
  const pending: string[] = [];
  for await (const event of events) {
    print(event);
    if (event.type === "tool.finished" && event.tool === "run_tests")
      [lastVerdict] = event.output.split("\n");
    if (event.type === "approval.needed") pending.push(event.interruptId);
    if (event.type === "run.finished") completed = event.reason === "completed";
  }
  return { completed, lastVerdict, pending };
};

/** Whoever sits at the terminal decides; where nobody does, the demo says yes and says so. */
const decide = async (say: (line: string) => void): Promise<ApprovalDecision> => {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
    say("  approved, for nobody sits at this terminal");
    return { type: "approve" };
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question("  approve? [Y/n] ");
  terminal.close();
  return /^\s*n/i.test(answer) ? { type: "reject", reason: "Keep it." } : { type: "approve" };
};

/** A second task, in which a read-only delegate is refused a write, a deletion is asked about, and the run is undone. */
const showFences = async (
  agent: CodingAgent,
  run: { threadId: string; signal: AbortSignal },
  print: (event: RunEvent) => void,
  say: (line: string) => void,
): Promise<boolean> => {
  say(
    "\nNext: a delegate that only reads tries to write, a deletion is asked about, and undo takes it back.\n",
  );
  let shown = await show(agent.run(FENCES_TASK, run), print);
  while (shown.pending.length > 0) {
    const decision = await decide(say);
    const approvals = Object.fromEntries(shown.pending.map((id) => [id, decision]));
    shown = await show(agent.resume({ ...run, approvals }), print);
  }
  const { restored, refused } = await agent.undo({ threadId: run.threadId });
  say(
    `\nundo: ${restored.length === 0 ? "there was nothing to take back" : `restored ${restored.join(", ")}`}`,
  );
  return shown.completed && refused.length === 0;
};

const main = async (): Promise<number> => {
  const given = readArguments(process.argv.slice(2), process.env);
  if (given.help) {
    console.log(HELP);
    return 0;
  }
  if (given.resume !== undefined && given.workspace === undefined) {
    console.error("--resume needs the --workspace (and --state-dir) that the first run printed.");
    return 2;
  }
  const colours = process.stdout.isTTY === true && !process.env["NO_COLOR"] && !given.json;
  const paint = painter(colours);
  // In JSON mode standard output belongs to the events.
  const say = (line = ""): void => (given.json ? console.error(line) : console.log(line));

  const own = given.workspace === undefined;
  const { workspace, stateDir } = await placeOf(given);
  const threadId = given.resume ?? `demo-${randomUUID().slice(0, 8)}`;
  const resumeCommand = `npm run demo -- --resume ${threadId} --workspace ${workspace} --state-dir ${stateDir}`;
  const model = given.model ?? new ScriptedChatModel({ policy: demoPolicy });

  say(paint("bold", "Fiveseam demo"));
  say(
    given.model === undefined
      ? "model      a scripted stand-in: a deterministic policy that reads test output and tries small edits. It is not a language model."
      : `model      ${given.model}`,
  );
  say(`workspace  ${workspace}${own ? " (a fresh copy)" : ""}`);
  say(`threads    ${path.join(stateDir, "threads")}`);
  say(`resume     ${resumeCommand}`);
  if (own) say(`\ntests before: ${testsPass(workspace) ? paint("green", "pass") : paint("red", "fail")}`);

  const agent = await createCodingAgent({ workspace, model, stateDir });
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  const renderer = new Renderer(paint);
  const print = (event: RunEvent): void => {
    if (given.json) console.log(JSON.stringify(event));
    else for (const line of renderer.lines(event)) console.log(line);
  };
  const { signal } = stop;
  const events =
    given.resume === undefined
      ? agent.run(given.task ?? DEFAULT_TASK, { threadId, signal })
      : agent.resume({ threadId, signal });
  const { completed, lastVerdict } = await show(events, print);
  const isScripted = own && given.model === undefined && given.task === undefined && !signal.aborted;
  const fenced = !isScripted || (await showFences(agent, { threadId, signal }, print, say));
  await agent.close();

  let done = completed && fenced && (lastVerdict === undefined || lastVerdict.startsWith("Tests passed"));
  if (own) {
    const passed = testsPass(workspace);
    done = done && passed;
    say(`\n${difference(workspace, colours)}`);
    say(`\ntests after: ${passed ? paint("green", "pass") : paint("red", "fail")}`);
  }
  say(`\nThe thread is stored in ${path.join(stateDir, "threads")}; to go on with it:\n  ${resumeCommand}`);
  return done ? 0 : 1;
};

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? `${error.name}: ${error.message}` : error);
    process.exitCode = 1;
  },
);
