// The work of resume-child.mjs: steps, each with a way to see whether it has been done, and a policy that goes through them.
// The policy keeps nothing: it reads in the conversation how far it is, so it goes on in another process.

const call = (name, args) => ({ name, args });
const read = (file) => call("read_file", { file_path: `/workspace/${file}` });
const step = (todo, look, isDone) => ({ todo, look, isDone });

/** An effect that no tool can take back or repeat without a trace: a line more in a file. It takes a moment. */
const effect = (word) =>
  step(call("run_command", { command: `sleep 0.05; echo ${word} >> log; sleep 0.05` }), read("log"), (text) =>
    text.includes(word),
  );
const write = (file, content) =>
  step(call("write_file", { file_path: `/workspace/${file}`, content }), read(file), (text) =>
    text.includes(content.trim()),
  );
const edit = (file, old_string, new_string) =>
  step(call("edit_file", { file_path: `/workspace/${file}`, old_string, new_string }), read(file), (text) =>
    text.includes(new_string),
  );
const todos = (status) =>
  step(
    call("write_todos", { todos: [{ content: "the work", status }] }),
    call("ls", { path: "/workspace" }),
    () => false, // May be said again.
  );
const compose = (mark, ...changes) =>
  step(call("compose_files", { changes }), read("b.txt"), (text) => text.includes(mark));
const listMemory = call("manage_core_memory", { action: "list" });
const remember = (action, text) =>
  step(call("manage_core_memory", { action, scope: "project", key: "facts", text }), listMemory, (all) =>
    all.includes(text.trim()),
  );
const file = (name) => `/workspace/${name}`;

const DELEGATE = [effect("effect-d1"), write("d.txt", "from the delegate\n"), effect("effect-d2")];
const MAIN = [
  todos("in_progress"),
  effect("effect-1"),
  write("a.txt", "first\n"),
  edit("a.txt", "first", "first and second"),
  effect("effect-2"),
  compose(
    "bee",
    { action: "create", path: file("b.txt"), content: "bee\n" },
    { action: "create", path: file("c.txt"), content: "sea\n" },
  ),
  remember("set", "one fact.\n"),
  step(
    call("task", { subagent_type: "general-purpose", description: "do the delegate's part" }),
    read("log"),
    (text) => text.includes("effect-d2"),
  ),
  step(
    call("delete", { file_path: file("doomed.txt") }),
    call("ls", { path: "/workspace" }),
    (text) => !text.includes("doomed.txt"),
  ),
  effect("effect-3"),
  edit("a.txt", "second", "third"),
  remember("append", "another fact.\n"),
  effect("effect-4"),
  todos("completed"),
  step(listMemory, listMemory, () => false),
];

/** How far the conversation is: the step, and whether its outcome is unknown and has to be looked at first. */
const progress = (steps, messages) => {
  let at = 0;
  let unknown = false;
  let text = "";
  for (const message of messages.filter((each) => each.getType() === "tool")) {
    text = message.text;
    const outcome = message.additional_kwargs?.fiveseam_outcome;
    if (outcome === "unknown") unknown = true;
    else if (unknown) {
      // What was looked for may not be there, which is an error and an answer.
      unknown = false;
      if (steps[at].isDone(text)) at += 1;
    } else if (message.status === "error") return { failed: text };
    else at += 1;
  }
  return { at, unknown, text };
};

export const policy = (messages, tools) => {
  const steps = tools.some(({ name }) => name === "task") ? MAIN : DELEGATE;
  const { failed, at, unknown, text } = progress(steps, messages);
  if (failed !== undefined) return `failed: ${failed}`;
  if (at >= steps.length) return `all done\n${text}`;
  return { toolCalls: [unknown ? steps[at].look : steps[at].todo] };
};
