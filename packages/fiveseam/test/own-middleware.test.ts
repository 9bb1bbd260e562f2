import { ContextOverflowError } from "@langchain/core/errors";
import { createMiddleware, type AgentMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { requiredMiddleware } from "../src/index.js";
import { agentWith, call, collect, finished, modelOf, ofType, workspaceWith } from "./support.js";

const runWith = async (
  middleware: AgentMiddleware[],
  turns: Parameters<typeof modelOf>[0] = () => "done",
) => {
  const model = modelOf(turns);
  const agent = await agentWith({ ...(await workspaceWith()), model, middleware });
  const events = await collect(agent.run("go", { threadId: "t" }));
  return {
    events,
    model,
    end: finished(events),
    warnings: ofType(events, "warning").map(({ code }) => code),
  };
};

describe("a middleware of the product's own", () => {
  const wraps = (wrapModelCall: NonNullable<AgentMiddleware["wrapModelCall"]>): AgentMiddleware =>
    createMiddleware({ name: "Own", wrapModelCall }) as AgentMiddleware;

  it.each<[string, NonNullable<AgentMiddleware["wrapModelCall"]>]>([
    [
      "throws undefined",
      () => {
        throw undefined;
      },
    ],
    [
      "throws an object without a prototype",
      () => {
        throw Object.create(null);
      },
    ],
    [
      "throws a frozen error",
      () => {
        throw Object.freeze(new Error("x"));
      },
    ],
    [
      "throws an AbortError of its own",
      () => {
        throw new DOMException("its own deadline", "AbortError");
      },
    ],
    [
      "forgets to return",
      (async (request: never, handler: (r: never) => unknown) => {
        await handler(request);
      }) as never,
    ],
    ["returns something else", (() => 7) as never],
  ])("that %s is left out of the call", async (_, wrap) => {
    const { end, warnings, model } = await runWith([wraps(wrap)]);
    expect(end).toMatchObject({ reason: "completed", text: "done" });
    expect(warnings).toEqual(["middleware_failed"]);
    expect(model.calls).toHaveLength(1);
  });

  it("that asks twice gives what it chose", async () => {
    const { end } = await runWith([
      wraps(async (request, handler) => {
        await handler(request);
        return handler(request);
      }),
    ]);
    expect(end).toMatchObject({ reason: "completed", text: "done" });
  });

  it("that fails over the model's failure does not hide it", async () => {
    const failing = wraps(async (request, handler) => {
      try {
        return await handler(request);
      } catch {
        throw new TypeError("bug in the catch block");
      }
    });
    const { end, warnings } = await runWith([failing], () => ({ error: new Error("the model is broken") }));
    expect(end.error?.message).toContain("the model is broken");
    expect(warnings).toContain("middleware_failed");
    const overflow = await runWith([failing], (step, messages) =>
      messages.length > 0 && messages.map(({ text }) => text).join().length > 40_000
        ? { error: ContextOverflowError.fromError(new Error("too long")) }
        : step < 3
          ? call("think", { thought: "x".repeat(16_000) })
          : "done",
    );
    expect(overflow.end).toMatchObject({ reason: "completed" });
  });

  it("may be an instance of a class with private fields", async () => {
    class Own {
      #calls = 0;
      readonly stateSchema = undefined;
      get name() {
        return `Own${this.#calls > 99 ? "!" : ""}`;
      }
      wrapModelCall(request: never, handler: (r: never) => unknown) {
        this.#calls += 1;
        return handler(request);
      }
    }
    const { end, warnings } = await runWith([new Own() as never]);
    expect(end).toMatchObject({ reason: "completed", text: "done" });
    expect(warnings).toEqual([]);
  });

  it("may be frozen, and required all the same", async () => {
    const { end } = await runWith([
      requiredMiddleware(
        Object.freeze(
          wraps(() => {
            throw new Error("guard");
          }),
        ),
      ),
    ]);
    expect(end).toMatchObject({
      reason: "failed",
      error: { message: expect.stringContaining("guard") as string },
    });
    const frozen = await runWith([Object.freeze(wraps((request, handler) => handler(request)))]);
    expect(frozen.end).toMatchObject({ reason: "completed" });
  });

  it("whose hook returns something else is left out of the step", async () => {
    const { end, warnings } = await runWith([
      createMiddleware({ name: "Hook", beforeModel: (() => 7) as never }) as AgentMiddleware,
    ]);
    expect(end).toMatchObject({ reason: "completed", text: "done" });
    expect(warnings).toEqual(["middleware_failed"]);
  });
});
