import type { Call, Judge } from "../call.js";
import { atMostAsk, notReadOnly, worst } from "../combine.js";
import { absolute, isBelow } from "../paths.js";
import { isKnown } from "../field.js";
import { allow, ask, type Judgement } from "../verdict.js";

const VALUED =
  /^(?:-[efhlmpuvw]|--(?:env|env-file|name|volume|mount|publish|workdir|user|network|entrypoint|label|hostname|memory|cpus|platform|restart|add-host|index|scale|file|project-name|profile|project-directory|cap-add|device|security-opt|pid|ipc|tmpfs|gpus|context|log-level|host|config))$/;

const ELSEWHERE = (inner: Judgement): Judgement => atMostAsk(inner, "container", "it runs in a container");

/** Options of a container that let it out. */
const escapes = (call: Call, args: readonly string[]): Judgement[] => {
  const judged: Judgement[] = [];
  for (const [at, arg] of args.entries()) {
    const value = arg.includes("=") ? arg.slice(arg.indexOf("=") + 1) : (args[at + 1] ?? "");
    if (arg === "--privileged" || arg.startsWith("--privileged="))
      judged.push(ask("container.privileged", "the container may do everything on this machine"));
    if (
      /^--(?:pid|ipc|network|net|userns|uts|cgroupns)(?:=|$)/.test(arg) &&
      value === "host" &&
      !/^--(?:network|net)/.test(arg)
    )
      judged.push(ask("container.privileged", "the container shares this machine's processes"));
    if (/^--(?:cap-add|device|security-opt)(?:=|$)/.test(arg))
      judged.push(ask("container.privileged", "the container gets rights on this machine"));
    if (/^(?:-v|--volume|--mount)(?:=|$)/.test(arg) || /^-v./.test(arg)) {
      const spec = /^-v./.test(arg) && !arg.includes("=") ? arg.slice(2) : value;
      const source = /(?:^|,)(?:source|src)=([^,]+)/.exec(spec)?.[1] ?? spec.split(":")[0] ?? "";
      const path = /^[./~]/.test(source) ? absolute(source, call.scope.cwd) : undefined;
      if (
        path !== undefined &&
        isKnown(path) &&
        (path.endsWith(".sock") || !isBelow(path, call.places.workspace)) &&
        !isBelow(path, "/tmp")
      )
        judged.push(ask("container.mount", "the container sees files from outside the workspace"));
      if (path === "/" || source === "/")
        judged.push(ask("container.mount", "the container sees the whole machine"));
    }
  }
  return judged;
};

/** What follows the options and the image, or the name of the service. */
const commandOf = (args: readonly string[]): readonly string[] => {
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (!arg.startsWith("-")) break;
    if (VALUED.test(arg)) at += 1;
  }
  return args.slice(at + 1);
};

const inside = (call: Call, args: readonly string[], running: boolean): Judgement => {
  const command = commandOf(args);
  const base = allow("container", "it runs in a container");
  const inner = command.length === 0 ? [] : [ELSEWHERE(call.run(command, call.stdin))];
  // An image brings programs that are not known here, and does no harm with them.
  const judged = inner.map((each) => (each.rule === "unknown" && !running ? base : each));
  return notReadOnly(worst(base, ...escapes(call, args), ...judged));
};

const compose = (call: Call, args: readonly string[]): Judgement => {
  let at = 0;
  while (at < args.length && (args[at] as string).startsWith("-"))
    at += VALUED.test(args[at] as string) ? 2 : 1;
  const action = args[at] ?? "";
  const rest = args.slice(at + 1);
  if (action === "exec" || action === "run") return inside(call, rest, true);
  if (action === "down" && rest.some((arg) => /^-[a-z]*v|^--volumes$|^--rmi/.test(arg)))
    return ask("container.remove", "it deletes volumes or images");
  if (action === "rm" || action === "kill") return ask("container.remove", "it removes containers");
  if (action === "push") return ask("publish", "it pushes images");
  return allow("container", "it builds, starts, stops or looks at containers");
};

const docker: Judge = (call) => {
  const { args } = call;
  let at = 0;
  while (at < args.length && (args[at] as string).startsWith("-"))
    at += VALUED.test(args[at] as string) ? 2 : 1;
  const [action = "", ...rest] = args.slice(at);
  const sub = rest.find((arg) => !arg.startsWith("-")) ?? "";
  switch (action) {
    case "compose":
      return compose(call, rest);
    case "run":
    case "create":
      return inside(call, rest, false);
    case "exec":
      return inside(call, rest, true);
    case "push":
    case "login":
    case "logout":
      return ask("publish", "it changes a registry or who one is there");
    case "rm":
    case "rmi":
    case "kill":
      return ask("container.remove", "it removes containers or images");
    case "system":
    case "volume":
    case "image":
    case "container":
    case "network":
    case "builder":
    case "buildx":
      if (/^(?:prune|rm|remove|kill)$/.test(sub))
        return ask("container.remove", "it removes what containers keep");
      if (sub === "push" || (action === "buildx" && rest.includes("--push")))
        return ask("publish", "it pushes images");
      if (action === "container" && (sub === "run" || sub === "exec"))
        return inside(call, rest.slice(rest.indexOf(sub) + 1), sub === "exec");
      return allow("container", "it builds or looks at containers");
    case "cp":
      return worst(
        allow("container", "it copies to or from a container"),
        ...rest
          .filter((arg) => !arg.includes(":") && !arg.startsWith("-"))
          .slice(-1)
          .map((file) => call.write(file)),
      );
    case "swarm":
    case "service":
    case "stack":
    case "secret":
    case "node":
    case "context":
    case "plugin":
      return /^(?:ls|ps|inspect|logs|list|show)$/.test(sub)
        ? allow("container", "it looks at containers")
        : ask("remote.infrastructure", "it changes a cluster");
    default:
      if (action === "build" && rest.includes("--push")) return ask("publish", "it pushes images");
      return allow("container", "it builds, starts, stops or looks at containers");
  }
};

const dockerCompose: Judge = (call) => compose(call, call.args);

export const CONTAINERS: Readonly<Record<string, Judge>> = {
  docker,
  podman: docker,
  nerdctl: docker,
  buildah: docker,
  "docker-compose": dockerCompose,
  "podman-compose": dockerCompose,
  vagrant: ({ args }) =>
    /^(?:status|ssh-config|validate|version)$/.test(args[0] ?? "")
      ? allow("container", "it looks")
      : ask("remote.infrastructure", "it changes a virtual machine"),
  minikube: () => ask("remote.infrastructure", "it changes a cluster"),
  kind: () => ask("remote.infrastructure", "it changes a cluster"),
};
