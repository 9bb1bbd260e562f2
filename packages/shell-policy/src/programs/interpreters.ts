import type { Call, Judge } from "../call.js";
import { notReadOnly, worst } from "../combine.js";
import { isKnown, PIPE, unmarkGlobs } from "../field.js";
import { absolute, hitsRootSet, isBelow, isInside, isSecret } from "../paths.js";
import { allow, ask, deny, reads, type Judgement } from "../verdict.js";

const CODE: Readonly<Record<string, RegExp>> = {
  python: /^-[a-zA-Z]*c$/,
  node: /^(?:-[a-zA-Z]*[ep]|--eval|--print)$/,
  perl: /^-[a-zA-Z]*[eE]$/,
  ruby: /^-[a-zA-Z]*e$/,
  php: /^-(?:r|-run)$/,
  lua: /^-e$/,
  Rscript: /^-e$/,
  deno: /^eval$/,
};

const DELETES =
  /\b(?:rmtree|removedirs|rmSync|rmdirSync|unlinkSync|rimraf|os\.remove|os\.unlink|os\.rmdir|\.unlink\(|\.rmdir\(|fs\.(?:promises\.)?(?:rm|unlink|rmdir)|rm_rf|rm_r|FileUtils\.rm\w*|File\.delete|Dir\.rmdir|unlink\b|rmdir\b|remove_tree|shell_exec\b.*\brm\b|os\.removedirs|shutil\.move|truncateSync)\b|\.rm\(/;
const EXECUTES =
  /\b(?:os\.(?:system|popen|exec\w*|spawn\w*|posix_spawn|fork)|subprocess|pty\.spawn|child_process|execSync|execFileSync|spawnSync|execFile|execa|Deno\.Command|system|exec|popen|shell_exec|passthru|proc_open|Kernel|IO\.popen|Open3|__import__|eval|compile|importlib|runpy|ctypes|vm\.run\w*|Function)\s*(?:\(|\.|\s*["'`])|`[^`]*`|\bqx\b|%x[{([]/;
const SENDS =
  /\b(?:urllib|requests|http\.client|httpx|aiohttp|socket|smtplib|ftplib|paramiko|fetch\(|axios|https?\.(?:get|request)|net\.(?:connect|Socket|createConnection)|XMLHttpRequest|WebSocket|LWP|IO::Socket|Net::|TCPSocket|open-uri|curl_\w+|fsockopen|file_get_contents\(\s*["']https?)/;
const WRITES =
  /\b(?:open\([^)]*,\s*["'][^"']*[wax+]|write_text|write_bytes|writeFile\w*|appendFile\w*|createWriteStream|copyFile\w*|renameSync|rename\(|symlink\w*|mkdir\w*|makedirs|chmod\w*|chown\w*|File\.write|file_put_contents|fopen\([^)]*,\s*["'][wax]|shutil\.copy\w*)/;

const STRINGS = /(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;

const literals = (code: string): string[] =>
  [...code.matchAll(STRINGS)].map((match) => (match[2] ?? "").replaceAll(/\\(.)/g, "$1"));

/** Judges code that is given on the command line: by what it names, since it is not run. */
const judgeCode = (call: Call, code: string): Judgement => {
  if (!isKnown(code)) return ask("dynamic", "which code it runs is not known before it runs");
  const strings = literals(code);
  const paths = strings.flatMap((text) => {
    const path = /^[~/.]/.test(text)
      ? absolute(text.replace(/^~(?=\/|$)/, call.places.home), call.scope.cwd)
      : undefined;
    return path === undefined ? [] : [path];
  });
  const homes = /\b(?:expanduser|homedir\(\)|Path\.home\(\)|ENV\[['"]HOME|process\.env\.HOME|Dir\.home)/.test(
    code,
  );
  if (DELETES.test(code)) {
    if (
      paths.some((path) => hitsRootSet(path, call.places)) ||
      (homes && !/join\(|\/\s*["']/.test(code)) ||
      strings.some((text) => text === "~")
    )
      return deny("remove.root", "the code removes the system or a home");
    return ask("code.remove", "the code deletes files");
  }
  if (EXECUTES.test(code)) {
    const commands = strings
      .filter((text) => /\s/.test(text) || /^(?:reboot|shutdown|halt|poweroff)$/.test(text))
      .map((text) => call.runText(text));
    // A list of arguments is a command too.
    const lists = [...code.matchAll(/[[(]\s*((?:(["'])(?:\\.|(?!\2)[^\\])*\2\s*,?\s*){2,})/g)].map((match) =>
      call.runText(
        literals(match[1] ?? "")
          .map(shellQuote)
          .join(" "),
      ),
    );
    const inner = [...commands, ...lists].filter(({ verdict }) => verdict === "deny");
    return worst(ask("code.execute", "the code starts programs"), ...inner);
  }
  if (paths.some((path) => isSecret(path, call.places))) return ask("secrets.read", "the code reads keys");
  if (SENDS.test(code))
    return strings.some((text) => /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(text)) &&
      !strings.some((text) => /^https?:\/\/(?!localhost|127\.|\[::1\])/.test(text))
      ? allow("code", "the code talks to this machine")
      : ask("network.send", "the code talks to other machines");
  if (WRITES.test(code) && paths.some((path) => path.startsWith("/") && !isInside(path, call.places)))
    return ask("outside", "the code writes outside the workspace");
  if (
    /\b(?:os\.environ|process\.env|ENV)\b(?!\s*(?:\.|\[|\())/.test(code) &&
    /print|console|puts|dump/.test(code)
  )
    return ask("secrets.environment", "the code prints the whole environment", true);
  return allow("code", "the code neither deletes, starts nor sends anything");
};

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const scriptOf = (call: Call, file: string): Judgement => {
  if (file === PIPE) return ask("foreign.pipe", "it runs what another command prints");
  if (!isKnown(file)) return ask("dynamic", "which script it runs is not known before it runs");
  const path = absolute(file, call.scope.cwd);
  if (path !== undefined && call.scope.written.has(path))
    return ask("foreign.written", "it runs what this same text has written");
  if (path === undefined || !isBelow(path, call.places.workspace))
    return ask("foreign.script", "it runs a script from outside the workspace");
  if (/(?:deploy|publish|release|destroy)[^/]*$/i.test(path.slice(call.places.workspace.length)))
    return ask("remote.script", "by its name it changes something elsewhere");
  return allow("script", "it runs a script of the workspace");
};

const fromInput = (call: Call): Judgement =>
  typeof call.stdin === "object"
    ? notReadOnly(judgeCode(call, call.stdin.text))
    : call.stdin === "unknown"
      ? ask("foreign.pipe", "it runs what another command prints")
      : ask("interactive", "it starts an interpreter that reads code from somewhere");

const interpreter =
  (language: string, valued: RegExp): Judge =>
  (call) => {
    const { args } = call;
    const code = CODE[language];
    const judged: Judgement[] = [];
    for (let at = 0; at < args.length; at += 1) {
      const arg = args[at] as string;
      if (
        /^(?:--version|--help|-V|-VV|-h)$/.test(arg) ||
        (arg === "-v" && language !== "python" && args.length === 1)
      )
        return reads();
      if (code?.test(arg))
        return notReadOnly(worst(judgeCode(call, unmarkGlobs(args[at + 1] ?? "")), ...judged));
      if (language === "node" && /^(?:--eval=|--print=)/.test(arg))
        return notReadOnly(judgeCode(call, unmarkGlobs(arg.slice(arg.indexOf("=") + 1))));
      if (language === "python" && arg === "-m")
        return notReadOnly(worst(module(call, args.slice(at + 1)), ...judged));
      if (language === "php" && arg === "-l") return allow("build", "it checks the code");
      if (language === "node" && (arg === "--check" || arg === "-c"))
        return allow("build", "it checks the code");
      if (language === "node" && arg === "--test") return allow("build", "it runs tests");
      if (language === "node" && arg === "--run") return allow("script", "it runs a script of the project");
      if (language === "node" && /^(?:-r|--require|--import|--loader)$/.test(arg)) {
        const file = args[(at += 1)] ?? "";
        if (/^[./~]/.test(file)) judged.push(scriptOf(call, file));
        continue;
      }
      if (arg === "-" || arg === "/dev/stdin") return fromInput(call);
      if (valued.test(arg)) {
        at += 1;
        continue;
      }
      if (!arg.startsWith("-"))
        return notReadOnly(
          worst(
            language === "python" && /(?:^|\/)manage\.py$/.test(arg)
              ? manage(call, args.slice(at + 1))
              : scriptOf(call, arg),
            ...judged,
          ),
        );
    }
    return fromInput(call);
  };

/** Django's own commands. */
const manage = (_call: Call, args: readonly string[]): Judgement =>
  /^(?:flush|sqlflush|reset_db|dbshell|shell|shell_plus|clearsessions)$/.test(args[0] ?? "")
    ? ask("database", "it deletes data, or opens a shell")
    : allow("script", "it runs a command of the project");

const module = (call: Call, args: readonly string[]): Judgement => {
  const [name = "", ...rest] = args;
  if (name === "pip") return call.run(["pip", ...rest]);
  if (/^(?:http\.server|SimpleHTTPServer)$/.test(name))
    return allow("process", "it serves files on this machine");
  if (
    /^(?:venv|virtualenv|unittest|pytest|doctest|compileall|py_compile|json\.tool|timeit|cProfile|build|mypy|ruff|black|isort|flake8|pylint|coverage|tox|nox|pre_commit|sphinx|mkdocs|ensurepip|zipfile|tarfile|pdb|trace|ipykernel|site|sysconfig|platform|calendar|this|base64|dis|ast|tokenize|uvicorn|gunicorn|flask|django|celery|alembic|twine|poetry|hatch|uv|pipx|debugpy|grpc_tools\.protoc|nuitka|PyInstaller|cython)$/.test(
      name,
    )
  ) {
    if (/^(?:twine|poetry|hatch|uv|pipx)$/.test(name)) return call.run([name, ...rest]);
    return allow("build", "it runs a tool of the project");
  }
  return /^[A-Za-z_][\w.]*$/.test(name)
    ? allow("script", "it runs a module of the project")
    : ask("unknown", "which module it runs is not known");
};

const AWK_RUNS = /\bsystem\s*\(|\|\s*(?:getline|"|&)|"\s*\|\s*getline|print[^;}|]*\|\s*"/;

const awk: Judge = (call) => {
  const operands: string[] = [];
  let program: string | undefined;
  for (let at = 0; at < call.args.length; at += 1) {
    const arg = call.args[at] as string;
    if (arg === "-f" || arg === "--file") {
      at += 1;
      program = "";
    } else if (/^-[Fv]$/.test(arg)) at += 1;
    else if (arg.startsWith("-") && arg.length > 1) continue;
    else if (program === undefined) program = arg;
    else operands.push(arg);
  }
  const text = unmarkGlobs(program ?? "");
  if (AWK_RUNS.test(text)) {
    const commands = literals(text).map((each) => call.runText(each));
    return worst(
      ask("code.execute", "the program starts others"),
      ...commands.filter(({ verdict }) => verdict === "deny"),
    );
  }
  const targets = [...text.matchAll(/>{1,2}\s*"([^"]+)"/g)].map((match) => call.write(match[1] as string));
  return worst(allow("code", "it runs a program over text"), ...operands.map(call.read), ...targets);
};

const python = interpreter("python", /^-(?:W|X|Q)$/);

export const INTERPRETERS: Readonly<Record<string, Judge>> = {
  python,
  python2: python,
  python3: python,
  pypy: python,
  pypy3: python,
  ...Object.fromEntries(
    ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"].map((version) => [`python${version}`, python]),
  ),
  ipython: python,
  node: interpreter(
    "node",
    /^(?:-C|--conditions|--env-file|--input-type|--max-old-space-size|--stack-trace-limit)$/,
  ),
  nodejs: interpreter("node", /^(?:-C|--conditions)$/),
  perl: interpreter("perl", /^-(?:I|M|m)$/),
  ruby: interpreter("ruby", /^-(?:I|r|C)$/),
  php: interpreter("php", /^-(?:d|c|S|t|z)$/),
  lua: interpreter("lua", /^-l$/),
  luajit: interpreter("lua", /^-l$/),
  Rscript: interpreter("Rscript", /^$/),
  R: () => allow("code", "it runs code"),
  julia: interpreter("lua", /^$/),
  tclsh: interpreter("none", /^$/),
  expect: interpreter("none", /^$/),
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  bc: () => reads(),
  dc: () => reads(),
  irb: () => ask("interactive", "it starts an interpreter"),
  "ts-node": interpreter("node", /^(?:-P|--project|-O)$/),
  tsx: interpreter("node", /^(?:--tsconfig)$/),
  esrun: interpreter("node", /^$/),
};
