import { frameIn, pairInShortForm, pairsInDiff, type TestFailure, type ValuePair } from "./test-run.js";

interface Fields {
  readonly [key: string]: string;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** YAML's quotes off, and nothing else: a value is only ever compared or looked for. */
const unquoted = (value: string): string => value.replace(/^(['"])(.*)\1$/s, "$2");

/** The fields of one diagnostic block. A nested value is its lines as they stand, without the common indent. */
const fieldsOf = (block: readonly string[], indent: number): Fields => {
  const fields: Record<string, string> = {};
  for (let index = 0; index < block.length; index += 1) {
    const match = /^(\w+): ?(.*)$/.exec((block[index] ?? "").slice(indent));
    if (!match || indentOf(block[index] ?? "") !== indent) continue;
    const nested: string[] = [];
    while (index + 1 < block.length) {
      const next = block[index + 1] ?? "";
      if (next.trim() !== "" && indentOf(next) <= indent) break;
      nested.push(next.slice(indent + 2));
      index += 1;
    }
    const inline = match[2] ?? "";
    fields[match[1] ?? ""] = nested.length > 0 ? nested.join("\n") : unquoted(inline);
  }
  return fields;
};

const pairsOf = (fields: Fields): readonly ValuePair[] => {
  const message = fields["error"] ?? "";
  const diff = pairsInDiff(message);
  if (diff.length > 0) return diff;
  const short = pairInShortForm(message);
  if (short) return [short];
  const { expected, actual } = fields;
  return expected !== undefined && actual !== undefined ? [{ expected, actual }] : [];
};

/** A suite fails because a test in it does; the runner says which kind it is. */
const isEcho = (fields: Fields): boolean =>
  fields["failureType"] === "subtestsFailed" ||
  (fields["type"] === "suite" && fields["failureType"] === "cancelledByParent");

/** The failing tests in TAP, the format that node:test writes to a pipe up to Node 22. */
export const failuresInTap = (output: string): readonly TestFailure[] => {
  const lines = output.split("\n");
  return lines.flatMap((line, index) => {
    const match = /^(\s*)not ok \d+ - (.*)$/.exec(line);
    if (!match || /# (?:SKIP|TODO)\b/.test(match[2] ?? "")) return [];
    const indent = (match[1] ?? "").length + 2;
    const start = index + 2;
    const length = lines.slice(start).findIndex((text) => text.trim() === "..." && indentOf(text) === indent);
    const block =
      lines[index + 1]?.trim() === "---" ? lines.slice(start, length < 0 ? undefined : start + length) : [];
    const fields = fieldsOf(block, indent);
    if (isEcho(fields)) return [];
    return [
      {
        name: (match[2] ?? "").replaceAll("\\#", "#"),
        location: frameIn(fields["location"] ?? ""),
        errorName: fields["name"] ?? "",
        message: fields["error"] ?? "",
        operator: fields["operator"] ?? "",
        pairs: pairsOf(fields),
        frames: (fields["stack"] ?? "")
          .split("\n")
          .map(frameIn)
          .filter((frame) => frame !== undefined),
      },
    ];
  });
};
