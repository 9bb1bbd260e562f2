/** What a command changed in the workspace, by paths as the agent knows them. */
export interface CommandChanges {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
  /** Those among them that cannot be taken back. */
  readonly unkept: readonly string[];
  /** True when there may be more. */
  readonly incomplete: boolean;
}

/** Runs a command and says what it changed; `bracketExec` of `@fiveseam/backends` makes one. */
export type CommandBracket = <Result>(
  command: () => Promise<Result>,
) => Promise<{ readonly result: Result; readonly changes: CommandChanges }>;

const MAX_NAMED = 20;

const line = (what: string, files: readonly string[]): string[] => {
  if (files.length === 0) return [];
  const named = files.slice(0, MAX_NAMED).join(", ");
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : "";
  return [`[${what} ${named}${more}]`];
};

/** For the model: what it has read of these files counts no more. */
export const changeLines = (changes: CommandChanges | undefined): string[] =>
  changes === undefined
    ? []
    : [
        ...line("it created", changes.created),
        ...line("it changed", changes.changed),
        ...line("it deleted", changes.deleted),
        ...line("cannot be undone, for they were too large to be kept:", changes.unkept),
        ...(changes.incomplete
          ? ["[the workspace is too large to be looked at whole: it may have changed more]"]
          : []),
      ];
