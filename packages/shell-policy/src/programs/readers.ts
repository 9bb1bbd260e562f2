import type { Call, Judge } from "../call.js";
import { notReadOnly, worst } from "../combine.js";
import { isKnown, unmarkGlobs } from "../field.js";
import { noteWritten } from "../files.js";
import { hasAny, optionsOf, valuesOf } from "../options.js";
import { inspect, readingOf } from "../reading.js";
import { readSedScript } from "./sed-script.js";
import { allow, ask, reads, type Judgement } from "../verdict.js";

const readAll = (call: Call, operands: readonly string[]): Judgement =>
  worst(reads(), ...operands.map(call.read));

/** Shows the content of files. */
const content: Judge = (call) => readAll(call, optionsOf(call.args).operands);

/** Shows names, sizes and states, not contents. */
const names: Judge = () => reads();

/** Searches: the first operand is a pattern unless an option gives one. */
const search =
  (withValue: readonly string[]): Judge =>
  (call) => {
    const options = optionsOf(call.args, withValue);
    const pre = options.values.get("pre")?.[0];
    if (hasAny(options, "pre", "pager") || call.args.some((arg) => arg.startsWith("--hostname-bin")))
      return worst(
        pre === undefined ? ask("option.program", "an option of it starts a program") : call.run([pre]),
        ask("option.program", "an option of it starts a program"),
      );
    const files = hasAny(options, "e", "regexp", "f", "file", "files")
      ? options.operands
      : options.operands.slice(1);
    return readAll(call, [...files, ...(options.values.get("f") ?? [])]);
  };

const SED = readingOf(
  "-nErzusbl:e: --quiet --silent --expression= --regexp-extended --line-length= --null-data --zero-terminated --unbuffered --posix --debug --sandbox --separate",
);

/** The long options whose values matter, by their whole names. */
const spelled = (arg: string): string =>
  arg.replace(/^--e[a-z]*(?==|$)/, "--expression").replace(/^--fi[a-z]*(?==|$)/, "--file");

const sed: Judge = (call) => {
  const args = call.args.map(spelled);
  const options = optionsOf(args, ["e", "f", "expression", "file", "l"]);
  const inPlace = args.some(
    (arg) => (/^-[a-zA-Z]*i/.test(arg) && !/^-[ef]/.test(arg)) || arg.startsWith("--i"),
  );
  const given = valuesOf(options, "e", "expression");
  const fromFile = hasAny(options, "f", "file");
  const scripts = given.length > 0 || fromFile ? given : options.operands.slice(0, 1);
  const files = given.length > 0 || fromFile ? options.operands : options.operands.slice(1);
  const script = scripts.map(unmarkGlobs).join("\n");
  const found = readSedScript(script);
  const surely =
    found.understood && isKnown(script) && !fromFile && inspect(SED, call.args).surely && !inPlace;
  const judgement = worst(
    surely ? reads() : allow("write", "it may write files"),
    ...files.map(call.read),
    ...found.reads.map(call.read),
    ...found.writes.map((file) => notReadOnly(call.write(file))),
    ...(inPlace ? files.map((file) => call.write(file)) : []),
    ...found.runs.map((text) =>
      worst(
        ask("option.program", "the sed script runs commands"),
        ...(text === "" ? [] : [call.runText(text)]),
      ),
    ),
  );
  // One that is not understood could hold such a command all the same.
  return !found.understood && /(?:^|[^a-zA-Z])e(?:[^a-zA-Z]|$)|[gp\d/]e(?:\s|;|$)/m.test(script)
    ? worst(judgement, ask("option.program", "the sed script may run commands"))
    : judgement;
};

const sort: Judge = (call) => {
  const options = optionsOf(call.args, [
    "o",
    "output",
    "k",
    "t",
    "T",
    "S",
    "compress-program",
    "field-separator",
    "key",
  ]);
  if (call.args.some((arg) => arg.startsWith("--comp"))) {
    const program = options.values.get("compress-program")?.[0];
    return worst(
      program === undefined ? ask("option.program", "it starts a program") : call.run([program]),
      ask("option.program", "an option of it starts a program"),
    );
  }
  return readAll(call, options.operands);
};

const uniq: Judge = (call) => {
  const { operands } = optionsOf(call.args, ["f", "s", "w"]);
  const [input, output] = operands;
  if (output === undefined) return readAll(call, input === undefined ? [] : [input]);
  return worst(call.read(input as string), call.write(output), allow("write", "it writes a file"));
};

