import { isDeepStrictEqual } from "node:util";
import { HumanMessage } from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { SqlJsSaver } from "../../src/index.js";
import { checkpoint, collect, idOf, metadata, on } from "./helpers.js";

/** A conversation that grows, whose checkpoints a test remembers to hold against what it finds later. */
export class History {
  readonly acknowledged = new Map<string, { value: string; writes: number }>();
  /** Made, and not acknowledged: may be there or not. */
  readonly possible = new Map<string, { value: string; writes: number }>();
  #parent = on("t");
  #messages: HumanMessage[] = [];

  constructor(private readonly text: (index: number) => string = (index) => `${index} `.repeat(6_000)) {}

  async put(saver: SqlJsSaver): Promise<void> {
    const index = this.acknowledged.size + this.possible.size;
    this.#messages = [...this.#messages, new HumanMessage({ id: `m${index}`, content: this.text(index) })];
    const made = checkpoint({ messages: this.#messages, index }, index + 1);
    const known = { value: JSON.stringify(this.#messages), writes: 0 };
    this.possible.set(made.id, known);
    this.#parent = await saver.put(this.#parent, made, metadata({ step: index }), made.channel_versions);
    this.possible.delete(made.id);
    this.acknowledged.set(made.id, known);
    const at = this.#parent;
    await saver.putWrites(
      at,
      [
        ["index", index],
        ["messages", this.#messages.at(-1)],
      ],
      `task ${index}`,
    );
    this.acknowledged.get(idOf(at))!.writes = 2;
  }

  /** What is wrong with a saver that was opened afterwards: wrong values, and acknowledged checkpoints that it lacks. */
  async check(saver: SqlJsSaver): Promise<{ wrong: string[]; missing: string[] }> {
    const found = new Map((await collect(saver.list(on("t")))).map((tuple) => [tuple.checkpoint.id, tuple]));
    const wrong: string[] = [];
    for (const [id, tuple] of found) {
      const known = this.acknowledged.get(id) ?? this.possible.get(id);
      if (!known || !isRight(tuple, known)) wrong.push(id);
    }
    const missing = Array.from(this.acknowledged.keys()).filter((id) => !found.has(id));
    return { wrong, missing };
  }
}

const isRight = (tuple: CheckpointTuple, known: { value: string; writes: number }): boolean => {
  const { messages, index } = tuple.checkpoint.channel_values as { messages: HumanMessage[]; index: number };
  const writes = tuple.pendingWrites ?? [];
  return (
    JSON.stringify(messages) === known.value &&
    tuple.metadata?.step === index &&
    messages.length === index + 1 &&
    (writes.length === 2 || (writes.length === 0 && known.writes === 0)) &&
    (writes.length === 0 || isDeepStrictEqual(writes[0], [`task ${index}`, "index", index]))
  );
};
