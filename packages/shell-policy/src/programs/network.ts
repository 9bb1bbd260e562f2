import type { Call, Judge } from "../call.js";
import { worst } from "../combine.js";
import { noteWritten } from "../files.js";
import { hasAny, optionsOf, valuesOf } from "../options.js";
import { allow, ask, reads, type Judgement } from "../verdict.js";

const LOOPBACK =
  /^(?:[a-z]+:\/\/)?(?:[^@/]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|host\.docker\.internal)(?:[:/?#]|$)/i;

const isLocal = (url: string): boolean => LOOPBACK.test(url);

interface Downloads {
  readonly names: readonly string[];
  /** Those that are kept under the name that they end with. */
  readonly urls: readonly string[];
  /** Where they go, when that is not the working directory. */
  readonly directories: readonly string[];
}

/** What was downloaded is foreign when the same text runs it. */
const noteDownloads = (call: Call, { names, urls, directories }: Downloads): void => {
  const ends = urls
    .map((url) => url.slice(url.lastIndexOf("/") + 1))
    // curl leaves the query out of the name, wget does not.
    .flatMap((end) => [end, end.replace(/[?#].*$/, "")])
    .filter((end) => end !== "");
  for (const name of [...names, ...ends]) {
    noteWritten(name, call.scope);
    for (const directory of directories) noteWritten(`${directory}/${name}`, call.scope);
  }
};

const CURL_VALUES =
  "o output d data data-raw data-binary data-urlencode data-ascii json F form form-string T upload-file X request H header u user b cookie c cookie-jar A user-agent e referer K config x proxy m max-time connect-timeout retry retry-delay w write-out E cert key cacert resolve r range D dump-header url output-dir interface C limit-rate".split(
    " ",
  );

const curl: Judge = (call) => {
  const options = optionsOf(call.args, CURL_VALUES);
  const urls = [...options.operands, ...(options.values.get("url") ?? [])];
  const sends = [
    "d",
    "data",
    "data-raw",
    "data-binary",
    "data-urlencode",
    "data-ascii",
    "json",
    "F",
    "form",
    "form-string",
    "T",
    "upload-file",
  ];
  const method = valuesOf(options, "X", "request")[0]?.toUpperCase();
  const body = hasAny(options, ...sends) && !hasAny(options, "G", "get");
  const local = urls.length > 0 && urls.every(isLocal);
  const files = valuesOf(options, ...sends).flatMap((value) => {
    const match = /(?:^|=)[@<]([^;]+)/.exec(value);
    return match && match[1] !== "-" ? [match[1] as string] : [];
  });
  const uploads = [...files, ...valuesOf(options, "T", "upload-file")]
    .map((file) => call.read(file))
    .filter(({ verdict }) => verdict !== "allow");
  const outputs = [...valuesOf(options, "o", "output", "c", "cookie-jar", "D", "dump-header")]
    .filter((file) => file !== "-")
    .map((file) => call.write(file));
  const directory = valuesOf(options, "output-dir").map((file) => call.write(file));
  noteDownloads(call, {
    names: valuesOf(options, "o", "output"),
    urls: hasAny(options, "O", "remote-name", "remote-name-all") ? urls : [],
    directories: valuesOf(options, "output-dir"),
  });
  const changes = body || (method !== undefined && !/^(?:GET|HEAD|OPTIONS)$/.test(method));
  const base =
    changes && !local
      ? ask("network.send", "it sends data to another machine")
      : allow("network.read", "it gets something over the network");
  const config = hasAny(options, "K", "config")
    ? [ask("option.program", "its options come from a file")]
    : [];
  return worst(base, ...outputs, ...directory, ...uploads, ...config);
};

const wget: Judge = (call) => {
  const options = optionsOf(call.args, [
    "O",
    "output-document",
    "P",
    "directory-prefix",
    "o",
    "a",
    "U",
    "header",
    "post-data",
    "post-file",
    "body-data",
    "body-file",
    "method",
    "i",
    "e",
    "execute",
    "use-askpass",
    "t",
    "T",
  ]);
  const method = valuesOf(options, "method")[0]?.toUpperCase();
  const local = options.operands.length > 0 && options.operands.every(isLocal);
  const sends =
    hasAny(options, "post-data", "post-file", "body-data", "body-file") ||
    (method !== undefined && method !== "GET" && method !== "HEAD");
  const outputs = valuesOf(options, "O", "output-document", "P", "directory-prefix", "o")
    .filter((file) => file !== "-")
    .map((file) => call.write(file));
  noteDownloads(call, {
    names: valuesOf(options, "O", "output-document"),
    urls: options.operands,
    directories: valuesOf(options, "P", "directory-prefix"),
  });
  const files = valuesOf(options, "post-file", "body-file").map((file) => call.read(file));
  return worst(
    sends && !local
      ? ask("network.send", "it sends data to another machine")
      : allow("network.read", "it gets something over the network"),
    ...outputs,
    ...files,
    ...(hasAny(options, "e", "execute", "use-askpass")
      ? [ask("option.program", "an option of it starts a program")]
      : []),
  );
};

const http: Judge = (call) => {
  const [first = "", ...rest] = optionsOf(call.args, [
    "a",
    "auth",
    "o",
    "output",
    "session",
    "timeout",
  ]).operands;
  const method = /^[A-Z]+$/.test(first)
    ? first
    : rest.some((arg) => /[:=@]/.test(arg) && /[^:]=|@/.test(arg))
      ? "POST"
      : "GET";
  const url = /^[A-Z]+$/.test(first) ? (rest[0] ?? "") : first;
  return method === "GET" || method === "HEAD" || isLocal(url) || url.startsWith(":")
    ? allow("network.read", "it gets something over the network")
    : ask("network.send", "it sends data to another machine");
};

const send: Judge = () => ask("network.send", "it talks to another machine");

const scp: Judge = () => ask("network.send", "it copies to or from another machine");

const openssl: Judge = (call) => {
  const [action = ""] = call.args;
  if (action === "s_client" || action === "s_server") return ask("network", "it opens a connection");
  const output = call.args[call.args.indexOf("-out") + 1];
  const input = call.args.includes("-in") ? call.args[call.args.indexOf("-in") + 1] : undefined;
  return worst(
    call.args.includes("-out") ? allow("write", "it writes a file") : reads(),
    ...(call.args.includes("-out") && output !== undefined ? [call.write(output)] : []),
    ...(input === undefined ? [] : [call.read(input)]),
  );
};

const gh: Judge = (call) => {
  const options = optionsOf(call.args, [
    "X",
    "method",
    "f",
    "F",
    "field",
    "raw-field",
    "input",
    "H",
    "header",
    "q",
    "jq",
    "t",
    "template",
    "R",
    "repo",
    "L",
    "limit",
    "s",
    "state",
    "json",
    "b",
    "body",
    "title",
    "B",
    "base",
  ]);
  const [group = "", action = ""] = options.operands;
  if (group === "auth")
    return action === "token" || hasAny(options, "t", "show-token")
      ? ask("secrets.read", "it prints a key", true)
      : action === "status"
        ? allow("network.read", "it asks the service")
        : ask("network.send", "it changes who one is there");
  if (group === "api") {
    const method = valuesOf(options, "X", "method")[0]?.toUpperCase();
    const fields = hasAny(options, "f", "F", "field", "raw-field", "input");
    return (method ?? (fields ? "POST" : "GET")) === "GET"
      ? allow("network.read", "it asks the service")
      : ask("network.send", "it changes something at the service");
  }
  if (
    /^(?:list|view|status|diff|checks|checkout|browse|watch|download|clone|search|verify|get|ls)$/.test(
      action,
    ) ||
    /^(?:status|search|browse|help|completion|version)$/.test(group)
  )
    return allow("network.read", "it asks the service");
  return ask("network.send", "it changes something at the service");
};

/** Clients of clouds and of clusters: reading verbs, and all others. */
const cloud =
  (readsOnly: RegExp): Judge =>
  ({ args }) => {
    const words = args.filter((arg) => !arg.startsWith("-"));
    return words.some((word) => readsOnly.test(word)) &&
      !words.some((word) =>
        /^(?:delete|remove|rm|create|update|put|apply|set|terminate|destroy|deploy|exec|attach|cp|mv|sync|mb|rb|patch|edit|scale|drain|cordon|rollout|run|start|stop|invoke|import|push|upload|publish|send|login|set-\w+|add-\w+)(?:-|$)/.test(
          word,
        ),
      )
      ? allow("network.read", "it asks the service")
      : ask("remote.infrastructure", "it changes something at the service");
  };

const CLOUD_READS =
  /^(?:get|list|describe|ls|show|view|logs|status|info|explain|version|top|diff|whoami|get-\w[\w-]*|list-\w[\w-]*|describe-\w[\w-]*|head-\w[\w-]*|config|current-context|get-caller-identity|api-resources|cluster-info|template|lint|history|search|tail|inspect|help)$/;

const lookup = (_call: Call): Judgement => allow("network.read", "it asks the network");

export const NETWORK: Readonly<Record<string, Judge>> = {
  curl,
  wget,
  http,
  https: http,
  xh: http,
  nc: send,
  ncat: send,
  netcat: send,
  socat: send,
  telnet: send,
  ftp: send,
  sftp: scp,
  scp,
  ssmtp: send,
  mail: send,
  sendmail: send,
  mutt: send,
  rclone: cloud(/^(?:ls|lsd|lsl|lsf|size|check|about|version|tree|cat)$/),
  "ssh-copy-id": send,
  "ssh-add": () => ask("secrets.read", "it hands on keys"),
  "ssh-agent": () => allow("process", "it starts an agent for keys"),
  "ssh-keygen": () => allow("write", "it makes keys"),
  "ssh-keyscan": lookup,
  ping: lookup,
  ping6: lookup,
  traceroute: lookup,
  tracepath: lookup,
  mtr: lookup,
  dig: lookup,
  nslookup: lookup,
  host: lookup,
  whois: lookup,
  nmap: send,
  openssl,
  gh,
  glab: gh,
  hub: gh,
  aria2c: wget,
  "youtube-dl": lookup,
  "yt-dlp": lookup,
  kubectl: cloud(CLOUD_READS),
  oc: cloud(CLOUD_READS),
  helm: cloud(CLOUD_READS),
  aws: cloud(CLOUD_READS),
  gcloud: cloud(CLOUD_READS),
  gsutil: cloud(CLOUD_READS),
  az: cloud(CLOUD_READS),
  doctl: cloud(CLOUD_READS),
  heroku: cloud(CLOUD_READS),
  fly: cloud(CLOUD_READS),
  flyctl: cloud(CLOUD_READS),
  vercel: cloud(CLOUD_READS),
  netlify: cloud(CLOUD_READS),
  wrangler: cloud(/^(?:dev|types|tail|whoami|list|get|info|version)$/),
  firebase: cloud(/^(?:emulators:start|emulators:exec|serve|list|projects:list|use|help)$/),
  supabase: cloud(/^(?:start|status|gen|db|types|list|version)$/),
  railway: cloud(CLOUD_READS),
  eksctl: cloud(CLOUD_READS),
  pulumi: cloud(/^(?:preview|stack|about|version|logs|whoami|config)$/),
  cdk: cloud(/^(?:synth|synthesize|diff|ls|list|doctor|docs)$/),
  serverless: cloud(/^(?:package|print|info|offline)$/),
  sls: cloud(/^(?:package|print|info|offline)$/),
  cdktf: cloud(/^(?:synth|diff|list)$/),
  "ansible-playbook": ({ args }) =>
    args.includes("--check") || args.includes("--syntax-check")
      ? allow("dry-run", "it only says what it would do")
      : ask("remote.infrastructure", "it changes other machines"),
  ansible: () => ask("remote.infrastructure", "it changes other machines"),
};
