import { randomUUID } from "node:crypto";
import path from "node:path";
import { ScriptedChatModel } from "@fiveseam/models";
import { createCodingAgent, defaultStateDirectory, type RunEvent } from "fiveseam";
import { HELP, readArguments, type DemoArguments } from "./arguments.js";
import { DEFAULT_TASK, difference, freshCopy, testsPass, type Place } from "./demo-workspace.js";
import { demoPolicy } from "./policy/index.js";
import { painter, Renderer } from "./render.js";

const placeOf = async (given: DemoArguments): Promise<Place> => {
  if (given.workspace === undefined) return freshCopy();
  const workspace = path.resolve(given.workspace);
  return { workspace, stateDir: given.stateDir ?? (await defaultStateDirectory(workspace)) };
};

/** The stream of events, shown as it comes; the last event and the verdict of the last test run come back. */
const show = async (
  events: AsyncIterable<RunEvent>,
  print: (event: RunEvent) => void,
): Promise<{ completed: boolean; lastVerdict: string | undefined }> => {
  let completed = false;
  let lastVerdict: string | undefined;
  for await (const event of events) {
    print(event);
    if (event.type === "tool.finished" && event.tool === "run_tests")
      [lastVerdict] = event.output.split("\n");
    if (event.type === "run.finished") completed = event.reason === "completed";
  }
  return { completed, lastVerdict };
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
  await agent.close();

  let done = completed && (lastVerdict === undefined || lastVerdict.startsWith("Tests passed"));
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
