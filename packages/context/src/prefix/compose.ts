import { createHash } from "node:crypto";
import { CHARS_PER_TOKEN, fitting } from "../tokens.js";
import type { PrefixSection, PrefixSource } from "./source.js";

/** What a source said at some moment. */
export interface LoadedSource {
  readonly source: PrefixSource;
  readonly sections: readonly PrefixSection[];
}

/** What a conversation was told, by "title\nid"; the values are digests. */
export type Told = Readonly<Record<string, string>>;

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 16);

const keyOf = (source: PrefixSource, section: PrefixSection): string => `${source.title}\n${section.id}`;

/** The sections' texts within the source's budget, in order; what does not fit is named. */
const withinBudget = (source: PrefixSource, sections: readonly PrefixSection[]): string[] => {
  let left = source.maxTokens * CHARS_PER_TOKEN;
  const shown: string[] = [];
  const leftOut: string[] = [];
  for (const section of sections) {
    const whole = source.whole?.(section) ?? section.id;
    if (left <= 0) {
      leftOut.push(whole);
      continue;
    }
    if (section.text.length <= left) shown.push(section.text);
    else shown.push(`${fitting(section.text, left)}\n[cut here to fit ${source.maxTokens} tokens; ${whole}]`);
    left -= section.text.length;
  }
  if (leftOut.length > 0)
    shown.push(
      `[not shown, for the ${source.maxTokens} tokens of this part are used up: ${leftOut.join("; ")}]`,
    );
  return shown;
};

/** The head of the prompt: the same sections give the same bytes. Empty when no source says anything. */
export const composePrefix = (loaded: readonly LoadedSource[]): string =>
  loaded
    .filter(({ sections }) => sections.length > 0)
    .map(({ source, sections }) =>
      [`# ${source.title}`, ...(source.intro ? [source.intro] : []), ...withinBudget(source, sections)].join(
        "\n\n",
      ),
    )
    .join("\n\n");

export const toldBy = (loaded: readonly LoadedSource[]): Told =>
  Object.fromEntries(
    loaded.flatMap(({ source, sections }) =>
      sections.map((section) => [keyOf(source, section), digest(section.text)]),
    ),
  );

/** In words, what is different from what the conversation was told; undefined when nothing is. */
export const composeChanges = (before: Told, loaded: readonly LoadedSource[]): string | undefined => {
  const now = toldBy(loaded);
  const parts = loaded.flatMap(({ source, sections }) => {
    const changed = sections.filter(
      (section) => before[keyOf(source, section)] !== now[keyOf(source, section)],
    );
    const gone = Object.keys(before)
      .filter((key) => key.startsWith(`${source.title}\n`) && !(key in now))
      .map((key) => key.slice(source.title.length + 1));
    return [
      ...(changed.length > 0
        ? [
            `# ${source.title}: changed, this replaces what was said of it before`,
            ...withinBudget(source, changed),
          ]
        : []),
      ...(gone.length > 0 ? [`# ${source.title}: no longer there\n${gone.join("\n")}`] : []),
    ];
  });
  return parts.length > 0 ? parts.join("\n\n") : undefined;
};
