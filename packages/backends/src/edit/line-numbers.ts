// What tools print in front of a line: `cat -n`'s, `nl`'s, `grep -n`'s, and the arrows of other agents' readers.
const PREFIX = /^ *(\d+)(?:\t|: ?| ?\| ?|\u2192)/;

/** The lines without the numbers in front of them, or undefined unless every line has one and they count up. */
export const withoutLineNumbers = (text: string): string | undefined => {
  const endsWithNewline = text.endsWith("\n");
  const lines = (endsWithNewline ? text.slice(0, -1) : text).split("\n");
  let expected: number | undefined;
  const bare: string[] = [];
  for (const line of lines) {
    const match = PREFIX.exec(line);
    if (!match) return undefined;
    const number = Number(match[1]);
    if (expected !== undefined && number !== expected) return undefined;
    expected = number + 1;
    bare.push(line.slice(match[0].length));
  }
  return bare.join("\n") + (endsWithNewline ? "\n" : "");
};

/** As much of the new text as has numbers loses them: the model may have added lines without. */
export const dropLineNumbers = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replace(PREFIX, ""))
    .join("\n");
