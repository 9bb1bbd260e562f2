import { HumanMessage, ToolMessage } from "langchain";
import { createAgent } from "./agent.js";
import { memoryObjectStore } from "./object-store.js";
import { ObjectStoreBackend } from "./object-store-backend.js";

const files = new ObjectStoreBackend(memoryObjectStore());
await files.write("/src/greeting.ts", 'export const greeting = "Hello";\n');

const { messages } = await createAgent(files).invoke({
  messages: [new HumanMessage("Make the greeting friendlier.")],
});
for (const message of messages)
  if (ToolMessage.isInstance(message)) console.log(`${message.name}: ${message.text.split("\n")[0]}`);
console.log(messages.at(-1)?.text);
console.log((await files.read("/src/greeting.ts")).content);
