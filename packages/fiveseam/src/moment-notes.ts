import { sessionFilesNote, type SessionFilesOptions, type TurnNote } from "@fiveseam/context";
import type { Host } from "@fiveseam/host";

/** Most problems of the open file that are named. */
const MAX_PROBLEMS = 10;

const timeNote = (nowMs: () => number): TurnNote => ({
  name: "time",
  // To the minute, and once a turn: the model is not told after each tool call that time has passed.
  write: ({ messages }) =>
    messages.at(-1)?.getType() !== "human"
      ? undefined
      : `${new Date(nowMs()).toISOString().slice(0, 16).replace("T", " ")} UTC`,
});

const editorNote = (editor: NonNullable<Host["editor"]>): TurnNote => ({
  name: "open in the user's editor",
  async write({ signal }) {
    const active = await editor.active(signal ? { signal } : {});
    if (!active) return undefined;
    const { path, dirty, selection, selectedText } = active;
    const at = `line ${selection.start.line}`;
    return [
      `${path}${dirty ? " (with changes that are not saved)" : ""}, ${at}`,
      ...(selectedText ? [`Selected:\n${selectedText}`] : []),
    ].join("\n");
  },
});

const problemsNote = ({ editor, language }: Pick<Host, "editor" | "language">): TurnNote[] =>
  editor && language
    ? [
        {
          name: "problems in that file",
          async write({ signal }) {
            const active = await editor.active(signal ? { signal } : {});
            if (!active) return undefined;
            const { problems } = await language.diagnostics(active.path, {
              maxResults: MAX_PROBLEMS,
              ...(signal ? { signal } : {}),
            });
            return problems
              .map(({ severity, message, range }) => `${severity} in line ${range.start.line}: ${message}`)
              .join("\n");
          },
        },
      ]
    : [];

/** What the host put into the run's context under `notes`: texts by name. */
const contextNotes = (): TurnNote => ({
  name: "from the application",
  write({ context }) {
    const { notes } = (context ?? {}) as { notes?: unknown };
    if (typeof notes !== "object" || notes === null) return undefined;
    return Object.entries(notes)
      .filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1].trim() !== "")
      .map(([name, text]) => `${name}: ${text}`)
      .join("\n");
  },
});

/** What every agent is told of the moment, as far as its host knows it. */
export const momentNotes = (
  host: Host,
  files: SessionFilesOptions,
  nowMs: () => number = Date.now,
): TurnNote[] => [
  timeNote(nowMs),
  ...(host.editor ? [editorNote(host.editor)] : []),
  ...problemsNote(host),
  contextNotes(),
  sessionFilesNote(files),
];
