/**
 * A field is one argument as the shell would pass it, with these marks (private use characters, which are refused in the
 * text itself) where it is not known or not plain.
 */
export const UNKNOWN = "\ue000";
/** An unquoted `*`, `?` or `[`, which matches names. */
export const STAR = "\ue001";
export const ANY = "\ue002";
export const CLASS = "\ue003";
/** An argument that a process substitution takes the place of. */
export const PIPE = "\ue004";
/** Behind UNKNOWN where it was not quoted: it may be several arguments, or none. */
export const SPREAD = "\ue005";

const MARKS = /[\ue000-\ue005]/;

export const isKnown = (field: string): boolean => !field.includes(UNKNOWN) && !field.includes(PIPE);
export const hasGlob = (field: string): boolean => /[\ue001-\ue003]/.test(field);
export const hasMarks = (text: string): boolean => MARKS.test(text);

/** As it was written, or nearly. */
export const showField = (field: string): string =>
  field
    .replaceAll(SPREAD, "")
    .replaceAll(UNKNOWN, "…")
    .replaceAll(STAR, "*")
    .replaceAll(ANY, "?")
    .replaceAll(CLASS, "[")
    .replaceAll(PIPE, "<(…)");

/** Marks the glob characters of an unquoted text. */
export const markGlobs = (text: string): string =>
  text.replaceAll("*", STAR).replaceAll("?", ANY).replaceAll("[", CLASS);

/** The text with the marks as the characters they stand for, where it is handed to another shell. */
export const unmarkGlobs = (field: string): string =>
  field.replaceAll(STAR, "*").replaceAll(ANY, "?").replaceAll(CLASS, "[");

/** A field as a shell would read it back. */
export const quote = (field: string): string =>
  /^[\w./:=@%+,-]+$/.test(field) ? field : `'${unmarkGlobs(field).replaceAll("'", `'\\''`)}'`;
