import type { Call, Judge } from "../call.js";
import { notReadOnly, worst } from "../combine.js";
import { hasGlob, isKnown, SPREAD, UNKNOWN } from "../field.js";
import { optionsOf } from "../options.js";
import { inspect, readingOf } from "../reading.js";
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

const FIND_READS =
  /^-(?:[HLP]|O\d|a|and|o|or|not|name|iname|path|ipath|wholename|iwholename|regex|iregex|regextype|type|xtype|size|mtime|mmin|atime|amin|ctime|cmin|newer(?:[aBcm][aBcmt])?|anewer|cnewer|empty|user|uid|group|gid|nouser|nogroup|perm|links|inum|samefile|lname|ilname|fstype|maxdepth|mindepth|depth|d|xdev|mount|follow|daystart|noleaf|prune|quit|print|print0|printf|ls|true|false|readable|writable|executable|used|exec|execdir|warn|nowarn|ignore_readdir_race|files0-from|\d+[a-zA-Z]?)$/;

/** Whether find's own arguments are such that it only looks: none is unknown, none could become several. */
const onlyFinds = (args: readonly string[]): boolean =>
  args.every(
    (arg) =>
      !arg.includes(SPREAD) &&
      !arg.startsWith(UNKNOWN) &&
      !hasGlob(arg[0] ?? "") &&
      (!arg.startsWith("-") || FIND_READS.test(arg)),
  );

const find: Judge = (call) => {
  const { args } = call;
  const own: string[] = [];
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
    own.push(arg);
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
  const surely = onlyFinds([...args.slice(0, first < 0 ? undefined : first), ...own]);
  return surely ? judgement : notReadOnly(judgement);
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

const FD = readingOf(
  "-#HIusipFg0alLhqt:e:E:d:S:c:j:o:1 --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --list-details --follow --full-path --print0 --max-depth= --min-depth= --exact-depth= --type= --extension= --exclude= --size= --changed-within= --changed-before= --owner= --color= --max-results= --quiet --prune --strip-cwd-prefix --format= --threads= --base-directory= --search-path= --one-file-system",
);

const fd: Judge = (call) => {
  const joined = call.args.find((arg) => /^--exec(?:-batch)?=|^-[xX]./.test(arg));
  if (joined !== undefined)
    return call.run([joined.replace(/^--exec(?:-batch)?=|^-[xX]/, ""), UNKNOWN], "unknown");
  const index = call.args.findIndex((arg) => /^(?:-\w*[xX]|--exec|--exec-batch)$/.test(arg));
  const surely = inspect(FD, index < 0 ? call.args : call.args.slice(0, index)).surely;
  if (index < 0) return surely ? reads() : allow("unknown", "an option of it is not known");
  const command = call.args.slice(index + 1).map((field) => (/\{[^}]*\}/.test(field) ? UNKNOWN : field));
  return worst(
    surely ? reads() : allow("unknown", "an option of it is not known"),
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
  const words =
    text === undefined ? [`${UNKNOWN}${SPREAD}`] : text.split(/\s+/).filter((word) => word !== "");
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
