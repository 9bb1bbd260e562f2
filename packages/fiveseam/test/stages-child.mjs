// One process of stages.test.ts: runs or resumes a scripted thread on the built packages, prints its events, ends.
import { ScriptedChatModel } from "@fiveseam/models";
import { createCodingAgent } from "fiveseam";

const { workspace, stateDir, threadId, message, approvals } = JSON.parse(process.argv[2]);
const call = (name, args) => ({ name, args });
const write = (file) => ({
  toolCalls: [call("write_file", { file_path: file, content: `text of ${file}` })],
});
const delegate = (description) => call("task", { subagent_type: "general-purpose", description });

const lead = (step) => {
  if (step === 0) return { toolCalls: [delegate("left"), delegate("right")] };
  if (step === 1) return write("/docs/decision.md");
  if (step === 2) return { toolCalls: [call("run_command", { command: "cat left.txt right.txt >> log" })] };
  return "all written";
};
const model = new ScriptedChatModel({
  policy: (messages, tools) => {
    const step = messages.filter((each) => each.getType() === "ai").length;
    const asked = messages.find((each) => each.getType() === "human")?.text ?? "";
    if (asked === "read the decision")
      return step === 0
        ? { toolCalls: [call("read_file", { file_path: "/docs/decision.md" })] }
        : (messages.at(-1)?.text ?? "");
    if (tools.some((tool) => tool.name === "task")) return lead(step);
    if (step === 0) return { toolCalls: [call("run_command", { command: `echo ${asked} >> log` })] };
    return step === 1 ? write(`/workspace/${asked}.txt`) : `${asked} is done`;
  },
});

const agent = await createCodingAgent({ workspace, stateDir, model, interruptOn: { write_file: true } });
const run = message ? agent.run(message, { threadId }) : agent.resume({ threadId, approvals });
for await (const event of run) process.stdout.write(`${JSON.stringify(event)}\n`);
const damage = await agent.threads.integrityCheck();
process.stdout.write(`${JSON.stringify({ damage })}\n`);
