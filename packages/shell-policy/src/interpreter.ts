import type { Call, Input, WriteKind } from "./call.js";
import { notReadOnly, worst } from "./combine.js";
import { judgeAssignment } from "./environment.js";
import { judgeArithmetic, judgeExpanded, judgeExpansion, judgeName, type Evaluation } from "./evaluated.js";
import { hasMarks, isKnown, PIPE, quote, showField, SPREAD, UNKNOWN, unmarkGlobs } from "./field.js";
import { judgeRead, judgeWrite, noteWritten } from "./files.js";
import { printed } from "./known-output.js";
import type { Node } from "./parser.js";
import type { Places } from "./paths.js";
import { findJudge } from "./programs/index.js";
import { subshell, type Scope, type Value } from "./scope.js";
import { callsItself, insideSubstitution, printsKey, spellIfs } from "./syntax.js";
import { ask, deny, NOTHING, reads, type Judgement } from "./verdict.js";
import { isPlainVariable } from "./variables.js";
import { Words } from "./words.js";

const MAX_DEPTH = 12;
const MAX_STEPS = 4_000;
const MAX_ROUNDS = 30;

/** One command of the text, for whoever is asked. */
export interface Segment extends Judgement {
  /** As it was written. */
  readonly text: string;
  /** As it would be started, quotes and variables resolved as far as they are known; absent for what is no command. */
  readonly command?: string;
}

const SHELL_STATE = reads("shell", "it only changes the shell's own state");

interface Options {
  readonly places: Places;
  parse(text: string): Node;
}

/** Runs through a text as a shell would, without running anything, and judges whatever could be started. */
export class Interpreter {
  readonly #places: Places;
  readonly #parse: (text: string) => Node;
  readonly #words: Words;
  readonly segments: Segment[] = [];
  #steps = 0;
  /** What substitutions inside the words of the command under way came to. */
  #pending: Judgement[] = [];

