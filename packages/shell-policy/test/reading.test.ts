import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { createShellPolicy, type ShellPolicy } from "../src/index.js";
import { GIT_READING } from "../src/programs/git-options.js";
import { READING } from "../src/programs/reading-options.js";
import { readSedScript } from "../src/programs/sed-script.js";

let policy: ShellPolicy;
beforeAll(async () => {
  policy = await createShellPolicy({ workspace: "/workspace", home: "/home/dev" });
});
const reads = (command: string): boolean => {
  const { verdict, readOnly } = policy.judge(command);
  return verdict === "allow" && readOnly;
};

describe("a command only reads", () => {
  it.each([
    "sort -rk2,2 -t, f | uniq -c",
    'sort -- "$x"',
    "sed -n '/a/,/b/{s/x/y/gp;p}' f",
    "sed '$!N;s/\\n/ /;P;D' f",
    "git log -p -3 --stat -- src",
    "git --no-pager diff HEAD~1",
    "LC_ALL=C sort f",
    "env LANG=C TZ=UTC date +%s",
    'while IFS= read -r l; do echo "$l"; done < f',
    "x=3; echo $((x * 2))",
    "alias ll='ls -la'; ll",
    "bash -euo pipefail -c 'ls'",
    "timeout -k 5 10 nice -n 5 ls",
    "find . -type f -size -5k -printf '%p\\n' -exec grep -l x {} +",
    "tar tzf a.tgz",
  ])("%s", (command) => expect(reads(command)).toBe(true));

  it.each([
    [
      "sort --outp W a",
      "sort -oW a",
      "sort $x",
      "sort *",
      "iconv -o W a",
      "xxd a W",
      "uniq a W",
      "tree -o W",
    ],
    [
      "file -C -m magic",
      "tar -tf x.tar --index-file=W",
      "tar tzf host:x",
      "xmllint --output W a",
      "yq -i .a=1 f",
      "yq -s .a f",
    ],
    [
      "sed -n '1w W' a",
      "sed '$w W' a",
      "sed -s -n '$p;W W' a",
      "sed 's/a/b/w W' a",
      "sed 's/a/b/gpe' a",
      "sed '1e touch W' a",
    ],
    [
      "sed -f s.sed a",
      "sed -i s/a/b/ a",
      "sed --in-pl s/a/b/ a",
      'sed "s/a/$x/" a',
      "sed '/[/]w W/d' a",
      "sed 'a\\\nx\nw W' a",
    ],
    [
      "strace -o W ls",
      "time -o W ls",
      "command time --output=W ls",
      "env time -o W ls",
      "nice -n 5 xxd a W",
      "setsid sort -oW a",
    ],
    [
      "eval 'sort -oW a'",
      "exec sort -oW a",
      "ls | xargs sort",
      "find . -exec sort --outp W {} +",
      "find . -fprint W",
      "find $x",
    ],
    [
      "fd --exec=touch",
      "fd . -X touch W",
      "bash -c 'history -w W'",
      "history -a",
      "bash --rcfile x -i -c ls",
      "fish -c ls",
    ],
    [
      "less a",
      "man ls",
      "top -b",
      "dc -e 1",
      "gdb -q",
      "ed a",
      "awk 1 a",
      "vi a",
      "sqlite3 x",
      "tmux ls",
      "tig",
    ],
    [
      "git log --output W",
      "git reflog --output=W",
      "git whatchanged --output W",
      "git diff --output=W",
      "git show --output W",
    ],
    [
      "git apply --stat --apply p",
      "git apply p",
      "git branch -v --edit-description",
      "git fsck --lost-found",
      "git status --help",
    ],
    [
      "git commit -m --dry-run",
      "git format-patch -1",
      "git credential approve",
      "git log -p --ext-diff",
      "git bisect run ls",
      "git bisect view",
      "git branch -v x",
      "git submodule foreach git log",
    ],
    [
      "git --git-dir=e.git log",
      "git --work-tree=x status",
      "git --exec-path=x log",
      "git -c core.pager=x log",
      "git -p log",
    ],
    [
      "git --config-env=a.b=C log",
      "git -C e.git log",
      "cd e.git && git log",
      "cd $x; git log",
      "env -C e.git git log",
    ],
    ["while true; do git log; cd e.git; done", "for f in $x; do git log; cd e.git; done", "f() { touch W; }"],
    [
      "GIT_TRACE=$PWD/W git status",
      "GIT_DIR=x git log",
      "HOME=$PWD git log",
      "HOME=$PWD; git log",
      "PATH=.:$PATH ls",
      "PATH=.; ls",
    ],
    [
      "LD_LIBRARY_PATH=. ls",
      "MANPAGER=x ls",
      "LESSOPEN=x cat a",
      "RIPGREP_CONFIG_PATH=x rg a",
      "FOO=1 ls",
      "env FOO=1 ls",
    ],
    [
      "env -i git status",
      "env -u A git status",
      "env -S 'ls'",
      "unset GIT_OPTIONAL_LOCKS; git status",
      "export FOO=1",
      "set -a",
    ],
    [
      "for PATH in .; do ls; done",
      "read PATH < f; ls",
      "printf -v PATH .; ls",
      "IFS=,; ls",
      "ls > /dev/shm/W",
      "date 0101",
    ],
    [
      "yarn --version",
      "mvn --version",
      "ip netns exec x ls",
      "ip a a 1.2.3.4 dev x",
      "ldd ./a",
      "busybox sort -o W a",
    ],
  ])("not with %s and the like", (...commands) => {
    expect(commands.filter(reads)).toEqual([]);
  });

  it("says of files that it writes what is said of others", () => {
    const verdict = (command: string) => policy.judge(command).verdict;
    for (const command of [
      "sort --outp ~/.bashrc a",
      "xxd a ~/.bashrc",
      "strace -o ~/.bashrc ls",
      "git log --output ../x",
    ])
      expect(verdict(command), command).toBe("ask");
    for (const command of [
      "sed -n '1w /etc/passwd' a",
      "sed '1e rm -rf ~' a",
      "bash -euo pipefail -c 'rm -rf ~'",
    ])
      expect(verdict(command), command).toBe("deny");
  });

  it("not with an option that is not known, or could be another one, whatever program it is", () => {
    const programs = [...READING].filter(([, { first }]) => !first).map(([name]) => name);
    const subcommands = [...GIT_READING.keys()].map((name) => `git ${name}`);
    const more = ["find .", "fd x", "sed -n p", "git", "sh", "bash"];
    const options = fc.constantFrom(
      "--zz-unknown",
      "--zz=W",
      "--outp=W",
      "--exec=x",
      "--in-place",
      "-Ω",
      "-~",
    );
    fc.assert(
      fc.property(fc.constantFrom(...programs, ...subcommands, ...more), options, (program, option) => {
        expect(policy.judge(`${program} ${option}`).readOnly, `${program} ${option}`).toBe(false);
        expect(policy.judge(`${program} ${option} a b`).readOnly, `${program} ${option} a b`).toBe(false);
      }),
      { numRuns: 800 },
    );
  });

  it("not because something is around it", () => {
    const commands = [
      "sort -oW a",
      "xxd a W",
      "git log --output W",
      "FOO=1 ls",
      "sed '1w W' a",
      "cd e.git; git log",
      "read PATH",
    ];
    const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
    const around: readonly ((command: string) => string)[] = [
      (command) => `bash -c ${quote(command)}`,
      (command) => `timeout 5 sh -c ${quote(command)}`,
      (command) => `env LANG=C sh -c ${quote(command)}`,
      (command) => `eval ${quote(command)}`,
      (command) => `exec sh -c ${quote(command)}`,
      (command) => `alias q=${quote(command)}`,
      (command) => `trap ${quote(command)} EXIT`,
      (command) => `q() { ${command}; }`,
      (command) => `echo "$(${command})"`,
      (command) => `echo $(( $(${command}) + 1 ))`,
      (command) => `[[ -n $(${command}) ]]`,
      (command) => `ls | xargs -I{} sh -c ${quote(command)}`,
      (command) => `find . -exec sh -c ${quote(command)} \\;`,
      (command) => `while read -r l; do ${command}; done < f`,
      (command) => `for ((i = 0; i < 3; i++)); do ${command}; done`,
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...commands),
        fc.array(fc.constantFrom(...around), { minLength: 1, maxLength: 3 }),
        (command, chain) => {
          const wrapped = chain.reduce((text, wrap) => wrap(text), command);
          expect(policy.judge(wrapped).readOnly, wrapped).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("code in words that look like data", () => {
  const inner = "a[$(rm -rf ~)]";
  it.each([
    `[[ -v '${inner}' ]]`,
    `[[ '${inner}' -eq 1 ]]`,
    `[ -v '${inner}' ]`,
    `test -v '${inner}'`,
    `printf -v '${inner}' x`,
    `let '${inner}=1'`,
    `declare '${inner}=1'`,
    `declare -i n='${inner}'`,
    `declare -i n; n='${inner}'`,
    `declare -n r='${inner}'`,
    `declare -a 'x=($(rm -rf ~))'`,
    `export '${inner}=1'`,
    `local '${inner}'`,
    `readonly '${inner}'`,
    `read '${inner}' < f`,
    `read -a '${inner}' < f`,
    `mapfile '${inner}' < f`,
    `mapfile -C 'rm -rf ~' x < f`,
    `unset '${inner}'`,
    `wait -n -p '${inner}'`,
    `getopts a '${inner}'`,
    `(( a["\\$(rm -rf ~)"] ))`,
    `x='${inner}'; echo $((x))`,
    `x='${inner}'; (( x ))`,
    `x='${inner}'; [[ $x -eq 1 ]]`,
    `x='${inner}'; echo "\${!x}" `,
    `x='${inner}'; echo "\${y[x]}" `,
    `x='${inner}'; echo "\${y:x}" `,
    `x='$(rm -rf ~)'; echo "\${x@P}"`,
    `a['$(rm -rf ~)']=1`,
    `PS4='$(rm -rf ~)'; set -x`,
    `PROMPT_COMMAND='rm -rf ~'`,
    `alias ls='rm -rf ~'`,
    `complete -C 'rm -rf ~' x`,
    `bind -x '"\\C-x": rm -rf ~'`,
    `trap -- 'rm -rf ~' EXIT`,
    `bash -c "[[ -v 'a[\\$(rm -rf ~)]' ]]"`,
  ])("is judged: %s", (command) => {
    expect(policy.judge(command)).toMatchObject({ verdict: "deny", readOnly: false });
    expect(policy.judge(command.replaceAll("rm -rf ~", "touch W"))).toMatchObject({ readOnly: false });
  });

  it("is asked about where nobody knows what it is", () => {
    for (const command of [
      "enable -f ./x.so x",
      "hash -p ./x ls",
      'echo "${x@P}"',
      "read 'a b'",
      "let 'a[\"x\"]'",
    ])
      expect(policy.judge(command), command).toMatchObject({ verdict: "ask", readOnly: false });
  });
});

describe("readSedScript", () => {
  it("finds what a script writes and runs, in any position", () => {
    expect(readSedScript("1,/x/!{s/a/b/gw one\n}; $W two\n/c/e ls -l")).toEqual({
      understood: true,
      reads: [],
      writes: ["one", "two"],
      runs: ["ls -l"],
    });
    expect(readSedScript("a\\\nw text\\\nw more\np;y/ab/cd/;\\,x,Id;s,a,\\,b,2;tend;:end;q5")).toMatchObject({
      understood: true,
      writes: [],
    });
    for (const script of ["s/a/b", "k", "/a", "s/a/b/z", "p w x"])
      expect(readSedScript(script).understood, script).toBe(false);
  });
});
