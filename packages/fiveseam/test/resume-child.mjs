// A process of resume.test.ts. It runs or resumes a scripted thread on the built packages and answers what it is asked, or kills
// itself at a given moment: in a model call, before, in or after a tool, or when something has been stored.
import { ScriptedChatModel } from "@fiveseam/models";
import { orphanToolCalls } from "@fiveseam/testing";
import { createCodingAgent } from "fiveseam";
import { policy } from "./resume-plan.mjs";

const { workspace, stateDir, begin, killAt } = JSON.parse(process.argv[2]);
const die = () => process.kill(process.pid, "SIGKILL");

const moments = {};
let passed = 0;
/** True when this is the moment to die: the nth of its kind, or the nth of all. */
const isTheEnd = (kind) => {
  moments[kind] = (moments[kind] ?? 0) + 1;
  passed += 1;
  return killAt === `${kind}:${moments[kind]}` || killAt === `any:${passed}`;
};

const killer = {
  name: "killer",
  async handle(call, next) {
    if (isTheEnd("before a tool")) die();
    if (isTheEnd("in a tool")) setTimeout(die, 75);
    const result = await next(call);
    if (isTheEnd("after a tool")) die();
    return result;
  },
};

const agent = await createCodingAgent({
  workspace,
  stateDir,
  model: new ScriptedChatModel({
    policy: (messages, tools) => {
      if (isTheEnd("in a model")) die();
      return policy(messages, tools);
    },
  }),
  pipeline: (pipeline) => void pipeline.use(killer),
});

let events = begin ? agent.run("go", { threadId: "t" }) : agent.resume({ threadId: "t" });
let last;
while (events) {
  const approvals = {};
  for await (const event of events) {
    if (event.type === "approval.needed") approvals[event.interruptId] = { type: "approve" };
    if (/^(run\.started|approval\.needed|(tool|delegate)\.finished)$/.test(event.type) && isTheEnd("stored"))
      die();
    last = event;
  }
  events = Object.keys(approvals).length > 0 ? agent.resume({ threadId: "t", approvals }) : undefined;
}
const { values, next } = await agent.graph.getState({ configurable: { thread_id: "t" } });
const { reason, text, error } = last;
const orphans = orphanToolCalls(values.messages);
process.stdout.write(
  `${JSON.stringify({ moments, reason, text, error, next, orphans, todos: values.todos })}\n`,
);
