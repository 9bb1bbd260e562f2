import type { Judge } from "../call.js";
import { worst } from "../combine.js";
import { hasAny, optionsOf } from "../options.js";
import { absolute } from "../paths.js";
import { allow, ask, deny, reads } from "../verdict.js";

const OFF = deny("power", "it turns the machine off or starts it anew");

const systemctl: Judge = ({ args }) => {
  const words = args.filter((arg) => !arg.startsWith("-"));
  const [action = "list-units"] = words;
  if (/^(?:poweroff|reboot|halt|kexec|rescue|emergency|soft-reboot|suspend|hibernate)$/.test(action))
    return /^(?:suspend|hibernate)$/.test(action) ? ask("power", "it puts the machine to sleep") : OFF;
  if (
    action === "isolate" &&
    words.some((word) => /^(?:poweroff|reboot|halt|rescue|emergency)\.target$/.test(word))
  )
    return OFF;
  if (/^(?:status|show|cat|list-\S+|is-\S+|get-default|help|show-environment)$/.test(action))
    return action === "show-environment"
      ? ask("secrets.environment", "it prints the environment", true)
      : reads();
  return ask("services", "it changes services");
};

const init: Judge = ({ args }) =>
  args.some((arg) => /^[06]$/.test(arg)) ? OFF : ask("services", "it changes what runs on the machine");

const service: Judge = ({ args }) =>
  args[1] === "status" || args.includes("--status-all") ? reads() : ask("services", "it changes services");

const killall: Judge = ({ args }) =>
  hasAny(optionsOf(args), "l", "list") ? reads() : ask("processes", "it ends processes");

const mount: Judge = (call) => {
  const { operands, flags } = optionsOf(call.args, ["t", "o", "types", "options", "L", "U"]);
  if (call.name === "mount" && operands.length === 0 && !flags.has("a")) return reads();
  const hitsRoot = operands.some((target) => absolute(target, call.scope.cwd) === "/");
  const remounts = call.name === "umount" || call.args.some((arg) => arg.includes("remount"));
  return hitsRoot && remounts
    ? deny("mount.root", "it takes the root of the system away")
    : ask("mount", "it changes what is mounted");
};

const crontab: Judge = ({ args }) =>
  hasAny(optionsOf(args, ["u"]), "l") ? reads() : ask("later", "it changes what runs later");

const user: Judge = () => ask("users", "it changes who may log in");

const sysctl: Judge = ({ args }) =>
  args.some((arg) => arg === "-w" || arg.includes("=") || arg === "-p")
    ? ask("system", "it changes settings of the kernel")
    : reads();

const IP_OPTION =
  /^-(?:[46]|br|brief|c|color|d|details|h|human|j|json|o|oneline|p|pretty|r|resolve|s|stats|statistics|t)$/;

const ip: Judge = ({ args }) => {
  const words = args.filter((arg) => !arg.startsWith("-"));
  const plain = args.every((arg) => !arg.startsWith("-") || IP_OPTION.test(arg));
  if (plain && (words.length < 2 || /^(?:show|list|ls|get)$/.test(words[1] ?? ""))) return reads();
  return words.some((word) => /^(?:add|del|delete|set|flush|change|replace|append|up|down|exec)$/.test(word))
    ? ask("network.settings", "it changes the network's settings")
    : allow("network.settings", "it may change the network's settings");
};

const change: Judge = () => ask("system", "it changes settings of the machine");

const fuser: Judge = ({ args }) =>
  args.some((arg) => /^-[a-zA-Z]*k/.test(arg)) ? ask("processes", "it ends processes") : reads();

const journalctl: Judge = ({ args }) =>
  args.some((arg) => /^--(?:vacuum|rotate|flush)/.test(arg)) ? ask("system", "it deletes logs") : reads();

const swap: Judge = () => ask("system", "it changes the machine's memory");

const tmux: Judge = (call) => {
  const text = call.args.at(-1);
  if (/^(?:ls|list-\S+|capture-pane|show-\S+|has-session|has|display-message)$/.test(call.args[0] ?? ""))
    return allow("process", "it looks at terminals");
  if (
    /^(?:new|new-session|neww|new-window|splitw|split-window|send-keys|send|run|run-shell|respawn-pane)$/.test(
      call.args[0] ?? "",
    ) &&
    text !== undefined &&
    /\s/.test(text)
  )
    return worst(allow("process", "it starts a process"), call.runText(text));
  return (call.args[0] ?? "").startsWith("kill")
    ? ask("processes", "it ends processes")
    : allow("process", "it starts or arranges terminals");
};

