// A tool of your own. It says what it can do to the world; roles, plan mode, approvals, the audit log and what happens after a
// crash follow from that.
import { ScriptedChatModel } from "@fiveseam/models";
import { defineTool } from "@fiveseam/tool-pipeline";
import { createCodingAgent } from "fiveseam";
import { z } from "zod";

const deploy = defineTool({
  name: "deploy",
  description: "Deploys a branch to an environment. Say which.",
  schema: z.object({ branch: z.string(), environment: z.enum(["staging", "production"]) }),
  // It changes something outside: nobody who only reads has it, and plan mode refuses it.
  effects: ["net", "exec"],
  run: ({ branch, environment }) => `${branch} is on ${environment}.`,
});

export const run = async (workspace: string, stateDir: string): Promise<string[]> => {
  const model = new ScriptedChatModel({
    policy: (messages, tools) => {
      const last = messages.at(-1);
      if (last?.getType() === "tool") return last.text;
      if (!tools.some(({ name }) => name === "deploy")) return "In plan mode there is no deploy.";
      return { toolCalls: [{ name: "deploy", args: { branch: "main", environment: "staging" } }] };
    },
  });
  await using agent = await createCodingAgent({
    workspace,
    stateDir,
    model,
    tools: [deploy],
    // Every deployment is asked about.
    approvals: { tools: { deploy: true } },
  });
  const said: string[] = [];
  for await (const event of agent.run("Deploy main.", { threadId: "plan", mode: "plan" }))
    if (event.type === "run.finished") said.push(event.text);
  const approvals: Record<string, { type: "approve" }> = {};
  for await (const event of agent.run("Deploy main.", { threadId: "act" })) {
    if (event.type !== "approval.needed") continue;
    said.push(`asked: ${event.actions[0]?.tool ?? ""}`);
    approvals[event.interruptId] = { type: "approve" };
  }
  for await (const event of agent.resume({ threadId: "act", approvals }))
    if (event.type === "run.finished") said.push(event.text);
  return said;
};