const jq: Judge = (call) => {
  const options = optionsOf(call.args, [
    "arg",
    "argjson",
    "f",
    "from-file",
    "slurpfile",
    "rawfile",
    "indent",
  ]);
  const files = options.operands.slice(1);
  if (hasAny(options, "i", "in-place", "inplace"))
    return worst(allow("write", "it edits files"), ...files.map((file) => call.write(file)));
  return readAll(call, files);
};

const printenv: Judge = ({ args }) => {
  const { operands } = optionsOf(args);
  if (operands.length === 0)
    return ask("secrets.environment", "it prints the whole environment, keys included", true);
  return operands.some((name) => /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)/i.test(name))
    ? ask("secrets.environment", "it prints a key", true)
    : reads();
};

const tee: Judge = (call) => {
  const { operands } = optionsOf(call.args);
  for (const file of operands) noteWritten(file, call.scope);
  return worst(
    operands.length === 0 ? reads() : allow("write", "it writes files"),
    ...operands.map((file) => call.write(file)),
  );
};

const date: Judge = ({ args }) => {
  const options = optionsOf(args, ["d", "date", "f", "file", "r", "reference", "rfc-3339"]);
  return hasAny(options, "s", "set") || options.operands.some((operand) => !operand.startsWith("+"))
    ? ask("system", "it sets the clock")
    : reads();
};

const hostname: Judge = ({ args }) =>
  optionsOf(args).operands.length > 0 || args.some((arg) => /^-[Fb]|^--file/.test(arg))
    ? ask("system", "it changes the machine's name")
    : reads();

/** Archives: listing reads, the rest writes. */
const unzip: Judge = (call) => {
  const options = optionsOf(call.args, ["d", "x"]);
  if (hasAny(options, "l", "v", "t", "Z", "p", "z")) return readAll(call, options.operands.slice(0, 1));
  const target = options.values.get("d")?.[0] ?? ".";
  return worst(allow("write", "it unpacks files"), call.write(target));
};

const CONTENT =
  "cat head tail less more tac rev nl od hexdump xxd strings base64 base32 md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum cksum sum cmp comm diff diff3 sdiff colordiff paste join cut fold fmt expand unexpand column tr wc zcat bzcat xzcat zless bat batcat csvlook xmllint nm objdump readelf pr look tsort ptx iconv";
const NAMES =
  "ls dir vdir tree stat file du df free basename dirname realpath readlink pwd whoami id groups logname users who w uname arch nproc lscpu lsblk lsmem lspci lsusb uptime cal ncal seq sleep true false which whereis type jobs help man info apropos whatis history locale tty getconf ps pgrep pidof pstree top htop lsof ss netstat vmstat iostat factor numfmt yes expr times ulimit umask dirs shift return break continue exit tput clear reset stty ldd size getent namei pathchk mktemp-u vdir ipcs dmesg last nohup.out cloc tokei scc";

export const READERS: Readonly<Record<string, Judge>> = {
  ...Object.fromEntries(CONTENT.split(" ").map((name) => [name, content])),
  ...Object.fromEntries(NAMES.split(" ").map((name) => [name, names])),
  grep: search([
    "e",
    "f",
    "m",
    "A",
    "B",
    "C",
    "regexp",
    "file",
    "include",
    "exclude",
    "exclude-dir",
    "max-count",
    "color",
    "d",
    "D",
  ]),
  egrep: search(["e", "f", "m", "A", "B", "C"]),
  fgrep: search(["e", "f", "m", "A", "B", "C"]),
  zgrep: search(["e", "f", "m", "A", "B", "C"]),
  rg: search([
    "e",
    "f",
    "g",
    "t",
    "T",
    "m",
    "A",
    "B",
    "C",
    "regexp",
    "file",
    "glob",
    "type",
    "type-not",
    "max-count",
    "pre",
    "sort",
    "max-depth",
    "d",
    "j",
    "iglob",
    "M",
  ]),
  ag: search(["G", "m", "A", "B", "C", "ignore"]),
  ack: search(["m", "A", "B", "C"]),
  sed,
  gsed: sed,
  sort,
  uniq,
  jq,
  yq: jq,
  printenv,
  tee,
  date,
  hostname,
  unzip,
};
