import { isTestFile, knownPath } from "./project-files.js";
import { regionsOf, type Region } from "./regions.js";
import type { BriefedFailure, Suspect } from "./survey.js";

interface Located extends Region {
  readonly path: string;
}

/** Suspects in one report. */
const REPORTED = 14;
/** How much of a suspicion reaches what a suspect calls. */
const CALLED = 0.9;

const contains = (region: Located, path: string | undefined, line: number): boolean =>
  region.path === path && region.firstLine <= line && line <= region.lastLine;

/**
 * Distance of every region from a test, by names alone: 1 when the test says its name, 2 when such a region says it.
 * There is no scope analysis, so two functions of one name are both reached; that only costs attempts.
 */
const reach = (
  test: Located,
  regions: readonly Located[],
  helpers: readonly Located[],
): ReadonlyMap<Located, number> => {
  const distances = new Map<Located, number>();
  // Helpers of the test file are part of the test.
  const own = helpers.filter((helper) => helper.path === test.path && test.words.has(helper.name));
  let words = new Set([...test.words, ...own.flatMap((helper) => [...helper.words])]);
  for (let distance = 1; words.size > 0; distance += 1) {
    const found = regions.filter((region) => !distances.has(region) && words.has(region.name));
    for (const region of found) distances.set(region, distance);
    words = new Set(found.flatMap((region) => [...region.words]));
  }
  return distances;
};

/** Ranks stretches of the sources by how likely they are to hold the fault. */
export const rankSuspects = (
  failures: readonly BriefedFailure[],
  sources: ReadonlyMap<string, string>,
): readonly Suspect[] => {
  const known = new Set(sources.keys());
  const located = [...sources].flatMap(([path, source]) =>
    regionsOf(source).map((region): Located => ({ ...region, path })),
  );
  const tests = located.filter((region) => region.kind === "test");
  const helpers = located.filter((region) => region.kind !== "test" && isTestFile(region.path));
  const regions = located.filter(
    (region) => region.kind !== "test" && region.kind !== "class" && !isTestFile(region.path),
  );

  const pointedAt = tests.filter((test) =>
    failures.some(({ at, stack }) =>
      [at, ...stack].some((frame) => frame && contains(test, knownPath(frame.file, known), frame.line)),
    ),
  );
  // A file that did not load, or a hook that threw, fails every test of its file.
  const failing =
    pointedAt.length > 0
      ? pointedAt
      : tests.filter((test) => failures.some(({ at }) => at && knownPath(at.file, known) === test.path));
  const reachedBy = new Map(tests.map((test) => [test, reach(test, regions, helpers)] as const));
  const frames = failures.flatMap(({ stack }) =>
    stack.map((frame, depth) => ({ path: knownPath(frame.file, known), line: frame.line, depth })),
  );

  // The constructor of an error stands in the stack because the error was made, not because it is wrong.
  const inStacks = regions.filter((region) => !/(?:Error|Exception)$/.test(region.name));
  const stackScores = new Map(
    inStacks.flatMap((region) => {
      const depths = frames.flatMap((frame) =>
        contains(region, frame.path, frame.line) ? [frame.depth] : [],
      );
      return depths.length > 0 ? [[region, Math.max(0.1, 1 - 0.15 * Math.min(...depths))] as const] : [];
    }),
  );

  const suspects = regions.flatMap((region): Suspect[] => {
    const reaching = (those: readonly Located[]): readonly number[] =>
      those.flatMap((test) => reachedBy.get(test)?.get(region) ?? []);
    const distances = reaching(failing);
    const passes = reaching(tests.filter((test) => !failing.includes(test))).length;
    // Ochiai's measure from fault localisation, over names instead of coverage.
    const spectrum =
      distances.length === 0 ? 0 : distances.length / Math.sqrt(failing.length * (distances.length + passes));
    const near = distances.length === 0 ? 0 : CALLED ** (Math.min(...distances) - 1);
    const inStack = frames.filter((frame) => contains(region, frame.path, frame.line));
    const own = stackScores.get(region) ?? 0;
    const callers = [...stackScores].filter(([caller]) => caller !== region && caller.words.has(region.name));
    const called = Math.max(0, ...callers.map(([, callerScore]) => callerScore * CALLED));
    const stack = Math.max(own, called);
    const score = Math.max(stack, near * (0.45 + 0.5 * spectrum));
    if (score <= 0) return [];
    const named = distances.length > 0 ? (Math.min(...distances) === 1 ? "named by" : "reached from") : "";
    const reasons = [
      ...(inStack.length > 0 ? ["in the stack of the failure"] : []),
      ...(named ? [`${named} ${distances.length} failing and ${passes} passing tests`] : []),
    ];
    return [
      {
        path: region.path,
        firstLine: region.firstLine,
        lastLine: region.lastLine,
        name: region.name,
        score: Math.max(0.05, Math.min(1, score)),
        stackLines: [...new Set(inStack.map((frame) => frame.line))],
        why: reasons.join(", "),
      },
    ];
  });

  const whole = [...sources]
    .filter(([path]) => !isTestFile(path))
    .map(([path, source]): Suspect => {
      const stackLines = frames.filter((frame) => frame.path === path).map((frame) => frame.line);
      return {
        path,
        firstLine: 1,
        lastLine: source.split("\n").length,
        name: "the rest of the file",
        score: stackLines.length > 0 ? 0.4 : 0.15,
        stackLines: [...new Set(stackLines)],
        why: stackLines.length > 0 ? "in the stack of the failure" : "imported by the failing tests",
      };
    });
  const byScore = (left: Suspect, right: Suspect): number =>
    right.score - left.score || left.path.localeCompare(right.path) || left.firstLine - right.firstLine;
  return [...suspects.sort(byScore).slice(0, REPORTED), ...whole.sort(byScore).slice(0, 6)];
};