  constructor({ places, parse }: Options) {
    this.#places = places;
    this.#parse = parse;
    this.#words = new Words({
      home: places.home,
      substitute: (node, scope) => this.#substitution(node, scope),
      evaluate: (node, scope) => void this.#pending.push(this.#evaluated(node, scope)),
    });
  }

  /** A fresh shell in a directory. */
  scope(cwd: string): Scope {
    return {
      variables: new Map<string, Value>(),
      functions: new Map(),
      aliases: new Map(),
      parameters: undefined,
      cwd,
      integers: new Set(),
      written: new Set(),
      inside: [],
      depth: 0,
    };
  }

  /** Judges a text. What the parser does not understand is asked about. */
  text(text: string, scope: Scope, stdin?: Input): Judgement {
    if (text.includes(UNKNOWN) || text.includes(PIPE)) {
      const asked = this.#note(text, ask("dynamic", "what it would run is not known before it runs"));
      // What is known of it may be bad enough.
      return worst(
        asked,
        this.text(text.replaceAll(SPREAD, "").replaceAll(UNKNOWN, "x").replaceAll(PIPE, "x"), scope, stdin),
      );
    }
    const plain = unmarkGlobs(text);
    if (hasMarks(plain) || plain.includes("\0"))
      return this.#note(text, ask("unreadable", "it holds characters that no command has"));
    if (scope.depth > MAX_DEPTH)
      return this.#note(text, ask("too-deep", "it nests too many commands in each other"));
    const root = this.#parse(spellIfs(plain));
    if (root.hasError)
      return this.#note(
        text,
        ask("unparsable", "a shell could read it in another way than it looks, or not at all"),
      );
    return this.#block(root, { ...scope, depth: scope.depth + 1 }, stdin).judgement;
  }

  #note(text: string, judgement: Judgement, fields?: readonly string[]): Judgement {
    const command = fields && showField(fields.join(" ")).slice(0, 2_000);
    this.segments.push({
      text: showField(text).slice(0, 500),
      ...(command === undefined ? {} : { command }),
      ...judgement,
    });
    return judgement;
  }

  /** Statements one after the other. Gives what they print, where all of it is known. */
  #block(node: Node, scope: Scope, stdin: Input): { judgement: Judgement; output: string | undefined } {
    let judgement = NOTHING;
    let output: string | undefined = "";
    for (const child of node.namedChildren) {
      if (!child) continue;
      const done = this.#statement(child, scope, stdin);
      judgement = worst(judgement, done.judgement);
      output = output === undefined || done.output === undefined ? undefined : output + done.output;
    }
    return { judgement, output };
  }

  #statement(node: Node, scope: Scope, stdin: Input): { judgement: Judgement; output: string | undefined } {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS)
      return { judgement: ask("too-long", "it is too long to be looked through"), output: undefined };
    const silent = (judgement: Judgement) => ({ judgement, output: "" });
    switch (node.type) {
      case "comment":
        return silent(NOTHING);
      case "program":
      case "list":
      case "do_group":
      case "else_clause":
      case "elif_clause":
        return this.#block(node, scope, stdin);
      case "compound_statement":
        return node.text.startsWith("((")
          ? silent(this.#counting(node, scope))
          : this.#block(node, scope, stdin);
      case "subshell":
        return this.#block(node, subshell(scope), stdin);
      case "negated_command":
        return this.#block(node, scope, stdin);
      case "pipeline":
        return this.#pipeline(node, scope, stdin);
      case "redirected_statement":
        return this.#redirected(node, scope, stdin);
      case "command":
        return this.#command(node, scope, stdin);
      case "while_statement":
        return { judgement: this.#again(node, scope, stdin), output: undefined };
      case "if_statement":
      case "case_statement":
      case "case_item":
        return { judgement: this.#branches(node, scope, stdin), output: undefined };
      case "for_statement":
      case "select_statement":
        return { judgement: this.#loop(node, scope, stdin), output: undefined };
      case "c_style_for_statement":
        return {
          judgement: worst(this.#heads(node, scope), this.#again(node, scope, stdin)),
          output: undefined,
        };
      case "function_definition":
        return silent(this.#define(node, scope));
      case "variable_assignment":
        return silent(this.#assign(node, scope));
      case "variable_assignments":
        return silent(
          node.namedChildren.reduce(
            (judgement, child) => (child ? worst(judgement, this.#assign(child, scope)) : judgement),
            NOTHING,
          ),
        );
      case "declaration_command":
        return silent(this.#declare(node, scope));
      case "unset_command":
        return silent(this.#unset(node, scope));
      case "test_command":
        return silent(this.#test(node, scope));
      default:
        // Words where a statement may stand: the conditions of a case, patterns.
        return silent(this.#inspect(node, scope));
    }
  }

  /** Judges the substitutions within something that runs nothing itself. */
  #inspect(node: Node, scope: Scope): Judgement {
    const outer = this.#pending;
    this.#pending = [];
    for (const type of ["command_substitution", "process_substitution"]) {
      for (const child of node.descendantsOfType([type])) {
        if (child && !insideSubstitution(child, node)) this.#substitution(child, scope);
      }
    }
    for (const child of node.descendantsOfType(["expansion", "arithmetic_expansion"]))
      if (child && !insideSubstitution(child, node)) this.#pending.push(this.#evaluated(child, scope));
    const judgement = worst(NOTHING, ...this.#pending);
    this.#pending = outer;
    return judgement;
  }

  #evaluation(scope: Scope): Evaluation {
    return {
      run: (text) => this.text(text, subshell(scope)),
      value: (name) => this.#words.lookup(name, scope),
    };
  }

  /** `${…}` and `$((…))`: what they evaluate besides the substitutions in them. */
  #evaluated(node: Node, scope: Scope): Judgement {
    return node.type === "expansion"
      ? judgeExpansion(withoutCommands(node), this.#evaluation(scope))
      : judgeArithmetic(withoutCommands(node), this.#evaluation(scope));
  }

  /** `((…))` and what stands in the head of a loop that counts. */
  #counting(node: Node, scope: Scope): Judgement {
    return worst(
      SHELL_STATE,
      this.#inspect(node, scope),
      judgeArithmetic(withoutCommands(node), this.#evaluation(scope)),
    );
  }

  #heads(node: Node, scope: Scope): Judgement {
    const [first, ...rest] = ["initializer", "condition", "update"].flatMap((part) =>
      node.childrenForFieldName(part).flatMap((child) => child ?? []),
    );
    let judgement = NOTHING;
    if (first?.type === "variable_assignment") judgement = this.#assign(first, scope, true);
    else if (first) judgement = this.#counting(first, scope);
    return worst(judgement, ...rest.map((each) => this.#counting(each, scope)));
  }

  /** A loop's second round begins where the first one ended. */
  #again(node: Node, scope: Scope, stdin: Input): Judgement {
    const first: Scope = { ...scope, variables: new Map(scope.variables) };
    const once = this.#branches(node, first, stdin);
    const same =
      first.cwd === scope.cwd &&
      [...first.variables].every(([name, value]) => scope.variables.get(name) === value);
    if (same) return once;
    for (const [name, value] of first.variables) scope.variables.set(name, value);
    scope.cwd = first.cwd;
    return worst(once, this.#branches(node, scope, stdin));
  }

  /** Looks at something of which all commands are judged elsewhere. */
  #quietly<T>(look: () => T): T {
    const outer = this.#pending;
    const segments = this.segments.length;
    this.#pending = [];
    const found = look();
    this.#pending = outer;
    this.segments.length = segments;
    return found;
  }

  #test(node: Node, scope: Scope): Judgement {
    const inspected = this.#inspect(node, scope);
    const evaluation = this.#evaluation(scope);
    const words = (child: Node): string[] => this.#quietly(() => this.#words.fields(child, scope));
    if (!node.text.startsWith("[["))
      return worst(inspected, this.#program("test", leaves(node).flatMap(words), scope, undefined));
    const judged: Judgement[] = [];
    for (const child of node.descendantsOfType(["unary_expression", "binary_expression"])) {
      if (!child || insideSubstitution(child, node)) continue;
      const operator = child.childForFieldName("operator")?.text ?? "";
      const operands = child.namedChildren.filter((each) => each && each.type !== "test_operator") as Node[];
      const texts = (): string[] =>
        operands.map((each) => this.#quietly(() => this.#words.text(each, scope)));
      if (/^-[vR]$/.test(operator)) judged.push(...texts().map((text) => judgeName(text, evaluation)));
      else if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator))
        judged.push(...texts().map((text) => judgeArithmetic(text, evaluation)));
    }
    return worst(inspected, ...judged);
  }

  #unset(node: Node, scope: Scope): Judgement {
    const outer = this.#pending;
    this.#pending = [];
    const args = node.namedChildren.flatMap((child) => (child ? this.#words.fields(child, scope) : []));
    const pending = this.#pending;
    this.#pending = outer;
    for (const name of args) scope.variables.set(name, name === "IFS" ? undefined : "");
    return worst(SHELL_STATE, ...pending, this.#program("unset", args, scope, undefined));
  }

  #branches(node: Node, scope: Scope, stdin: Input): Judgement {
    const before = new Map(scope.variables);
    const cwd = scope.cwd;
    let judgement = NOTHING;
    for (const child of node.namedChildren)
      if (child) judgement = worst(judgement, this.#statement(child, scope, stdin).judgement);
    // Whether it came here is not known: what was set in here may be set or not.
    for (const [name, value] of scope.variables)
      if (before.get(name) !== value) scope.variables.set(name, undefined);
    if (scope.cwd !== cwd) scope.cwd = undefined;
    return judgement;
  }

  #loop(node: Node, scope: Scope, stdin: Input): Judgement {
    const name = node.childForFieldName("variable")?.text ?? "";
    const body = node.childForFieldName("body");
    const outer = this.#pending;
    this.#pending = [];
    const words = node
      .childrenForFieldName("value")
      .flatMap((child) => (child ? this.#words.fields(child, scope) : []));
    let judgement = worst(NOTHING, ...this.#pending);
    this.#pending = outer;
    const known = words.length > 0 && words.length <= MAX_ROUNDS && words.every(isKnown);
    const cwd = scope.cwd;
    const before = new Map(scope.variables);
    for (const value of known
      ? words
      : [
          words.length > 0 && words.every((word) => !word.startsWith(UNKNOWN))
            ? (words[0] as string)
            : undefined,
        ]) {
      scope.variables.set(name, value);
      if (body) judgement = worst(judgement, this.#statement(body, scope, stdin).judgement);
    }
    if (!known && body && (scope.cwd !== cwd || changed(before, scope, name))) {
      scope.variables.set(name, undefined);
      if (scope.cwd !== cwd) scope.cwd = undefined;
      judgement = worst(judgement, this.#statement(body, scope, stdin).judgement);
    }
    if (scope.cwd !== cwd) scope.cwd = undefined;
    scope.variables.set(name, undefined);
    return isPlainVariable(name) ? judgement : notReadOnly(judgement);
  }

  #define(node: Node, scope: Scope): Judgement {
    const name = node.childForFieldName("name")?.text ?? "";
    const body = node.childForFieldName("body");
    if (!body) return SHELL_STATE;
    scope.functions.set(name, body);
    // Looked into also when nobody calls it here: a later text could.
    const judgement = this.#function(name, body, [], subshell(scope), undefined);
    return judgement.verdict === "allow" ? { ...SHELL_STATE, readOnly: judgement.readOnly } : judgement;
  }

  #function(
    name: string,
    body: Node,
    parameters: readonly string[] | undefined,
    scope: Scope,
    stdin: Input,
  ): Judgement {
    // By its text too: a function may define another one of its own name.
    const key = `${name}\n${body.text}`;
    if (scope.inside.includes(key)) return NOTHING;
    if (callsItself(name, body)) {
      return this.#note(
        body.text,
        deny("fork-bomb", `\`${name}\` starts itself again and again until the machine is full`),
      );
    }
    const inner: Scope = {
      ...scope,
      parameters: parameters && parameters.length > 0 ? parameters : undefined,
      inside: [...scope.inside, key],
    };
    const { judgement } = this.#statement(body, inner, stdin);
    scope.cwd = inner.cwd;
    return judgement;
  }

  #assign(node: Node, scope: Scope, exported = false): Judgement {
    const name = node.childForFieldName("name");
    const value = node.childForFieldName("value");
    const outer = this.#pending;
    this.#pending = [];
    const known = value ? this.#valueOf(value, scope) : "";
    const judgement = worst(
      SHELL_STATE,
      ...this.#pending,
      judgeAssignment(
        (name?.text ?? "").replace(/\[[^]*$/, ""),
        known,
        (text) => this.text(text, subshell(scope)),
        exported,
      ),
      this.#subscripts(node, known, scope),
    );
    this.#pending = outer;
    if (name) {
      const plain = name.type === "subscript" || node.text.startsWith(`${name.text}+=`) ? undefined : known;
      scope.variables.set(name.text.replace(/\[[^]*$/, ""), plain);
    }
    return judgement;
  }

  /** Subscripts are evaluated, and so are the values of what counts. */
  #subscripts(node: Node, value: Value, scope: Scope): Judgement {
    const name = node.childForFieldName("name");
    const evaluation = this.#evaluation(scope);
    const index = name?.type === "subscript" ? name.childForFieldName("index") : undefined;
    const elements = node.childForFieldName("value");
    const keys =
      elements?.type === "array"
        ? elements.namedChildren.flatMap(
            (each) => /^\[([^]*)\]\+?=/.exec(each ? withoutCommands(each) : "")?.[1] ?? [],
          )
        : [];
    const counts = name && scope.integers.has(name.text) ? [value].flat() : [];
    return worst(
      NOTHING,
      ...(index ? [withoutCommands(index), ...keys] : keys).map((text) => judgeArithmetic(text, evaluation)),
      ...counts.map((text) => judgeArithmetic(text ?? UNKNOWN, evaluation)),
    );
  }

  #valueOf(value: Node, scope: Scope): Value {
    if (value.type === "array") {
      const fields = value.namedChildren.flatMap((child) => (child ? this.#words.fields(child, scope) : []));
      return fields.every(isKnown) ? fields.map(unmarkGlobs) : undefined;
    }
    const text = this.#words.text(value, scope);
    return isKnown(text) ? text : undefined;
  }

  #declare(node: Node, scope: Scope): Judgement {
    const [keyword = "declare"] = node.text.trim().split(/\s+/);
    const outer = this.#pending;
    this.#pending = [];
    const args: string[] = [];
    const assigned: Node[] = [];
    for (const child of node.namedChildren) {
      if (child?.type === "variable_assignment") assigned.push(child);
      else if (child) args.push(...this.#words.fields(child, scope));
    }
    const pending = this.#pending;
    this.#pending = outer;
    const flags = args.filter((arg) => arg.startsWith("-")).join("");
    const exported = keyword === "export" || flags.includes("x");
    const judged = assigned.map((child) => {
      const [, name = ""] = /^(\w+)/.exec(child.text) ?? [];
      if (flags.includes("i")) scope.integers.add(name);
      const judgement = this.#assign(child, scope, exported);
      const value = scope.variables.get(name);
      // A reference is used as the name that it holds.
      return flags.includes("n")
        ? worst(judgement, judgeName(typeof value === "string" ? value : UNKNOWN, this.#evaluation(scope)))
        : judgement;
    });
    const prints = assigned.length > 0 && args.every((arg) => arg.startsWith("-"));
    return worst(
      SHELL_STATE,
      ...pending,
      ...judged,
      ...(prints ? [] : [this.#program(keyword, args, scope, undefined)]),
    );
  }

  #pipeline(node: Node, scope: Scope, stdin: Input): { judgement: Judgement; output: string | undefined } {
    let judgement = NOTHING;
    let input = stdin;
    let output: string | undefined;
    for (const child of node.namedChildren) {
      if (!child || child.type === "comment") continue;
      const done = this.#statement(child, subshell(scope), input);
      judgement = worst(judgement, done.judgement);
      output = done.output;
      input = output === undefined ? "unknown" : { text: output };
    }
    return { judgement, output };
  }

  #redirected(node: Node, scope: Scope, stdin: Input): { judgement: Judgement; output: string | undefined } {
    const body = node.childForFieldName("body");
    let judgement = NOTHING;
    let input = stdin;
    let shown = true;
    // The grammar hangs the redirect of a list's last command on the list.
    const isEmpty = !body || /(?:^|[;&|\n])\s*(?::|true)\s*$/.test(body.text);
    for (const redirect of node.childrenForFieldName("redirect")) {
      if (!redirect) continue;
      const done = this.#redirect(redirect, scope, isEmpty);
      judgement = worst(judgement, done.judgement);
      if (done.input !== undefined) input = done.input;
      if (done.hides) shown = false;
    }
    if (!body) return { judgement, output: "" };
    const done = this.#statement(body, scope, input);
    return { judgement: worst(judgement, done.judgement), output: shown ? done.output : "" };
  }

  #redirect(
    node: Node,
    scope: Scope,
    isEmpty: boolean,
  ): { judgement: Judgement; input?: Input; hides?: boolean } {
    const outer = this.#pending;
    this.#pending = [];
    const finish = (judgement: Judgement, more: { input?: Input; hides?: boolean } = {}) => {
      const all = worst(judgement, ...this.#pending);
      this.#pending = outer;
      return { judgement: all, ...more };
    };
    if (node.type === "heredoc_redirect") {
      const start = node.namedChildren.find((child) => child?.type === "heredoc_start")?.text ?? "";
      const body = node.namedChildren.find((child) => child?.type === "heredoc_body");
      const quoted = /['"\\]/.test(start);
      let text: string = body?.text ?? "";
      if (body && !quoted) {
        const inner = this.#inspect(body, scope);
        text = this.#expandHeredoc(body, scope);
        return finish(worst(inner, ...this.#rest(node, scope, isEmpty)), { input: { text } });
      }
      if (node.text.includes("<<-")) text = text.replaceAll(/^\t+/gm, "");
      return finish(worst(NOTHING, ...this.#rest(node, scope, isEmpty)), { input: { text } });
    }
    if (node.type === "herestring_redirect") {
      const word = node.namedChildren.at(-1);
      return finish(NOTHING, { input: { text: `${word ? this.#words.text(word, scope) : UNKNOWN}\n` } });
    }
    const target = node.childForFieldName("destination");
    const operator = node.children.find((child) => child && !child.isNamed)?.text ?? ">";
    if (!target) return finish(NOTHING);
    const field = this.#words.text(target, scope);
    if (operator.startsWith("<") && operator !== "<>") {
      if (field === PIPE) return finish(NOTHING, { input: "unknown" });
      return finish(judgeRead(field, scope, this.#places), { input: "unknown" });
    }
    // A descriptor, as in 2>&1.
    if ((operator === ">&" || operator === "<&") && /^(?:\d+|-)$/.test(field)) return finish(NOTHING);
    if (field === PIPE) return finish(NOTHING);
    const descriptor =
      node.childForFieldName("descriptor")?.text ??
      node.namedChildren.find((child) => child?.type === "file_descriptor")?.text;
    const appends = operator.includes(">>");
    const judgement = judgeWrite(field, scope, this.#places, isEmpty && !appends ? "empty" : "write");
    noteWritten(field, scope);
    return finish(judgement, { hides: descriptor === undefined || descriptor === "1" });
  }

  /** What else the grammar puts into a heredoc's node: further redirects, and the rest of its pipeline. */
  #rest(node: Node, scope: Scope, isEmpty: boolean): Judgement[] {
    return node.namedChildren.flatMap((child) => {
      if (!child) return [];
      if (child.type === "file_redirect") return [this.#redirect(child, scope, isEmpty).judgement];
      if (
        child.type === "pipeline" ||
        child.type === "command" ||
        child.type === "list" ||
        child.type === "redirected_statement"
      )
        return [this.#statement(child, scope, "unknown").judgement];
      return [];
    });
  }

  #expandHeredoc(body: Node, scope: Scope): string {
    let text = "";
    let at = body.startIndex;
    for (const child of body.namedChildren) {
      if (!child || child.type === "heredoc_content") continue;
      text += body.text.slice(at - body.startIndex, child.startIndex - body.startIndex);
      text += child.type === "command_substitution" ? UNKNOWN : this.#words.text(child, scope);
      at = child.endIndex;
    }
    return text + body.text.slice(at - body.startIndex);
  }

  /** Looks into a substitution; what is in it counts for the command around it. */
  #substitution(node: Node, scope: Scope): string | undefined {
    const done = this.#block(node, subshell(scope), undefined);
    this.#pending.push(done.judgement);
    // $(< file)
    return node.type === "command_substitution" ? done.output : undefined;
  }

  #command(node: Node, scope: Scope, stdin: Input): { judgement: Judgement; output: string | undefined } {
    const outer = this.#pending;
    this.#pending = [];
    const inner: Scope = { ...scope, variables: new Map(scope.variables) };
    let judgement = NOTHING;
    const fields: string[] = [];
    let input = stdin;
    for (const child of node.namedChildren) {
      if (!child) continue;
      if (child.type === "variable_assignment") {
        const splits = child.childForFieldName("name")?.text === "IFS" && readsLines(node);
        judgement = worst(
          judgement,
          splits ? this.#quietAssign(child, inner) : this.#assign(child, inner, true),
        );
      } else if (
        child.type === "file_redirect" ||
        child.type === "herestring_redirect" ||
        child.type === "heredoc_redirect"
      ) {
        const done = this.#redirect(child, scope, false);
        judgement = worst(judgement, done.judgement);
        if (done.input !== undefined) input = done.input;
      } else fields.push(...this.#words.fields(child, scope));
    }
    judgement = worst(judgement, ...this.#pending);
    this.#pending = outer;
    const own = worst(this.fields(fields, scope, input, node.text), printsKey(fields[0], node, inner));
    return { judgement: worst(judgement, own), output: printed(fields, input) };
  }

  /** `IFS= read`: it is the one builtin that looks at it, and nothing else does. */
  #quietAssign(node: Node, scope: Scope): Judgement {
    return { ...this.#assign(node, scope), readOnly: true };
  }

  /** Judges a command by its fields. */
  fields(fields: readonly string[], scope: Scope, stdin: Input, text: string = fields.join(" ")): Judgement {
    const [first, ...args] = fields;
    if (first === undefined || first === "") return NOTHING;
    this.#steps += 1;
    if (this.#steps > MAX_STEPS)
      return this.#note(text, ask("too-long", "it is too long to be looked through"));
    if (!isKnown(first))
      return this.#note(text, ask("dynamic", "which program it starts is not known before it runs"));
    // eslint-disable-next-line no-control-regex -- that is what is looked for
    if (/[^\x21-\x7e]/.test(unmarkGlobs(first)))
      return this.#note(text, ask("odd-name", "the program's name holds characters that look like others"));
    const alias = scope.aliases.get(first);
    if (alias !== undefined && !scope.inside.includes(`alias ${first}`)) {
      const inner: Scope = { ...scope, inside: [...scope.inside, `alias ${first}`] };
      return this.text([alias, ...args.map(quote)].join(" "), inner, stdin);
    }
    const body = scope.functions.get(first);
    if (body) return this.#function(first, body, args, scope, stdin);
    return this.#note(text, this.#program(first, args, scope, stdin), fields);
  }

  #program(first: string, args: readonly string[], scope: Scope, stdin: Input): Judgement {
    const name = programName(first);
    const judge = findJudge(name, first);
    const call: Call = {
      name: name ?? first,
      args,
      scope,
      places: this.#places,
      stdin,
      run: (fields, input) => this.fields(fields, scope, input),
      runText: (text, options = {}) => {
        const inside = options.own ? { ...scope } : subshell(scope);
        if ("cwd" in options) inside.cwd = options.cwd;
        if (options.parameters) inside.parameters = options.parameters;
        const judgement = this.text(text, inside);
        if (options.own) scope.cwd = inside.cwd;
        return judgement;
      },
      arithmetic: (field) => judgeArithmetic(field, this.#evaluation(scope)),
      variable: (field) => judgeName(field, this.#evaluation(scope)),
      expanded: (field) => judgeExpanded(field, this.#evaluation(scope)),
      write: (field, how: WriteKind = "write") => judgeWrite(field, scope, this.#places, how),
      read: (field) => judgeRead(field, scope, this.#places),
    };
    return judge(call);
  }
}

/** The text of a node without the commands in it, which are judged by themselves; what they print is not known. */
const withoutCommands = (node: Node): string => {
  let text = "";
  let at = node.startIndex;
  for (const child of node.descendantsOfType(["command_substitution"])) {
    if (!child || child.startIndex < at || insideSubstitution(child, node)) continue;
    text += node.text.slice(at - node.startIndex, child.startIndex - node.startIndex) + UNKNOWN;
    at = child.endIndex;
  }
  const rest = text + node.text.slice(at - node.startIndex);
  return rest.replace(
    /^\$?\(\(([^]*)\)\)$|^\$\[([^]*)\]$/,
    (_, one?: string, other?: string) => one ?? other ?? "",
  );
};

/** The words of `[ … ]`, operators too. */
const leaves = (node: Node): Node[] =>
  node.children.flatMap((child) =>
    !child || /^[[\]]+$/.test(child.text)
      ? []
      : /^(?:unary|binary|negated|parenthesized|test)_/.test(child.type) && child.type !== "test_operator"
        ? leaves(child)
        : [child],
  );

const changed = (before: ReadonlyMap<string, Value>, { variables }: Scope, besides: string): boolean =>
  [...variables].some(([name, value]) => name !== besides && before.get(name) !== value);

const readsLines = (node: Node): boolean =>
  /^(?:read|mapfile|readarray)$/.test(node.childForFieldName("name")?.text ?? "");

/** A program of the system is known by its name, wherever the system keeps it. */
const programName = (first: string): string | undefined => {
  const match = /^(?:\/(?:usr\/(?:local\/)?)?s?bin\/|\/opt\/homebrew\/bin\/)?([^/]+)$/.exec(first);
  return match?.[1];
};
