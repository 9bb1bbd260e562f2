import { createHash } from "node:crypto";
import { CHARS_PER_TOKEN, fitting } from "../tokens.js";
import type { PrefixSection, PrefixSource } from "./source.js";

/** What a source said at some moment. */
export interface LoadedSource {
  readonly source: PrefixSource;
  readonly sections: readonly PrefixSection[];
  /** Ids of sections that could not be read; with "/" at the end, of all below. */
  readonly unreadable?: readonly string[];
}

/** What a conversation was told, by "title\nid"; the values are digests. */
export type Told = Readonly<Record<string, string>>;

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 16);

/** A heading is one line. */
const titleOf = ({ title }: PrefixSource): string => title.replaceAll(/\s+/g, " ").trim();

const keyOf = (source: PrefixSource, section: PrefixSection): string => `${titleOf(source)}\n${section.id}`;

/** Names up to so many characters, and how many more there are. */
const listed = (names: readonly string[], separator: string, maxChars: number): string => {
  let left = maxChars;
  const shown = names.filter((name, at) => (left -= name.length + separator.length) > 0 || at === 0);
  const more = names.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(separator);
};

/** Most characters of names of what is not there: a tenth of what is. */
const namesOf = ({ maxTokens }: PrefixSource): number => Math.max(200, (maxTokens * CHARS_PER_TOKEN) / 10);

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
      `[not shown, for the ${source.maxTokens} tokens of this part are used up: ${listed(leftOut, "; ", namesOf(source))}]`,
    );
  return shown;
};

/** The head of the prompt: the same sections give the same bytes. Empty when no source says anything. */
export const composePrefix = (loaded: readonly LoadedSource[]): string =>
  loaded
    .filter(({ sections }) => sections.length > 0)
    .map(({ source, sections }) =>
      [
        `# ${titleOf(source)}`,
        ...(source.intro ? [source.intro] : []),
        ...withinBudget(source, sections),
      ].join("\n\n"),
    )
    .join("\n\n");

export const toldBy = (loaded: readonly LoadedSource[]): Told => {
  // Nothing keeps a source from using one id twice.
  const texts = new Map<string, string>();
  for (const { source, sections } of loaded)
    for (const section of sections) {
      const key = keyOf(source, section);
      const before = texts.get(key);
      texts.set(key, before === undefined ? section.text : `${before}\n${section.text}`);
    }
  return Object.fromEntries([...texts].map(([key, text]) => [key, digest(text)]));
};

/** Of what was told that which is still known: a source or a file that cannot be read now has not gone. */
export const knownNow = (told: Told, loaded: readonly LoadedSource[]): Told => {
  const byTitle = new Map(loaded.map(({ source, unreadable }) => [titleOf(source), unreadable ?? []]));
  return Object.fromEntries(
    Object.entries(told).filter(([key]) => {
      const end = key.indexOf("\n");
      const id = key.slice(end + 1);
      const unreadable = byTitle.get(key.slice(0, end));
      return (
        unreadable !== undefined &&
        !unreadable.some((each) => each === id || (each.endsWith("/") && id.startsWith(each)))
      );
    }),
  );
};

/** In words, what is different from what the conversation was told; undefined when nothing is. */
export const composeChanges = (before: Told, loaded: readonly LoadedSource[]): string | undefined => {
  const now = toldBy(loaded);
  const parts = loaded.flatMap(({ source, sections }) => {
    const changed = sections.filter(
      (section) => before[keyOf(source, section)] !== now[keyOf(source, section)],
    );
    const gone = Object.keys(before)
      .filter((key) => key.startsWith(`${titleOf(source)}\n`) && !(key in now))
      .map((key) => key.slice(titleOf(source).length + 1));
    return [
      ...(changed.length > 0
        ? [
            `# ${titleOf(source)}: changed, this replaces what was said of it before`,
            ...withinBudget(source, changed),
          ]
        : []),
      ...(gone.length > 0
        ? [`# ${titleOf(source)}: no longer there\n${listed(gone, "\n", namesOf(source))}`]
        : []),
    ];
  });
  return parts.length > 0 ? parts.join("\n\n") : undefined;
};
