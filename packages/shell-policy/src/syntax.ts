import type { Node } from "./parser.js";
import type { Scope } from "./scope.js";
import { ask, NOTHING, type Judgement } from "./verdict.js";

/** `$IFS` before something that is no name: the grammar reads the rest of the word into the name. */
export const spellIfs = (text: string): string => text.replaceAll(/\$IFS(?![A-Za-z0-9_])/g, "${IFS}");

/** Printing a variable that is a key by its name. */
export const printsKey = (program: string | undefined, node: Node, scope: Scope): Judgement => {
  if (program !== "echo" && program !== "printf") return NOTHING;
  const shown = node.descendantsOfType(["simple_expansion", "expansion"]).some((each) => {
    const name = /^\$\{?([A-Za-z_]\w*)/.exec(each?.text ?? "")?.[1] ?? "";
    // A name that this text itself sets is no key of the environment's.
    return /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)$/i.test(name) && !scope.variables.has(name);
  });
  return shown ? ask("secrets.environment", "it prints a key", true) : NOTHING;
};

/** Whether a node stands in a substitution below `top`: that one is judged with its own command. */
export const insideSubstitution = (node: Node, top: Node): boolean => {
  for (let at = node.parent; at && at.id !== top.id; at = at.parent) {
    if (at.type === "command_substitution" || at.type === "process_substitution") return true;
  }
  return false;
};

/** A function that starts itself twice, or in the background: each of them does it again. */
export const callsItself = (name: string, body: Node): boolean => {
  const calls = body
    .descendantsOfType(["command_name"])
    .filter((each) => each !== null && each.text === name)
    .map((each) => each as Node);
  if (calls.length === 0) return false;
  if (calls.length > 1) return true;
  return /&\s*(?:[;}\n)]|$)/.test(body.text);
};
