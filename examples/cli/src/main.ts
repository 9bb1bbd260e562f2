#!/usr/bin/env node
import { randomUUID } from "node:crypto";
import path from "node:path";
import { SqlJsSaver } from "@fiveseam/checkpoint-sqljs";
import { createCodingAgent, defaultStateDirectory, type ApprovalDecision, type RunEvent } from "fiveseam";
import { HELP, readInvocation, UsageError, type Invocation } from "./arguments.js";

type Approval = Extract<RunEvent, { type: "approval.needed" }>;

/** Prints a run and returns how it ended, with the approvals that it waits for. */
const follow = async (
  events: AsyncIterable<RunEvent>,
): Promise<{ end: Extract<RunEvent, { type: "run.finished" }> | undefined; approvals: Approval[] }> => {
  const approvals: Approval[] = [];
  let end: Extract<RunEvent, { type: "run.finished" }> | undefined;
  for await (const event of events) {
    const who = event.delegation === null ? "" : `[${event.agent}] `;
    switch (event.type) {
      case "text.delta":
        if (event.delegation === null) process.stdout.write(event.text);
        break;
      case "tool.started":
        console.log(`\n${who}→ ${event.tool} ${JSON.stringify(event.args)}`);
        break;
      case "tool.finished":
        if (event.status !== "success") console.log(`${who}✗ ${event.tool}: ${event.output}`);
        break;
      case "delegate.started":
        console.log(`\n${who}→ ${event.role}: ${event.brief}`);
        break;
      case "todos.changed":
        for (const { status, content } of event.todos)
          console.log(`  ${status === "completed" ? "x" : "-"} ${content}`);
        break;
      case "approval.needed":
        approvals.push(event);
        for (const { tool, args } of event.actions) console.log(`\n? ${tool} ${JSON.stringify(args)}`);
        break;
      case "model.retried":
        console.error(`\n${event.from} failed (${event.reason}: ${event.message}); asking ${event.to}`);
        break;
      case "text.discarded":
        console.log("\n(the answer so far is void; it starts again)");
        break;
      case "warning":
        console.error(`warning: ${event.message}`);
        break;
      case "run.finished":
        end = event;
        break;
    }
  }
  console.log();
  return { end, approvals };
};

const exitCode = (reason: string | undefined): number =>
  reason === "completed" ? 0 : reason === "needs_input" ? 3 : 1;

const listThreads = async (directory: string): Promise<number> => {
  await using saver = await SqlJsSaver.open({ directory });
  const threads = await saver.listThreads();
  for (const { threadId, updatedAt, checkpoints } of threads) {
    console.log(`${threadId}  ${updatedAt.toISOString()}  ${checkpoints} checkpoints`);
  }
  if (threads.length === 0) console.log("no threads yet");
  return 0;
};

const execute = async ({ command, workspace, model, stateDir: given, ask }: Invocation): Promise<number> => {
  if (command.name === "help") {
    console.log(HELP);
    return 0;
  }
  const stateDir = given ?? (await defaultStateDirectory(workspace));
  if (command.name === "threads") return listThreads(path.join(stateDir, "threads"));

  await using agent = await createCodingAgent({
    workspace,
    model,
    stateDir,
    interruptOn: Object.fromEntries(ask.map((tool) => [tool, true])),
  });
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  const { signal } = stop;
  const threadId =
    command.name === "resume" ? command.threadId : (command.threadId ?? randomUUID().slice(0, 8));
  console.log(`thread ${threadId}`);

  let { end, approvals } = await follow(
    command.name === "run"
      ? agent.run(command.task, { threadId, signal })
      : agent.resume({ threadId, signal }),
  );
  if (command.name === "resume" && command.decision && approvals.length > 0) {
    const decision: ApprovalDecision =
      command.decision === "approve"
        ? { type: "approve" }
        : { type: "reject", ...(command.reason ? { reason: command.reason } : {}) };
    const answers = Object.fromEntries(
      approvals.map(({ interruptId, actions }) => [interruptId, actions.map(() => decision)]),
    );
    ({ end, approvals } = await follow(agent.resume({ threadId, approvals: answers, signal })));
  }
  if (end?.error) console.error(`${end.error.name}: ${end.error.message}`);
  if (approvals.length > 0)
    console.log(`Waiting for you: fiveseam-cli resume ${threadId} --approve | --reject`);
  return exitCode(end?.reason);
};

const main = async (): Promise<number> => {
  try {
    return await execute(readInvocation(process.argv.slice(2), process.env));
  } catch (error) {
    console.error(error instanceof Error ? `${error.name}: ${error.message}` : error);
    return error instanceof UsageError ? 2 : 1;
  }
};

process.exitCode = await main();
