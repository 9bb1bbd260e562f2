import {
  added,
  countsOf,
  failureOf,
  numbersByWord,
  placeIn,
  sections,
  type OutputParser,
} from "./parsed-run.js";

/** pytest, its short summary (`-rfE`) included when there is one. */
export const parsePytest: OutputParser = (output) => {
  const summaries = [...output.matchAll(/^=* ?((?:\d+ [a-z]+(?:, )?)+|no tests ran) in [\d.]+s.*$/gm)].map(
    ([, text = ""]) => {
      const said = numbersByWord(text);
      return countsOf(
        (said["passed"] ?? 0) + (said["xpassed"] ?? 0),
        (said["failed"] ?? 0) + (said["error"] ?? 0),
        (said["skipped"] ?? 0) + (said["xfailed"] ?? 0),
      );
    },
  );
  // "test_a.py:5: AssertionError" at the end of each traceback.
  const places = new Map<string, { message: string; line?: number }>();
  for (const { heading, body } of sections(output, /^_{3,} (?:ERROR at \w+ of )?(.+?) _{3,}$/gm)) {
    const message = (body.match(/^E {3}.*$/gm) ?? []).map((line) => line.slice(4)).join("\n");
    const line = [...body.matchAll(/^[\w./\\-]+\.py:(\d+): \w/gm)].at(-1)?.[1];
    places.set(heading[1] ?? "", { message, ...(line === undefined ? {} : { line: Number(line) }) });
  }
  const short = output
    .split(/^=+ short test summary info =+$/m)
    .slice(1)
    .join("\n");
  const failures = [...short.matchAll(/^(?:FAILED|ERROR) (\S+?\.py)(?:::(.+?))?(?: - (.*))?$/gm)].map(
    ([, file = "", name = "", message = ""]) => {
      const told = places.get(name.replaceAll("::", "."));
      return failureOf(name.replaceAll("::", " > ") || file, told?.message || message, {
        file,
        line: told?.line,
      });
    },
  );
  return { ...added(summaries), failures };
};

/** `go test -v`; without -v passes are not told one by one, and nothing is counted. */
export const parseGo: OutputParser = (output) => {
  const ends = [...output.matchAll(/^ *--- (PASS|FAIL|SKIP): (\S+)/gm)];
  const failed = ends.filter(([, how]) => how === "FAIL").map(([, , name = ""]) => name);
  // A test fails because of its subtests, which are told too.
  const leaves = failed.filter((name) => !failed.some((other) => other.startsWith(`${name}/`)));
  const failures = leaves.map((name) => {
    const body = sections(output, /^=== (?:RUN|CONT) +(\S+)$/gm)
      .filter(({ heading }) => heading[1] === name)
      .map((section) => section.body.split(/^ *--- /m)[0] ?? "")
      .join("");
    const after =
      output
        .split(`--- FAIL: ${name} `)[1]
        ?.split(/^(?:\S| *--- )/m)[0]
        ?.replace(/^.*\n/, "") ?? "";
    const message = body.trim() === "" ? after : body;
    const place = /^\s*([\w./-]+_test\.go):(\d+):/m.exec(message);
    return failureOf(name, message, { file: place?.[1], line: place ? Number(place[2]) : undefined });
  });
  for (const { heading, body } of sections(output, /^# (\S+)(?: \[.*\])?$/gm))
    failures.push(
      failureOf(`${heading[1]} (build)`, body.split(/^(?:FAIL|ok|---)\b/m)[0] ?? "", placeIn(` ${body}`)),
    );
  // Without -v there are no such lines, or those of failures alone.
  if (!/^=== RUN /m.test(output)) return { failures };
  const count = (how: string): number => ends.filter(([, each]) => each === how).length;
  return { counts: countsOf(count("PASS"), count("FAIL"), count("SKIP")), failures };
};

/** `cargo test`: every binary of the run has its own result line. */
export const parseCargo: OutputParser = (output) => {
  const results = [...output.matchAll(/^test result: \w+\. (.+)$/gm)].map(([, text = ""]) =>
    numbersByWord(text),
  );
  const failures = sections(output, /^---- (.+?) (?:stdout )?----$/gm).map(({ heading, body }) => {
    const text = body.split(/^(?:failures:|stack backtrace:|note: run with)/m)[0] ?? "";
    const panic = /panicked at (?:'(.*)', )?(\S+?):(\d+):\d+:?/.exec(text);
    const message = panic ? (panic[1] ?? text.slice(panic.index + panic[0].length)) : text;
    return failureOf(heading[1] ?? "", message, {
      file: panic?.[2],
      line: panic ? Number(panic[3]) : undefined,
    });
  });
  for (const { heading, body } of sections(output, /^error(\[E\d+\])?: (.+)$/gm)) {
    const place = /^ *--> (.+?):(\d+):\d+$/m.exec(body);
    if (place)
      failures.push(failureOf(`${heading[2]} (build)`, body, { file: place[1], line: Number(place[2]) }));
  }
  if (results.length === 0) return { failures };
  const sum = (word: string): number => results.reduce((total, each) => total + (each[word] ?? 0), 0);
  return { counts: countsOf(sum("passed"), sum("failed"), sum("ignored")), failures };
};
