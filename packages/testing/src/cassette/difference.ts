import { isRecord } from "./json.js";

const SHOWN = 120;

/** A value short enough for a message; of two long texts what surrounds the place where they part. */
const show = (value: unknown, from = 0): string => {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  const start = Math.max(0, from - 40);
  const cut = text.slice(start, start + SHOWN);
  return `${start > 0 ? "…" : ""}${cut}${start + SHOWN < text.length ? "…" : ""}`;
};

const partingOf = (a: string, b: string): number => {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
};

/** The first place where two JSON values differ, in words; undefined when they are equal. */
export const firstDifference = (recorded: unknown, asked: unknown, path = ""): string | undefined => {
  if (Array.isArray(recorded) && Array.isArray(asked)) {
    for (let at = 0; at < Math.max(recorded.length, asked.length); at += 1) {
      const found = firstDifference(recorded[at], asked[at], `${path}[${at}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isRecord(recorded) && isRecord(asked)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(asked)])) {
      const found = firstDifference(recorded[key], asked[key], path === "" ? key : `${path}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (Object.is(recorded, asked)) return undefined;
  const parting = typeof recorded === "string" && typeof asked === "string" ? partingOf(recorded, asked) : 0;
  return `${path}: recorded ${show(recorded, parting)}, asked ${show(asked, parting)}`;
};
