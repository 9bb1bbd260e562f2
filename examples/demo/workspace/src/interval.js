import { parseTime } from "./clock.js";

/** The stretch from one time of day to another. It holds its start and not its end. */
export function interval(from, to) {
  const start = parseTime(from);
  const end = parseTime(to);
  if (end <= start) throw new RangeError(`${to} is not after ${from}`);
  return { start, end };
}

export function lengthOf({ start, end }) {
  return end - start;
}

/** Whether two stretches share any time. */
export function overlaps(a, b) {
  return a.start <= b.end && b.start < a.end;
}

/** What is left of a stretch once the busy ones, sorted by start, are taken out. */
export function gaps(whole, busy) {
  const free = [];
  let cursor = whole.start;
  for (const { start, end } of busy) {
    if (start > cursor) free.push({ start: cursor, end: start });
    cursor = Math.max(cursor, end);
  }
  if (cursor < whole.end) free.push({ start: cursor, end: whole.end });
  return free;
}
