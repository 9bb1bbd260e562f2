/** How the lines of a text end. */
export type LineEnding = "\n" | "\r\n";

/** The one ending of all lines, or undefined when there is none or more than one. A lone CR is no line ending. */
export const uniformEnding = (text: string): LineEnding | undefined => {
  let lf = 0;
  let crlf = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (text[at - 1] === "\r") crlf += 1;
    else lf += 1;
    if (lf > 0 && crlf > 0) return undefined;
  }
  return crlf > 0 ? "\r\n" : lf > 0 ? "\n" : undefined;
};

/** The ending of the line that a position lies in, else of the line before. */
export const endingAt = (text: string, at: number): LineEnding | undefined => {
  const after = text.indexOf("\n", at);
  const found = after >= 0 ? after : text.lastIndexOf("\n", at - 1);
  if (found < 0) return undefined;
  return text[found - 1] === "\r" ? "\r\n" : "\n";
};

export const toLf = (text: string): string => text.replaceAll("\r\n", "\n");

export const withEnding = (text: string, ending: LineEnding): string =>
  ending === "\n" ? toLf(text) : toLf(text).replaceAll("\n", "\r\n");
