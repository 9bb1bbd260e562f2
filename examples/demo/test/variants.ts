import { fileURLToPath } from "node:url";
import { readProject, type ProjectFiles } from "./project.js";
import { PROJECTS } from "./variant-projects.js";
import { replaceOnce, type Variant } from "./variant.js";

export const WORKSPACE = fileURLToPath(new URL("../workspace", import.meta.url));

/** The demo's workspace with its fault repaired. Tests may know the answer; the policy may not. */
const repaired = (): ProjectFiles => {
  const files = readProject(WORKSPACE);
  return {
    ...files,
    "src/interval.js": replaceOnce(files["src/interval.js"] ?? "", "a.start <= b.end", "a.start < b.end"),
  };
};

/** Other words for everything that the workspace gives a name to, and other places for its files. */
const WORDS: Readonly<Record<string, string>> = {
  parseTime: "readHour",
  formatTime: "showHour",
  formatLength: "showSpan",
  interval: "stretch",
  lengthOf: "extent",
  overlaps: "collides",
  gaps: "holes",
  Calendar: "Berth",
  ConflictError: "OccupiedError",
  bookings: "moorings",
  booking: "mooring",
  book: "moor",
  cancel: "castOff",
  freeSlots: "openWater",
  dayPlan: "harbourBoard",
  longestBreak: "calmest",
  MINUTES_PER_HOUR: "TICKS",
  OPENING_HOURS: "DAYLIGHT",
  minutes: "ticks",
  hours: "bells",
  start: "arrives",
  end: "leaves",
  whole: "tide",
  busy: "taken",
  cursor: "mark",
  free: "open",
  existing: "berthed",
  title: "ship",
};
const PLACES: Readonly<Record<string, string>> = {
  "src/clock.js": "lib/shared/bells.js",
  "src/interval.js": "lib/shared/stretches.js",
  "src/calendar.js": "lib/harbour/berth.js",
  "src/plan.js": "lib/harbour/board.js",
  "test/clock.test.js": "tests/unit/bells.test.js",
  "test/calendar.test.js": "tests/unit/berth.test.js",
  "test/plan.test.js": "tests/unit/board.test.js",
};
const SPECIFIERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  lib: {
    clock: "../shared/bells.js",
    interval: "../shared/stretches.js",
    calendar: "./berth.js",
    plan: "./board.js",
  },
  tests: {
    clock: "../../lib/shared/bells.js",
    interval: "../../lib/shared/stretches.js",
    calendar: "../../lib/harbour/berth.js",
    plan: "../../lib/harbour/board.js",
  },
};

const renamed = (text: string): string =>
  text.replace(/[A-Za-z_][\w]*/g, (word) => (Object.hasOwn(WORDS, word) ? (WORDS[word] ?? word) : word));

const relocated = (files: ProjectFiles): ProjectFiles =>
  Object.fromEntries(
    Object.entries(files).flatMap(([path, text]) => {
      const place = PLACES[path];
      if (!place) return path === "package.json" ? [[path, text.replace("room-booking", "harbour")]] : [];
      const specifiers = SPECIFIERS[place.split("/")[0] ?? ""] ?? {};
      const moved = text.replace(
        /"\.\.?\/(?:src\/)?(\w+)\.js"/g,
        (_, name: string) => `"${specifiers[name] ?? ""}"`,
      );
      const parts = moved.split(/(from "[^"]*")/);
      return [[place, parts.map((part) => (part.startsWith('from "') ? part : renamed(part))).join("")]];
    }),
  );

const elsewhere = (name: string, path: string, before: string, after: string): Variant => {
  const files = relocated(repaired());
  return {
    name,
    files: { ...files, [path]: replaceOnce(files[path] ?? "", before, after) },
  };
};

/** The workspace's own code under other names, in other folders, with the fault in another place. */
const RELOCATED: readonly Variant[] = [
  elsewhere(
    "a digit padded on the wrong side",
    "lib/shared/bells.js",
    "String(bells).padStart(2",
    "String(bells).padEnd(2",
  ),
  elsewhere("min for max", "lib/shared/stretches.js", "Math.max(mark", "Math.min(mark"),
  elsewhere(
    "a filter that keeps what it should drop",
    "lib/harbour/berth.js",
    "mooring.ship !== ship",
    "mooring.ship === ship",
  ),
  elsewhere(
    "a comparator the wrong way round",
    "lib/harbour/berth.js",
    "a.arrives - b.arrives",
    "b.arrives - a.arrives",
  ),
  elsewhere(
    "a list that is never empty",
    "lib/harbour/board.js",
    "calendar.moorings.length === 0",
    "calendar.moorings.length !== 0",
  ),
];

/**
 * The workspace as it ships, and the rest. The weights of the mutations were set with most of these at hand; the last
 * five projects were written after that and passed as they were.
 */
export const variants = (): readonly Variant[] => [
  {
    name: "the workspace of the demo",
    files: readProject(WORKSPACE),
  },
  ...RELOCATED,
  ...PROJECTS,
];
