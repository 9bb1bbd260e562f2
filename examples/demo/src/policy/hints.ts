import type { TestFailure, ValuePair } from "./test-run.js";

/** What the failures say about the kind of fault, whatever the project is about. */
export interface Hints {
  readonly numbers: readonly { readonly expected: number; readonly actual: number }[];
  readonly texts: readonly { readonly expected: string; readonly actual: string }[];
  /** True came where false was expected, or the other way round. */
  readonly flipped: boolean;
  /** A promise, or what is left of one, stood where a value was expected. */
  readonly promise: boolean;
  /** Undefined or NaN came. */
  readonly nothing: boolean;
  /** Something is missing from a list or too much. */
  readonly size: boolean;
  /** The right values in another order. */
  readonly order: boolean;
  /** An error was expected and none came, or one came and none was expected. */
  readonly thrown: boolean;
  /** Names that the error says are unknown, or were looked up in vain. */
  readonly unknownNames: ReadonlySet<string>;
}

const asNumber = (text: string): number | undefined =>
  /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?n?$/.test(text) ? Number(text.replace(/n$/, "")) : undefined;

const asText = (text: string): string | undefined => /^(['"`])([^]*)\1$/.exec(text)?.[2];

const isBoolean = (text: string): boolean => text === "true" || text === "false";

const PROMISE = /Promise|\bthen\b|is not iterable|\[object Promise\]|still pending/;
const UNKNOWN = [
  /([\w$]+) is not defined/,
  /([\w$]+) is not a function/,
  /([\w$]+) is not a constructor/,
  /\(reading '([\w$]+)'\)/,
  /export named '([\w$]+)'/,
];

const sorted = (values: readonly string[]): string =>
  values
    .filter((value) => value !== "")
    .sort()
    .join("\n");

const reordered = (pairs: readonly ValuePair[]): boolean =>
  pairs.length > 1 && sorted(pairs.map((pair) => pair.expected)) === sorted(pairs.map((pair) => pair.actual));

export const hintsFrom = (failures: readonly TestFailure[]): Hints => {
  const pairs = failures.flatMap((failure) => failure.pairs);
  const messages = failures.map((failure) => failure.message);
  const said = [...messages, ...pairs.map((pair) => pair.actual)].join("\n");
  const hollow = pairs.some(
    ({ actual }) => /^(?:undefined|NaN|null)$/.test(actual) || /undefined|NaN|\[object/.test(actual),
  );
  return {
    numbers: pairs.flatMap(({ expected, actual }) => {
      const wanted = asNumber(expected);
      const came = asNumber(actual);
      return wanted === undefined || came === undefined ? [] : [{ expected: wanted, actual: came }];
    }),
    texts: pairs.flatMap(({ expected, actual }) => {
      const wanted = asText(expected);
      const came = asText(actual);
      // A hole in a text is not a wrong text.
      if (wanted === undefined || came === undefined || /undefined|NaN|\[object/.test(came)) return [];
      return [{ expected: wanted, actual: came }];
    }),
    flipped: pairs.some(({ expected, actual }) => isBoolean(expected) && isBoolean(actual)),
    promise: PROMISE.test(said),
    nothing: hollow || /of undefined|of null/.test(said),
    size: failures.some((failure) =>
      failure.pairs.some(({ expected, actual }) => (expected === "") !== (actual === "")),
    ),
    order: failures.some((failure) => reordered(failure.pairs)),
    thrown: failures.some(
      (failure) =>
        failure.message.startsWith("Missing expected") || !["AssertionError", ""].includes(failure.errorName),
    ),
    unknownNames: new Set(
      messages.flatMap((message) => UNKNOWN.flatMap((pattern) => pattern.exec(message)?.[1] ?? [])),
    ),
  };
};
