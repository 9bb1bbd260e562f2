// A process that is killed by crash.test.ts. It runs one scripted thread on the built packages and prints its events.
import { ScriptedChatModel } from "@fiveseam/models";
import { createCodingAgent } from "fiveseam";

const [workspace, stateDir, mode, where] = process.argv.slice(2);
const step = (name, args) => ({ toolCalls: [{ name, args }] });
// Each command leaves a line when it begins and one when it ends, and takes long enough to be killed in between.
const command = (n) =>
  step("run_command", { command: `echo begin-${n} >> log; sleep 0.15; echo end-${n} >> log` });
const STEPS = 6;
const work = (messages, prefix) => {
  const n = messages.filter((message) => message.getType() === "ai").length;
  return n < STEPS ? command(`${prefix}${n}`) : "finished";
};
const model = new ScriptedChatModel({
  policy: (messages, tools) => {
    const main = tools.some((tool) => tool.name === "task");
    if (!main) return work(messages, "d");
    if (where === "main") return work(messages, "m");
    const n = messages.filter((message) => message.getType() === "ai").length;
    return n === 0 ? step("task", { subagent_type: "general-purpose", description: "work" }) : "finished";
  },
});
const agent = await createCodingAgent({ workspace, model, stateDir });
const events = mode === "run" ? agent.run("go", { threadId: "t" }) : agent.resume({ threadId: "t" });
for await (const event of events) process.stdout.write(`${JSON.stringify(event)}\n`);
