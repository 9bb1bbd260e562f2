/** What a sed script does beyond printing. */
export interface SedScript {
  /** False when it is not understood to its end. */
  readonly understood: boolean;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Commands that it runs; an empty one stands for what it has matched. */
  readonly runs: readonly string[];
}

const ADDRESS = /^(?:\d+(?:~\d+)?|\$|[+~]\d+)/;
const ALONE = /^[={}dDgGhHnNpPxzF]/;

/** Reads a sed script command by command, as sed does. */
export const readSedScript = (script: string): SedScript => {
  const reads: string[] = [];
  const writes: string[] = [];
  const runs: string[] = [];
  const found = (understood: boolean): SedScript => ({ understood, reads, writes, runs });
  let at = 0;
  const skip = (pattern: RegExp): string => {
    const match = pattern.exec(script.slice(at))?.[0] ?? "";
    at += match.length;
    return match;
  };
  /** Up to the delimiter that is not escaped; false where there is none. */
  const delimited = (delimiter: string, isPattern = true): boolean => {
    for (; at < script.length; at += 1) {
      // Not every sed ends the pattern at a delimiter in brackets.
      if (isPattern && /^\[\^?\]?[^\]]*/.exec(script.slice(at))?.[0].includes(delimiter)) return false;
      if (script[at] === "\\") at += 1;
      else if (script[at] === delimiter) {
        at += 1;
        return true;
      }
    }
    return false;
  };
  const address = (): boolean => {
    if (skip(ADDRESS) !== "") return true;
    const custom = script[at] === "\\";
    if (!custom && script[at] !== "/") return true;
    const delimiter = script[at + (custom ? 1 : 0)];
    at += custom ? 2 : 1;
    const closed = delimiter !== undefined && delimited(delimiter);
    skip(/^[IM]*/);
    return closed;
  };
  const line = (): string => skip(/^[^\n]*/).trim();
  const substitution = (command: string): boolean => {
    const delimiter = script[at] ?? "\n";
    at += 1;
    if (delimiter === "\n" || delimiter === "\\" || !delimited(delimiter) || !delimited(delimiter, false))
      return false;
    if (command === "y") return true;
    const flags = skip(/^[gpiImMe\d ]*/);
    if (flags.includes("e")) runs.push("");
    if (script[at] !== "w") return true;
    at += 1;
    writes.push(line());
    return true;
  };
  while (at < script.length) {
    skip(/^[\s;]+/);
    if (at >= script.length) break;
    if (!address()) return found(false);
    skip(/^\s*/);
    if (script[at] === ",") {
      skip(/^,\s*/);
      if (!address()) return found(false);
    }
    skip(/^[\s!]*/);
    const command = script[at] ?? "";
    at += 1;
    if (ALONE.test(command)) skip(/^\s*/);
    else if (/[lLqQ]/.test(command)) skip(/^\s*\d*/);
    else if (/[btTv:]/.test(command)) skip(/^[^\n;}]*/);
    else if (command === "#") line();
    else if (/[aic]/.test(command)) skip(/^(?:\\[^]|[^\n\\])*/);
    else if (/[rR]/.test(command)) reads.push(line());
    else if (/[wW]/.test(command)) writes.push(line());
    else if (command === "e") runs.push(line());
    else if (/[sy]/.test(command)) {
      if (!substitution(command)) return found(false);
    } else return found(false);
    skip(/^[ \t]*/);
    if (at < script.length && !/[;\n}#]/.test(script[at] as string) && !/[{}]/.test(command))
      return found(false);
  }
  return found(true);
};
