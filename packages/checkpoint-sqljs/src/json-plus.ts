import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";

/**
 * The replacer of LangGraph's `JsonPlusSerializer`, which it does not export. Bytes are left out: they become parts. A
 * test holds our text against its text for every kind of value, so a change there is noticed.
 */
export const asPlain = (value: unknown): unknown => {
  if (value === undefined) return { lc: 2, type: "undefined" };
  if (value === null || typeof value !== "object") return value;
  if (value instanceof DeltaSnapshot) return { lc: 2, type: "delta_snapshot", value: value.value as unknown };
  if (value instanceof Set || value instanceof Map)
    return constructorRecord(value.constructor.name, [Array.from(value as Iterable<unknown>)]);
  if (value instanceof RegExp) return constructorRecord("RegExp", [value.source, value.flags]);
  if (value instanceof Error) return constructorRecord("Error", [value.message]);
  const send = value as { lg_name?: unknown; node?: unknown; args?: unknown; timeout?: unknown };
  if (send.lg_name === "Send")
    return {
      node: send.node,
      args: send.args,
      ...(send.timeout === undefined ? {} : { timeout: send.timeout }),
    };
  return value;
};

const constructorRecord = (name: string, args: unknown[]): unknown => ({
  lc: 2,
  type: "constructor",
  id: [name],
  method: null,
  args,
  kwargs: {},
});
