// A provider of your own: a name in front of ":" in every place that takes a model. `create` returns any LangChain chat model.
import { registerProvider, ScriptedChatModel } from "@fiveseam/models";
import { createCodingAgent } from "fiveseam";

registerProvider({
  name: "acme",
  title: "Acme's gateway",
  defaultModel: "small",
  tiers: { power: "large", fast: "small" },
  // What is known of its models: compaction goes by the window, costs by the price.
  describe: (model) => ({
    known: true,
    maxInputTokens: model === "large" ? 200_000 : 32_000,
    metered: false,
  }),
  create: (spec) =>
    new ScriptedChatModel({ model: spec.model, policy: () => `I am acme's ${spec.model} model.` }),
});

export const run = async (workspace: string, stateDir: string): Promise<string[]> => {
  await using agent = await createCodingAgent({
    workspace,
    stateDir,
    model: "acme:large",
    fallbacks: ["acme"],
  });
  const said: string[] = [];
  for await (const event of agent.run("Who are you?", { threadId: "t" }))
    if (event.type === "run.finished") said.push(event.text);
  return said;
};
