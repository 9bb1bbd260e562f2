import type { Provider } from "../provider.js";
import { ScriptedChatModel } from "../scripted-chat-model.js";

export const scripted: Provider = {
  name: "scripted",
  title: "Scripted stand-in (no key, no language model)",
  defaultModel: "echo",
  tiers: { power: "echo", fast: "echo" },
  create: (spec) =>
    new ScriptedChatModel({
      model: spec.model,
      ...(spec.contextWindowTokens === undefined ? {} : { contextWindowTokens: spec.contextWindowTokens }),
      policy: (messages) => {
        const last = messages.findLast((message) => message.getType() === "human");
        return (
          "I am the scripted stand-in, not a language model: I can only say what I was asked. " +
          `The last message was: ${last?.text ?? "(none)"}`
        );
      },
    }),
};
