import type { Mutation } from "./mutations/mutation.js";

/** The arguments of one `edit_file` call. */
export interface Edit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

const occursOnce = (text: string, part: string): boolean =>
  text.indexOf(part) >= 0 && text.indexOf(part) === text.lastIndexOf(part);

const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;
const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

/**
 * A mutation as an edit of whole lines, with as many lines around as make it unique in the file, before the change and
 * after it: the inverse edit must find its place as well.
 */
export const editFor = (path: string, source: string, mutation: Mutation): Edit | undefined => {
  const changed = source.slice(0, mutation.start) + mutation.replacement + source.slice(mutation.end);
  let start = lineStart(source, mutation.start);
  let end = lineEnd(source, mutation.end);
  const grown = changed.length - source.length;
  for (;;) {
    const before = source.slice(start, end);
    const after = changed.slice(start, end + grown);
    if (before.trim() !== "" && occursOnce(source, before) && occursOnce(changed, after))
      return { path, before, after };
    if (start === 0 && end === source.length) return undefined;
    start = start === 0 ? 0 : lineStart(source, start - 1);
    end = end === source.length ? end : lineEnd(source, end + 1);
  }
};

export const inverse = (edit: Edit): Edit => ({ path: edit.path, before: edit.after, after: edit.before });

export const sameEdit = (left: Edit, right: Edit): boolean =>
  left.path === right.path && left.before === right.before && left.after === right.after;

/** The text after an edit; undefined when the edit does not apply to it. */
export const applyEdit = (source: string, edit: Edit): string | undefined => {
  const at = source.indexOf(edit.before);
  return at < 0 ? undefined : source.slice(0, at) + edit.after + source.slice(at + edit.before.length);
};

export const editCall = (edit: Edit): { name: "edit_file"; args: Record<string, unknown> } => ({
  name: "edit_file",
  args: { file_path: edit.path, old_string: edit.before, new_string: edit.after },
});

/** The one line of an edit that differs, before and after, and its number in the source that it applies to. */
export const changedLine = (source: string, edit: Edit): { line: number; before: string; after: string } => {
  const before = edit.before.split("\n");
  const after = edit.after.split("\n");
  const index = Math.max(
    0,
    before.findIndex((text, at) => text !== after[at]),
  );
  const at = source.indexOf(edit.before);
  return {
    line: (at < 0 ? 0 : source.slice(0, at).split("\n").length - 1) + index + 1,
    before: (before[index] ?? "").trim(),
    after: (after[index] ?? "").trim(),
  };
};
