import { spawn } from "node:child_process";
import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const EXAMPLE = fileURLToPath(new URL("..", import.meta.url));

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });

/** LangGraph's command line as `bin` of its package. */
const commandLine = async (): Promise<string> => {
  const manifest = createRequire(import.meta.url).resolve("@langchain/langgraph-cli/package.json");
  const { bin } = JSON.parse(await readFile(manifest, "utf8")) as { bin: Record<string, string> };
  return path.join(path.dirname(manifest), bin["langgraphjs"] ?? "");
};

/**
 * `langgraphjs dev` with the example's langgraph.json, in a directory of its own since the server keeps its threads beside
 * that file. Without LangSmith, and without telling anybody that it ran.
 */
export const startServer = async () => {
  const base = await mkdtemp(path.join(os.tmpdir(), "fiveseam-langgraph-"));
  const workspace = path.join(base, "work");
  await mkdir(workspace);
  const config = JSON.parse(await readFile(path.join(EXAMPLE, "langgraph.json"), "utf8")) as {
    graphs: Record<string, string>;
  };
  // Not absolute: the server joins it to the directory where it looks for `@langchain/langgraph`.
  const graphs = Object.entries(config.graphs).map(([name, file]) => [
    name,
    path.relative(base, path.join(EXAMPLE, file)),
  ]);
  const file = path.join(base, "langgraph.json");
  await writeFile(file, JSON.stringify({ ...config, graphs: Object.fromEntries(graphs) }));
  await writeFile(path.join(base, "package.json"), '{ "type": "module" }');

  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [
    "dev",
    "--no-browser",
    "--no-reload",
    "--host",
    "127.0.0.1",
    "--port",
    String(port),
    "-c",
    file,
  ];
  const { LANGSMITH_API_KEY: _, LANGCHAIN_API_KEY: __, ...rest } = process.env;
  const env = { ...rest, LANGGRAPH_CLI_NO_ANALYTICS: "1", LANGSMITH_TRACING: "false", MODEL: undefined };
  const child = spawn(process.execPath, [await commandLine(), ...args], {
    env: { ...env, WORKSPACE: workspace, STATE_DIR: path.join(base, "state") },
    stdio: ["ignore", "pipe", "pipe"],
    // The command line starts the server as a child: both are stopped as one group.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));

  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await ended;
    await rm(base, { recursive: true, force: true });
  };
  const deadline = Date.now() + 60_000;
  while (
    !(await fetch(`${url}/ok`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`The server did not start:\n${output}`);
    }
    await delay(100);
  }
  return { url, workspace, stop };
};
