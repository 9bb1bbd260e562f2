// Middleware of your own, LangChain's kind. One that throws is left out of that call, with a warning; a guard that the agent must
// not go without is marked as required.
import { ScriptedChatModel } from "@fiveseam/models";
import { createCodingAgent, requiredMiddleware } from "fiveseam";
import { createMiddleware } from "langchain";

/** A convenience: the agent does without it. It fails here on purpose. */
const glossary = createMiddleware({
  name: "Glossary",
  wrapModelCall: () => {
    throw new Error("the glossary is not reachable");
  },
});

/** A guard: without it nothing is sent. */
const guard = createMiddleware({
  name: "Guard",
  wrapModelCall: (request, handler) => {
    if (request.messages.some(({ text }) => text.includes("INTERNAL ONLY")))
      throw new Error("This must not leave the house.");
    return handler(request);
  },
});

export const run = async (workspace: string, stateDir: string): Promise<string[]> => {
  const model = new ScriptedChatModel({ policy: () => "Hello." });
  await using agent = await createCodingAgent({
    workspace,
    stateDir,
    model,
    middleware: [glossary, requiredMiddleware(guard)],
  });
  const said: string[] = [];
  for (const text of ["Say hello.", "Send this: INTERNAL ONLY"]) {
    for await (const event of agent.run(text, { threadId: text })) {
      if (event.type === "warning") said.push(`${event.code}: ${event.message}`);
      if (event.type === "run.finished")
        said.push(`${event.reason}: ${event.error?.message.split("\n")[0] ?? event.text}`);
    }
  }
  return said;
};
