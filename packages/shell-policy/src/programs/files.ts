import type { Judge } from "../call.js";
import { worst } from "../combine.js";
import { isKnown, showField } from "../field.js";
import { judgeMoveAway, judgeRecursiveRemoval, noteCopied } from "../files.js";
import { hasAny, optionsOf, valuesOf } from "../options.js";
import { absolute, hitsRootSet, isBlockDevice, isBuildOutput, isVital } from "../paths.js";
import { allow, ask, deny, type Judgement } from "../verdict.js";

const WRITES = allow("write", "it changes files of the workspace");

const rm: Judge = (call) => {
  const options = optionsOf(call.args, call.name === "rimraf" ? ["glob"] : []);
  const recursive =
    call.name === "rimraf" || call.name === "del-cli" || hasAny(options, "r", "R", "recursive");
  if (options.operands.length === 0) return ask("remove", "it deletes files");
  const each = (target: string): Judgement => {
    const path = absolute(target, call.scope.cwd);
    if (path !== undefined && isKnown(path)) {
      if (hitsRootSet(path, call.places)) {
        if (recursive || /[\ue001-\ue003]/.test(path))
          return judgeRecursiveRemoval(target, call.scope, call.places);
      }
      if (recursive && isBuildOutput(path, call.places))
        return allow("remove.build", "it deletes what a build makes again");
    }
    return recursive ? judgeRecursiveRemoval(target, call.scope, call.places) : call.write(target, "remove");
  };
  const [first, ...rest] = options.operands.map(each);
  return { ...worst(first as Judgement, ...rest), readOnly: false };
};

const unlink: Judge = (call) =>
  worst(
    ask("remove", "it deletes files"),
    ...optionsOf(call.args).operands.map((target) => call.write(target, "remove")),
  );

const shred: Judge = (call) =>
  worst(
    ask("remove", "it destroys what is in files"),
    ...optionsOf(call.args, ["n", "s", "iterations", "size", "random-source"]).operands.map((target) =>
      call.write(target, "remove"),
    ),
  );

const mv: Judge = (call) => {
  const options = optionsOf(call.args, ["t", "target-directory", "S", "suffix"]);
  const into = valuesOf(options, "t", "target-directory")[0];
  const sources = into === undefined ? options.operands.slice(0, -1) : options.operands;
  const target = into ?? options.operands.at(-1);
  if (target === undefined) return WRITES;
  noteCopied(sources, target, call.scope);
  return worst(
    WRITES,
    ...sources.map((source) => judgeMoveAway(source, target, call.scope, call.places)),
    ...(target === "/dev/null"
      ? [ask("remove", "it moves files to where they are lost")]
      : [call.write(target)]),
    ...sources.map((source) => call.read(source)).filter(({ verdict }) => verdict !== "allow"),
  );
};

const cp: Judge = (call) => {
  const options = optionsOf(call.args, [
    "t",
    "target-directory",
    "S",
    "suffix",
    "m",
    "o",
    "g",
    "mode",
    "owner",
    "group",
  ]);
  const into = valuesOf(options, "t", "target-directory")[0];
  if (call.name === "install" && hasAny(options, "d", "directory"))
    return worst(WRITES, ...options.operands.map((each) => call.write(each)));
  const sources = into === undefined ? options.operands.slice(0, -1) : options.operands;
  const target = into ?? options.operands.at(-1);
  if (target !== undefined) noteCopied(sources, target, call.scope);
  const empties = sources.length === 1 && sources[0] === "/dev/null";
  return worst(
    WRITES,
    ...(target === undefined ? [] : [call.write(target, empties ? "empty" : "write")]),
    ...sources.map((source) => call.read(source)),
    ...(call.name === "install" && hasAny(options, "o", "owner")
      ? [ask("owner", "it changes who owns files")]
      : []),
  );
};

const ln: Judge = (call) => {
  const options = optionsOf(call.args, ["t", "target-directory", "S"]);
  const { operands } = options;
  const target =
    valuesOf(options, "t", "target-directory")[0] ?? (operands.length > 1 ? operands.at(-1) : ".");
  noteCopied(operands, target ?? ".", call.scope);
  return worst(WRITES, call.write(target ?? "."));
};

/** Makes files or directories, or changes their times. */
const make: Judge = (call) =>
  worst(
    WRITES,
    ...optionsOf(call.args, ["m", "mode", "d", "t", "r", "p-", "Z"]).operands.map((target) =>
      call.write(target),
    ),
  );

