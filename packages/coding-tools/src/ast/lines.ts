/** Where the line of a position begins. */
export const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;

/** Where the line of a position ends, before its line ending. */
export const lineEnd = (text: string, at: number): number => {
  const next = text.indexOf("\n", at);
  if (next < 0) return text.length;
  return next > at && text[next - 1] === "\r" ? next - 1 : next;
};

/** The white space that the line of a position begins with. */
export const indentAt = (text: string, at: number): string => {
  const start = lineStart(text, at);
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? "";
};

/** True when nothing but white space is before it in its line. */
export const beginsLine = (text: string, at: number): boolean =>
  text.slice(lineStart(text, at), at).trim() === "";

/** The ending of the line that a position is in, else of the one before. */
export const endingNear = (text: string, at: number): "\n" | "\r\n" => {
  const after = text.indexOf("\n", at);
  const found = after >= 0 ? after : text.lastIndexOf("\n", at);
  return found > 0 && text[found - 1] === "\r" ? "\r\n" : "\n";
};

/** Counted from 1. */
export const lineNumber = (text: string, at: number): number => {
  let line = 1;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line += 1;
  return line;
};
