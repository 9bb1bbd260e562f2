import type { TestFailure } from "../test-runner-port.js";
import {
  added,
  countsOf,
  failureOf,
  numbersByWord,
  placeIn,
  sections,
  type OutputParser,
} from "./parsed-run.js";

/** The default reporter of vitest 1 to 4. */
export const parseVitest: OutputParser = (output) => {
  const summaries = [...output.matchAll(/^ +Tests +((?:\d+ \w+(?: \| )?)+|no tests)/gm)].map(
    ([, text = ""]) => {
      const said = numbersByWord(text);
      return countsOf(said["passed"], said["failed"], (said["skipped"] ?? 0) + (said["todo"] ?? 0));
    },
  );
  const failures = sections(output, /^ FAIL {2}(.+)$/gm).map(({ heading, body }) => {
    const [file, ...names] = (heading[1] ?? "").replace(/^\|[^|]+\| /, "").split(" > ");
    const text = body.split(/^(?:⎯{4,}| +Test Files )/m)[0] ?? "";
    const place = placeIn(text);
    const path = file?.replace(/ \[.*\]$/, "");
    return failureOf(names.length > 0 ? names.join(" > ") : (path ?? ""), text.split(/^ ❯ /m)[0] ?? "", {
      file: path,
      line: place.file === path ? place.line : undefined,
    });
  });
  return { ...added(summaries), failures };
};

/** The default reporter of jest. */
export const parseJest: OutputParser = (output) => {
  const summaries = [...output.matchAll(/^Tests: +(.+ total)$/gm)].map(([, text = ""]) => {
    const said = numbersByWord(text);
    return countsOf(said["passed"], said["failed"], (said["skipped"] ?? 0) + (said["todo"] ?? 0));
  });
  const failures: TestFailure[] = [];
  const seen = new Set<string>();
  for (const file of sections(output, /^(?:FAIL|PASS) (\S+).*$/gm)) {
    for (const failed of sections(file.body, /^ {2}● (.+)$/gm)) {
      const [path, name] = [file.heading[1] ?? "", failed.heading[1] ?? ""];
      // With many suites jest says all failures again at the end.
      if (/^Console$/.test(name) || seen.has(`${path}\0${name}`)) continue;
      seen.add(`${path}\0${name}`);
      const stack = failed.body.match(/^ +at .*$/gm)?.find((line) => line.includes(`${path}:`)) ?? "";
      const message = failed.body.split(/^(?:Test Suites: | +(?:at |> ?\d+ \||\d+ \|))/m)[0] ?? "";
      failures.push(failureOf(name, message, { file: path, line: placeIn(stack).line }));
    }
  }
  return { ...added(summaries), failures };
};

/** The spec reporter of mocha. */
export const parseMocha: OutputParser = (output) => {
  const summaries = sections(output, /^ {2}(\d+) passing \(.*\)$((?:\n {2}\d+ (?:pending|failing)$)*)/gm);
  const counts = summaries.map(({ heading }) => {
    const said = numbersByWord(heading[2] ?? "");
    return countsOf(Number(heading[1]), said["failing"], said["pending"]);
  });
  const failures = summaries.flatMap((summary) =>
    sections(summary.body, /^ {2}\d+\) ((?:.+\n(?! *\n))*?.*):$/gm).map(({ heading, body }) => {
      const name = (heading[1] ?? "")
        .split("\n")
        .map((line) => line.trim())
        .join(" > ");
      return failureOf(
        name,
        body.split(/^ +at /m)[0] ?? "",
        placeIn(body.match(/^ +at .*$/gm)?.join("\n") ?? ""),
      );
    }),
  );
  return { ...added(counts), failures };
};

// Whole, as node prints it: what a test prints is a comment in TAP, too.
const NODE_SUMMARY =
  /^(#|ℹ) tests \d+\n(?:\1 suites \d+\n)?\1 pass (\d+)\n\1 fail (\d+)\n(?:\1 cancelled (\d+)\n)?(?:\1 skipped (\d+)\n)?(?:\1 todo (\d+)$)?/gm;

/** node:test, TAP and spec reporters: both end with the same numbers. */
export const parseNode: OutputParser = (output) => {
  const summaries = [...output.matchAll(NODE_SUMMARY)].map(([, , ...numbers]) => {
    const [passed = 0, failed = 0, cancelled = 0, skipped = 0, todo = 0] = numbers.map((each) =>
      Number(each ?? 0),
    );
    return countsOf(passed, failed + cancelled, skipped + todo);
  });
  const failures = output.includes("TAP version") ? tapFailures(output) : specFailures(output);
  return { ...added(summaries), failures };
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
    output
      .split(/^✖ failing tests:$/m)
      .slice(1)
      .join("\n"),
    /^test at (.+):(\d+):\d+\n✖ (.*?)(?: \([\d.]+ms\))?$/gm,
  ).map(({ heading, body }) =>
    failureOf(heading[3] ?? "", body.split(/^ +at /m)[0] ?? "", {
      file: heading[1],
      line: Number(heading[2]),
    }),
  );