const rmdir: Judge = (call) =>
  worst(
    allow("rmdir", "it removes empty directories"),
    ...optionsOf(call.args).operands.map((target) => call.write(target)),
  );

const mktemp: Judge = (call) =>
  worst(
    WRITES,
    ...optionsOf(call.args, ["p", "suffix", "tmpdir"]).operands.map((target) =>
      target.startsWith("/") ? call.write(target) : WRITES,
    ),
  );

const chmod: Judge = (call) => {
  const options = optionsOf(
    call.args.filter((arg) => !/^[-+=][rwxXst]+$/.test(arg)),
    ["reference"],
  );
  const owner = call.name !== "chmod";
  const recursive = hasAny(options, "R", "recursive");
  const symbolic = call.args.some((arg) => /^[-+=][rwxXst]+$/.test(arg));
  const mode = symbolic ? call.args.find((arg) => /^[-+=][rwxXst]+$/.test(arg)) : options.operands[0];
  const targets = symbolic || hasAny(options, "reference") ? options.operands : options.operands.slice(1);
  const judged = targets.map((target) => {
    const path = absolute(target, call.scope.cwd);
    if (path !== undefined && isKnown(path)) {
      if (recursive && hitsRootSet(path, call.places))
        return deny("mode.root", `it changes who may do what on ${showField(target)}, all of it`);
      if (isVital(path) && (owner || /7|6[0-7]{2}$|[2367]$|o\+|a\+/.test(mode ?? "")))
        return ask("mode", `it changes who may use ${showField(target)}`);
    }
    return call.write(target);
  });
  const base = owner
    ? ask("owner", "it changes who owns files")
    : recursive
      ? ask("mode.recursive", "it changes the rights of everything below")
      : /^[0-7]*[4-7][0-7]{3}$|[ug]?\+[rwx]*s/.test(mode ?? "")
        ? ask("mode.setuid", "it lets a program run with another's rights")
        : allow("mode", "it changes the rights of named files");
  return worst(base, ...judged);
};

const dd: Judge = (call) => {
  const value = (name: string): string | undefined =>
    call.args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1);
  const output = value("of");
  const input = value("if");
  return worst(
    allow("write", "it copies bytes"),
    ...(output === undefined ? [] : [call.write(output)]),
    ...(input === undefined
      ? []
      : isBlockDevice(absolute(input, call.scope.cwd) ?? "")
        ? [ask("device", "it reads a disk")]
        : [call.read(input)]),
  );
};

const truncate: Judge = (call) => {
  const { operands } = optionsOf(call.args, ["s", "size", "r", "reference"]);
  return worst(ask("empty", "it cuts files"), ...operands.map((target) => call.write(target, "empty")));
};

const tar: Judge = (call) => {
  const [first = "", ...rest] = call.args;
  const old = !first.startsWith("-");
  const args = old ? [`-${first}`, ...rest] : call.args;
  const options = optionsOf(args, [
    "f",
    "C",
    "file",
    "directory",
    "T",
    "X",
    "I",
    "use-compress-program",
    "checkpoint-action",
    "to-command",
    "exclude",
    "F",
    "info-script",
    "rsh-command",
    "transform",
    "strip-components",
  ]);
  const programs = valuesOf(
    options,
    "checkpoint-action",
    "to-command",
    "I",
    "use-compress-program",
    "F",
    "info-script",
    "rsh-command",
  );
  if (programs.some((program) => !/^(?:gzip|bzip2|xz|zstd|pigz|lz4|pxz|zstdmt)(?:\s|$)/.test(program))) {
    const inner = programs.map((program) => call.runText(program.replace(/^exec=/, "")));
    return worst(ask("option.program", "an option of it starts a program"), ...inner);
  }
  if (
    args.some(
      (arg) =>
        /^--(?:use-c|to-c|checkpoint-a|info-|rsh|new-v)/.test(arg) &&
        !arg.startsWith("--use-compress-program"),
    )
  )
    return ask("option.program", "an option of it starts a program");
  const directory = options.values.get("C")?.[0] ?? options.values.get("directory")?.[0];
  // An archive of another machine's is fetched by a program.
  const isLocal = !valuesOf(options, "f", "file").some((file) => file.includes(":"));
  if (hasAny(options, "t", "list")) return { ...allow("read", "it lists an archive"), readOnly: isLocal };
  if (hasAny(options, "x", "extract", "get")) {
    const absoluteNames = hasAny(options, "P", "absolute-names")
      ? [ask("outside", "it may write anywhere")]
      : [];
    return worst(WRITES, ...(directory === undefined ? [] : [call.write(directory)]), ...absoluteNames);
  }
  const archive = options.values.get("f")?.[0] ?? options.values.get("file")?.[0];
  const removes = hasAny(options, "remove-files") ? [ask("remove", "it deletes what it packs")] : [];
  return worst(
    WRITES,
    ...(archive === undefined || archive === "-" ? [] : [call.write(archive)]),
    ...options.operands.map(call.read),
    ...removes,
  );
};

