import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const made: string[] = [];
const servers: Server[] = [];

const setUp = () => {
  const base = mkdtempSync(path.join(os.tmpdir(), "fiveseam-cli-"));
  made.push(base);
  writeFileSync(path.join(base, "doomed.txt"), "x");
  return { workspace: base, stateDir: path.join(base, ".state") };
};
afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
  for (const server of servers.splice(0)) server.close();
});

interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
}

const cli = (
  places: { workspace: string; stateDir: string; env?: Record<string, string> },
  ...words: string[]
): Promise<Outcome> =>
  new Promise((resolve) => {
    const args = [MAIN, ...words, "--workspace", places.workspace, "--state-dir", places.stateDir];
    const child = spawn(process.execPath, args, { env: { ...process.env, ...places.env } });
    const out = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        out[stream] += text;
      });
    }
    child.once("close", (status) => resolve({ status, ...out }));
  });

/** An OpenAI-compatible server that asks to delete doomed.txt, and then says what the tool answered. */
const modelServer = async (): Promise<string> => {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] };
      // A note on the moment may stand behind what was said.
      const last = messages.findLast(({ content }) => !content.startsWith("<now>"));
      const delta =
        last?.role === "tool"
          ? { role: "assistant", content: `I was told: ${last.content}` }
          : {
              role: "assistant",
              tool_calls: [
                {
                  index: 0,
                  id: `call_${messages.length}`,
                  type: "function",
                  function: {
                    name: "delete",
                    arguments: JSON.stringify({ file_path: "/workspace/doomed.txt" }),
                  },
                },
              ],
            };
      const finish_reason = last?.role === "tool" ? "stop" : "tool_calls";
      const chunk = { id: "c", object: "chat.completion.chunk", created: 0, model: "m" };
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const choice of [
        { index: 0, delta },
        { index: 0, delta: {}, finish_reason },
      ]) {
        response.write(`data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\n`);
      }
      response.end("data: [DONE]\n\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

describe("the CLI example", () => {
  it("asks before a delete, and approves or rejects it in another process", async () => {
    const places = {
      ...setUp(),
      env: { FIVESEAM_LOCAL_URL: await modelServer(), FIVESEAM_MODEL: "local:test" },
    };
    const doomed = path.join(places.workspace, "doomed.txt");

    const asked = await cli(places, "run", "delete it", "--thread", "a");
    expect(asked).toMatchObject({ status: 3, stdout: expect.stringContaining("? delete") });
    const rejected = await cli(places, "resume", "a", "--reject", "--reason", "I need that file");
    expect(rejected).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("I was told: I need that file"),
    });
    expect(existsSync(doomed)).toBe(true);

    await cli(places, "run", "delete it", "--thread", "b");
    expect(await cli(places, "resume", "b")).toMatchObject({ status: 3 });
    expect(await cli(places, "resume", "b", "--approve")).toMatchObject({ status: 0 });
    expect(existsSync(doomed)).toBe(false);
  });

  it("runs a task on a thread, goes on with it, and lists it", async () => {
    const places = setUp();
    const first = await cli(places, "run", "hello there", "--thread", "t1");
    expect(first).toMatchObject({ status: 0, stderr: "" });
    expect(first.stdout).toContain("hello there");
    const again = await cli(places, "resume", "t1");
    expect(again.status).toBe(0);
    const listed = await cli(places, "threads");
    expect(listed.stdout).toMatch(/^t1 {2}\d{4}-\d\d-\d\dT/);
  });

  it("says what is wrong with a call, with exit code 2", async () => {
    const places = setUp();
    expect(await cli(places, "run")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("needs a task"),
    });
    expect(await cli(places, "jump")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no command "jump"'),
    });
    expect(await cli(places, "resume", "t", "--approve", "--reject")).toMatchObject({ status: 2 });
    expect(await cli(places, "threads", "--nope")).toMatchObject({ status: 2 });
    expect(await cli(places, "--help")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("Exit codes"),
    });
  });

  it("fails clearly for a thread, a model and a workspace that do not exist", async () => {
    const places = setUp();
    expect(await cli(places, "resume", "nobody")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("nobody"),
    });
    expect(await cli(places, "run", "x", "--model", "oracle:x")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("ProviderConfigError"),
    });
    expect(await cli({ ...places, workspace: "/no/such" }, "run", "x")).toMatchObject({ status: 1 });
    expect(existsSync("/no/such")).toBe(false);
  });
});
