import type { Call, Judge } from "../call.js";
import { worst } from "../combine.js";
import { isKnown, UNKNOWN } from "../field.js";
import { optionsOf } from "../options.js";
import { absolute, hitsRootSet } from "../paths.js";
import { allow, ask, deny, reads, type Judgement } from "../verdict.js";

const NARROWS = new Set(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -size -mtime -mmin -atime -amin -ctime -cmin -newer -empty -user -uid -inum -samefile".split(
    " ",
  ),
);
const RUNS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
const WRITES = new Set(["-fprint", "-fprint0", "-fls", "-fprintf"]);
const REMOVERS = new Set(["rm", "unlink", "shred", "rimraf", "srm", "wipe"]);

const find: Judge = (call) => {
  const { args } = call;
  const first = args.findIndex((arg) => /^[-!(]/.test(arg) && !/^-[HLPOD]/.test(arg));
  const roots = (first < 0 ? args : args.slice(0, first)).filter((arg) => !/^-[HLP]$|^-O\d|^-D/.test(arg));
  const expression = first < 0 ? [] : args.slice(first);
  const narrowed = expression.some((arg) => NARROWS.has(arg));
  const at = roots.length === 0 ? ["."] : roots;
  const hitsRoot = at.some((root) => {
    const path = absolute(root, call.scope.cwd);
    return path !== undefined && isKnown(path) && hitsRootSet(path, call.places);
  });
  let judgement: Judgement = reads();
  const removal = (): Judgement =>
    hitsRoot && !narrowed
      ? deny("remove.root", "it deletes everything of the system or of a home")
      : ask("remove", "it deletes whatever it finds");
  for (let index = 0; index < expression.length; index += 1) {
    const arg = expression[index] as string;
    if (arg === "-delete") judgement = worst(judgement, removal());
    else if (WRITES.has(arg)) {
      const target = expression[index + 1];
      judgement = worst(
        judgement,
        allow("write", "it writes what it finds to a file"),
        ...(target === undefined ? [] : [call.write(target)]),
      );
    } else if (RUNS.has(arg)) {
      const from = index + 1;
      let end = from;
      while (end < expression.length && expression[end] !== ";" && expression[end] !== "+") end += 1;
      const command = expression.slice(from, end);
      index = end;
      judgement = worst(judgement, inner(call, command, at, removal));
    }
  }
  return judgement;
};

const inner = (
  call: Call,
  command: readonly string[],
  roots: readonly string[],
  removal: () => Judgement,
): Judgement => {
  const program = command[0] ?? "";
  const place = roots.length === 1 && isKnown(roots[0] as string) ? `${roots[0]}/${UNKNOWN}` : UNKNOWN;
  const judged = call.run(
    command.map((field) => (field.includes("{}") ? field.replaceAll("{}", place) : field)),
    "unknown",
  );
  if (judged.verdict === "deny") return judged;
  const removes =
    command.some((field) => REMOVERS.has(field)) ||
    (/^(?:ba|da|z)?sh$/.test(program) && command.some((field) => /\brm\b/.test(field)));
  return removes ? worst(removal(), judged) : judged;
};

const fd: Judge = (call) => {
  const index = call.args.findIndex((arg) => /^(?:-x|-X|--exec|--exec-batch)$/.test(arg));
  if (index < 0) return reads();
  const command = call.args.slice(index + 1).map((field) => (/\{[^}]*\}/.test(field) ? UNKNOWN : field));
  return worst(
    call.run([...command, UNKNOWN], "unknown"),
    ...(command.some((field) => REMOVERS.has(field)) ? [ask("remove", "it deletes whatever it finds")] : []),
  );
};

const XARGS_VALUES = [
  "I",
  "n",
  "P",
  "L",
  "d",
  "E",
  "s",
  "a",
  "max-args",
  "max-procs",
  "delimiter",
  "replace",
  "max-lines",
  "arg-file",
];

const xargs: Judge = (call) => {
  // The options of xargs end where its command begins.
  const own: string[] = [];
  let at = 0;
  for (; at < call.args.length; at += 1) {
    const arg = call.args[at] as string;
    if (!arg.startsWith("-")) break;
    own.push(arg);
    if (/^-[InPLdEsa]$/.test(arg) || /^--(?:max-args|max-procs|delimiter|max-lines|arg-file)$/.test(arg))
      own.push(call.args[(at += 1)] ?? "");
  }
  const options = optionsOf(own, XARGS_VALUES);
  const command = call.args.slice(at);
  const program = command.length === 0 ? ["echo"] : command;
  const text = typeof call.stdin === "object" && isKnown(call.stdin.text) ? call.stdin.text : undefined;
  const words = text === undefined ? [UNKNOWN] : text.split(/\s+/).filter((word) => word !== "");
  const placeholder =
    options.values.get("I")?.[0] ??
    (options.flags.has("i") || options.flags.has("replace") ? "{}" : undefined);
  if (placeholder !== undefined) {
    const lines = text === undefined ? [UNKNOWN] : text.split("\n").filter((line) => line !== "");
    return worst(
      reads(),
      ...lines.slice(0, 50).map((line) =>
        call.run(
          program.map((field) => field.replaceAll(placeholder, () => line)),
          undefined,
        ),
      ),
    );
  }
  return call.run([...program, ...words], undefined);
};

const parallel: Judge = (call) => {
  const split = call.args.findIndex((arg) => /^:::\+?$/.test(arg));
  const before = split < 0 ? call.args : call.args.slice(0, split);
  const command = before.filter(
    (arg, index) => !arg.startsWith("-") && !/^-(?:j|n|N|d)$/.test(before[index - 1] ?? ""),
  );
  const inputs =
    split < 0
      ? typeof call.stdin === "object" && isKnown(call.stdin.text)
        ? call.stdin.text.split("\n").filter(Boolean)
        : [UNKNOWN]
      : call.args.slice(split + 1).filter((arg) => !arg.startsWith(":::"));
  const judged = inputs.slice(0, 50).map((input) => {
    if (command.length === 0) return call.runText(input);
    const text = command.join(" ");
    return call.runText(
      /\{[^}]*\}/.test(text) ? text.replaceAll(/\{[^}]*\}/g, () => input) : `${text} ${input}`,
    );
  });
  return worst(reads(), ...judged);
};

export const FINDERS: Readonly<Record<string, Judge>> = {
  find,
  gfind: find,
  fd,
  fdfind: fd,
  xargs,
  gxargs: xargs,
  parallel,
};
