import { END, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { filesValue } from "deepagents";

/** Does something in a node of a graph whose state holds files, as an agent's does. */
export const inGraph = async (work: () => Promise<void>): Promise<void> => {
  const graph = new StateGraph(new StateSchema({ files: filesValue }))
    .addNode("work", async () => {
      await work();
      return {};
    })
    .addEdge(START, "work")
    .addEdge("work", END)
    .compile();
  await graph.invoke({ files: {} });
};
