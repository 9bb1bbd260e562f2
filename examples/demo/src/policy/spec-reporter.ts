import { frameIn, pairInShortForm, pairsInDiff, type TestFailure, type ValuePair } from "./test-run.js";

const property = (lines: readonly string[], name: string): string | undefined => {
  const line = lines.find((text) => text.trimStart().startsWith(`${name}: `));
  return line
    ?.trim()
    .slice(name.length + 2)
    .replace(/,$/, "");
};

const pairsOf = (message: string, lines: readonly string[]): readonly ValuePair[] => {
  const diff = pairsInDiff(message);
  if (diff.length > 0) return diff;
  const short = pairInShortForm(message);
  if (short) return [short];
  const expected = property(lines, "expected");
  const actual = property(lines, "actual");
  return expected !== undefined && actual !== undefined ? [{ expected, actual }] : [];
};

const ERROR = /^\s*((?:[A-Z]\w*)?Error)(?: \[[^\]]*\])?: (.*)$/;

const failureFrom = (name: string, location: string, body: readonly string[]): TestFailure | undefined => {
  const errorAt = body.findIndex((line) => ERROR.test(line));
  const stackAt = body.findIndex((line) => /^\s+at /.test(line));
  const error = errorAt < 0 ? undefined : ERROR.exec(body[errorAt] ?? "");
  const text = body.join("\n").trim();
  if (!error && /^'?\d+ subtests? failed'?$/.test(text)) return undefined;
  const message = error
    ? [error[2] ?? "", ...body.slice(errorAt + 1, stackAt < 0 ? undefined : stackAt)].join("\n")
    : text.replace(/^'([^]*)'$/, "$1");
  return {
    name,
    location: frameIn(location),
    errorName: error?.[1] ?? "",
    message,
    operator: (property(body, "operator") ?? "").replaceAll("'", ""),
    pairs: pairsOf(message, body),
    frames: body
      .filter((line) => /^\s+at /.test(line))
      .map(frameIn)
      .filter((frame) => frame !== undefined),
  };
};

/**
 * The failing tests in the spec format, which newer Node versions write everywhere. They are listed once more at the
 * end, flat and with their location; only that list is read.
 */
export const failuresInSpec = (output: string): readonly TestFailure[] => {
  const lines = output.split("\n");
  const start = lines.findIndex((line) => line.startsWith("✖ failing tests:"));
  if (start < 0) return [];
  const list = lines.slice(start + 1);
  const heads = list.flatMap((line, index) => (line.startsWith("test at ") ? [index] : []));
  return heads.flatMap((at, index) => {
    const name = /^✖ (.*?)(?: \([\d.]+ms\))?$/.exec(list[at + 1] ?? "")?.[1];
    if (name === undefined) return [];
    const failure = failureFrom(name, list[at] ?? "", list.slice(at + 2, heads[index + 1]));
    return failure ? [failure] : [];
  });
};