const EDITORS: Judge = (call) => {
  const commands = call.args.flatMap((arg, at) =>
    arg === "-c" || arg === "--cmd" || arg === "-S"
      ? [call.args[at + 1] ?? ""]
      : arg.startsWith("+")
        ? [arg.slice(1)]
        : [],
  );
  const shells = commands.flatMap((command) => /^:?!([^]*)$/.exec(command.trim())?.[1] ?? []);
  if (
    commands.some((command) => /(?:^|\|)\s*:?(?:!|call\s+system|terminal|py|lua|perl|ruby)/.test(command)) ||
    /system\(/.test(commands.join(" "))
  )
    return worst(ask("option.program", "it starts a program"), ...shells.map((text) => call.runText(text)));
  return allow("write", "it opens an editor");
};

const DATABASE_HARM =
  /\b(?:drop|truncate|delete\s+from|alter\s+table\s+\S+\s+drop|flushall|flushdb|shutdown|dropdatabase|deletemany|remove\s*\(|drop\s*\(|update\s+\S+\s+set|grant|revoke|reset\s+master)\b/i;

/** Clients of databases, by the text that they are given. */
const database: Judge = (call) => {
  const texts = [...call.args, ...(typeof call.stdin === "object" ? [call.stdin.text] : [])];
  if (texts.some((text) => /(?:^|[;\n])\s*(?:\\!|\.(?:shell|system)\b|system\b)/.test(text)))
    return ask("option.program", "it starts a program");
  if (texts.some((text) => DATABASE_HARM.test(text))) return ask("database", "it deletes or changes data");
  if (/^(?:dropdb|dropuser|createuser|mysqladmin|pg_restore|mongorestore)$/.test(call.name))
    return ask("database", "it changes a database");
  return allow("database.use", "it uses a database");
};

const redis: Judge = (call) => {
  const text = call.args.join(" ");
  return /\b(?:flushall|flushdb|del|unlink|shutdown|config\s+set|debug|script\s+flush|rename|eval|replicaof|slaveof|migrate)\b/i.test(
    text,
  )
    ? ask("database", "it deletes or changes data")
    : allow("database.use", "it uses a database");
};

const open: Judge = () => allow("process", "it opens something for the user");

const clipboard: Judge = () => allow("process", "it uses the clipboard");

export const SYSTEM: Readonly<Record<string, Judge>> = {
  shutdown: () => OFF,
  reboot: () => OFF,
  halt: () => OFF,
  poweroff: () => OFF,
  init,
  telinit: init,
  systemctl,
  service,
  "rc-service": service,
  launchctl: service,
  killall5: () => deny("power", "it ends every process"),
  killall,
  pkill: killall,
  skill: killall,
  xkill: killall,
  taskkill: killall,
  fuser,
  mount,
  umount: mount,
  losetup: change,
  crontab,
  userdel: () => deny("users", "it removes an account"),
  deluser: () => deny("users", "it removes an account"),
  useradd: user,
  adduser: user,
  usermod: user,
  groupadd: user,
  groupdel: user,
  groupmod: user,
  passwd: user,
  chpasswd: user,
  chsh: user,
  gpasswd: user,
  sysctl,
  ip,
  ifconfig: (call) =>
    call.args.length > 1 ? ask("network.settings", "it changes the network's settings") : reads(),
  iptables: change,
  ip6tables: change,
  nft: change,
  ufw: change,
  firewallctl: change,
  "firewall-cmd": change,
  route: change,
  setenforce: change,
  setcap: change,
  modprobe: change,
  insmod: change,
  rmmod: change,
  kexec: () => OFF,
  timedatectl: change,
  hostnamectl: change,
  localectl: change,
  loginctl: change,
  "update-alternatives": change,
  ldconfig: change,
  depmod: change,
  grub: change,
  "grub-install": change,
  "update-grub": change,
  efibootmgr: change,
  defaults: change,
  csrutil: change,
  diskutil: change,
  launchd: change,
  scutil: change,
  networksetup: change,
  spctl: change,
  dscl: change,
  reg: change,
  schtasks: change,
  netsh: change,
  sc: change,
  bcdedit: change,
  format: change,
  diskpart: change,
  swapoff: swap,
  swapon: swap,
  sync: () => reads(),
  renice: () => ask("processes", "it changes how processes run"),
  journalctl,
  logger: () => allow("write", "it writes to the system's log"),
  chroot: () => ask("foreign.root", "it runs in another system"),
  unshare: () => ask("foreign.root", "it runs in another system"),
  nsenter: () => ask("foreign.root", "it runs in another system"),
  bwrap: () => ask("foreign.root", "it runs in another system"),
  tmux,
  screen: tmux,
  vim: EDITORS,
  vi: EDITORS,
  nvim: EDITORS,
  emacs: EDITORS,
  nano: EDITORS,
  ed: EDITORS,
  ex: EDITORS,
  code: () => allow("process", "it opens an editor"),
  subl: () => allow("process", "it opens an editor"),
  open,
  "xdg-open": open,
  pbcopy: clipboard,
  pbpaste: clipboard,
  xclip: clipboard,
  "wl-copy": clipboard,
  osascript: () => ask("foreign.shell", "it runs a script that is not looked into"),
  "notify-send": open,
  say: open,
  psql: database,
  mysql: database,
  mariadb: database,
  sqlite3: database,
  sqlite: database,
  duckdb: database,
  mongo: database,
  mongosh: database,
  sqlcmd: database,
  clickhouse: database,
  "clickhouse-client": database,
  cqlsh: database,
  dropdb: database,
  dropuser: database,
  createdb: database,
  createuser: database,
  pg_dump: database,
  pg_dumpall: database,
  pg_restore: database,
  mysqldump: database,
  mysqladmin: database,
  mongodump: database,
  mongorestore: database,
  "redis-cli": redis,
  etcdctl: redis,
  influx: database,
  gpg: () => allow("process", "it signs, checks or encrypts"),
  pass: () => ask("secrets.read", "it shows a key", true),
  op: () => ask("secrets.read", "it shows a key", true),
  vault: () => ask("secrets.read", "it shows or changes keys"),
  security: () => ask("secrets.read", "it shows or changes keys"),
  "secret-tool": () => ask("secrets.read", "it shows or changes keys"),
  sops: () => ask("secrets.read", "it shows or changes keys"),
  age: () => allow("process", "it encrypts"),
};