const compress: Judge = (call) => {
  const options = optionsOf(call.args, ["S", "suffix", "o"]);
  if (hasAny(options, "l", "list", "t", "test", "c", "stdout"))
    return { ...allow("read", "it reads"), readOnly: !hasAny(options, "o") };
  return worst(WRITES, ...options.operands.map((target) => call.write(target)));
};

const zip: Judge = (call) => {
  const { operands } = optionsOf(call.args, ["x", "i", "b"]);
  return worst(
    WRITES,
    ...(operands[0] === undefined ? [] : [call.write(operands[0])]),
    ...operands.slice(1).map(call.read),
  );
};

const rsync: Judge = (call) => {
  const options = optionsOf(call.args, [
    "e",
    "rsh",
    "exclude",
    "include",
    "f",
    "filter",
    "rsync-path",
    "files-from",
  ]);
  const target = options.operands.at(-1) ?? "";
  const remote = options.operands.some((each) => /^[^/]*:/.test(each));
  const removes = call.args.some((arg) => arg.startsWith("--delete") || arg === "--remove-source-files");
  const path = absolute(target, call.scope.cwd);
  if (removes && path !== undefined && isKnown(path) && hitsRootSet(path, call.places))
    return deny("remove.root", `it deletes from ${showField(target)} what is not at the source`);
  const base =
    hasAny(options, "n", "dry-run") && !remote
      ? allow("dry-run", "it only says what it would do")
      : remote
        ? ask("network", "it copies to or from another machine")
        : removes
          ? ask("remove", "it deletes at the target what is not at the source")
          : WRITES;
  const shells = valuesOf(options, "e", "rsh").map((program) => call.runText(program));
  return worst(
    base,
    ...(remote ? [] : [call.write(target)]),
    ...shells.filter(({ verdict }) => verdict === "deny"),
  );
};

const patch: Judge = (call) =>
  worst(
    WRITES,
    ...optionsOf(call.args, ["p", "i", "d", "o"])
      .operands.slice(0, 1)
      .map((target) => call.write(target)),
  );

/** Formatting and partitioning. */
const format: Judge = (call) => {
  const { operands } = optionsOf(call.args, ["t", "L", "U", "b", "m", "F-", "n", "a-"]);
  const targets = [...operands, ...call.args.filter((arg) => arg.startsWith("/dev/"))];
  const device = targets.find((target) => isBlockDevice(absolute(target, call.scope.cwd) ?? ""));
  if (device !== undefined) return deny("device", `it formats or partitions ${showField(device)}`);
  return ask("device", "it makes a file system or changes partitions");
};

const vipw: Judge = () => deny("vital", "it changes who may log in");

export const FILES: Readonly<Record<string, Judge>> = {
  rm,
  rimraf: rm,
  "del-cli": rm,
  unlink,
  shred,
  srm: shred,
  wipe: shred,
  mv,
  cp,
  install: cp,
  ln,
  link: ln,
  mkdir: make,
  touch: make,
  mkfifo: make,
  rmdir,
  mktemp,
  chmod,
  chown: chmod,
  chgrp: chmod,
  chattr: chmod,
  setfacl: chmod,
  dd,
  truncate,
  fallocate: truncate,
  tar,
  bsdtar: tar,
  gtar: tar,
  gzip: compress,
  gunzip: compress,
  bzip2: compress,
  bunzip2: compress,
  xz: compress,
  unxz: compress,
  zstd: compress,
  zip,
  rsync,
  patch,
  split: make,
  csplit: make,
  ...Object.fromEntries(
    "mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.f2fs mke2fs mkswap mkdosfs wipefs sgdisk gdisk fdisk sfdisk cfdisk parted cryptsetup pvcreate pvremove vgremove lvremove zpool mdadm badblocks hdparm"
      .split(" ")
      .map((name) => [name, format]),
  ),
  blkdiscard: format,
  vipw,
  visudo: vipw,
  vigr: vipw,
};
