import type { TestFailure } from "../test-runner-port.js";
import { countsOf, failureOf, numbersByWord, placeIn, sections, type OutputParser } from "./parsed-run.js";

/** The default reporter of vitest 1 to 4. */
export const parseVitest: OutputParser = (output) => {
  const summary = /^ +Tests +((?:\d+ \w+(?: \| )?)+|no tests)/m.exec(output)?.[1];
  const said = numbersByWord(summary ?? "");
  const failures = sections(output.split(/^ +Test Files /m)[0] ?? "", /^ FAIL {2}(.+)$/gm).map(
    ({ heading, body }) => {
      const [file, ...names] = (heading[1] ?? "").replace(/^\|[^|]+\| /, "").split(" > ");
      const text = body.split(/^⎯{4,}/m)[0] ?? "";
      const place = placeIn(text);
      const path = file?.replace(/ \[.*\]$/, "");
      return failureOf(names.length > 0 ? names.join(" > ") : (path ?? ""), text.split(/^ ❯ /m)[0] ?? "", {
        file: path,
        line: place.file === path ? place.line : undefined,
      });
    },
  );
  if (summary === undefined) return { failures };
  return {
    counts: countsOf(said["passed"], said["failed"], (said["skipped"] ?? 0) + (said["todo"] ?? 0)),
    failures,
  };
};

/** The default reporter of jest. */
export const parseJest: OutputParser = (output) => {
  const summary = /^Tests: +(.+ total)$/m.exec(output)?.[1];
  const said = numbersByWord(summary ?? "");
  const failures: TestFailure[] = [];
  const seen = new Set<string>();
  const body = output.split(/^Test Suites: /m)[0] ?? "";
  for (const file of sections(body, /^(?:FAIL|PASS) (\S+).*$/gm)) {
    for (const failed of sections(file.body, /^ {2}● (.+)$/gm)) {
      const [path, name] = [file.heading[1] ?? "", failed.heading[1] ?? ""];
      // With many suites jest says all failures again at the end.
      if (/^Console$/.test(name) || seen.has(`${path}\0${name}`)) continue;
      seen.add(`${path}\0${name}`);
      const stack = failed.body.match(/^ +at .*$/gm)?.find((line) => line.includes(`${path}:`)) ?? "";
      const message = failed.body.split(/^ +(?:at |> ?\d+ \||\d+ \|)/m)[0] ?? "";
      failures.push(failureOf(name, message, { file: path, line: placeIn(stack).line }));
    }
  }
  if (summary === undefined) return { failures };
  return {
    counts: countsOf(said["passed"], said["failed"], (said["skipped"] ?? 0) + (said["todo"] ?? 0)),
    failures,
  };
};

/** The spec reporter of mocha. */
export const parseMocha: OutputParser = (output) => {
  const summary = /^ {2}(\d+) passing \(.*\)$((?:\n {2}\d+ (?:pending|failing)$)*)/m.exec(output);
  if (!summary) return { failures: [] };
  const said = numbersByWord(summary[2] ?? "");
  const rest = output.slice(summary.index);
  const failures = sections(rest, /^ {2}\d+\) ((?:.+\n(?! *\n))*?.*):$/gm).map(({ heading, body }) => {
    const name = (heading[1] ?? "")
      .split("\n")
      .map((line) => line.trim())
      .join(" > ");
    return failureOf(
      name,
      body.split(/^ +at /m)[0] ?? "",
      placeIn(body.match(/^ +at .*$/gm)?.join("\n") ?? ""),
    );
  });
  return { counts: countsOf(Number(summary[1]), said["failing"], said["pending"]), failures };
};

/** node:test, TAP and spec reporters: both end with the same numbers. */
export const parseNode: OutputParser = (output) => {
  const number = (word: string): number | undefined => {
    const found = new RegExp(`^(?:#|ℹ) ${word} (\\d+)$`, "m").exec(output)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const failures = output.includes("TAP version") ? tapFailures(output) : specFailures(output);
  const [passed, failed] = [number("pass"), number("fail")];
  if (passed === undefined || failed === undefined) return { failures };
  const skipped = (number("skipped") ?? 0) + (number("todo") ?? 0);
  return { counts: countsOf(passed, failed + (number("cancelled") ?? 0), skipped), failures };
};

const tapFailures = (output: string): TestFailure[] => {
  const names: string[] = [];
  const failures: TestFailure[] = [];
  for (const { heading, body } of sections(output, /^( *)(# Subtest: |not ok \d+ - |ok \d+)(.*)$/gm)) {
    const [, indent = "", kind = "", name = ""] = heading;
    const depth = indent.length / 4;
    if (kind.startsWith("#")) {
      names[depth] = name;
      continue;
    }
    if (!kind.startsWith("not ok") || / # (?:TODO|SKIP)/.test(name)) continue;
    // A suite fails because of what is in it, which has been told.
    if (/^ *failureType: 'subtestsFailed'$/m.test(body)) continue;
    const location = /^ *location: '(.+):(\d+):\d+'$/m.exec(body);
    const error = /^ *error: (?:'(.*)'|\|-\n([^]*?)\n *(?:code|name|stack):|(.*))/m.exec(body);
    failures.push(
      failureOf([...names.slice(0, depth), name].join(" > "), error?.[1] ?? error?.[2] ?? error?.[3] ?? "", {
        file: location?.[1],
        line: location ? Number(location[2]) : undefined,
      }),
    );
  }
  return failures;
};

const specFailures = (output: string): TestFailure[] =>
  sections(
    output.split(/^✖ failing tests:$/m)[1] ?? "",
    /^test at (.+):(\d+):\d+\n✖ (.*?)(?: \([\d.]+ms\))?$/gm,
  ).map(({ heading, body }) =>
    failureOf(heading[3] ?? "", body.split(/^ +at /m)[0] ?? "", {
      file: heading[1],
      line: Number(heading[2]),
    }),
  );
