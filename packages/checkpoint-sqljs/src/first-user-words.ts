const MAX_CHARS = 80;

/** What a thread is called in a list: the beginning of the first message of the user, on one line. */
export const firstUserWords = (values: Readonly<Record<string, unknown>>): string | undefined => {
  const messages: unknown = values["messages"];
  if (!Array.isArray(messages)) return undefined;
  for (const message of messages as unknown[]) {
    if (typeOf(message) !== "human") continue;
    const words = textOf((message as { content?: unknown }).content)
      .replace(/\s+/g, " ")
      .trim();
    return words === "" ? undefined : Array.from(words).slice(0, MAX_CHARS).join("");
  }
  return undefined;
};

const typeOf = (message: unknown): unknown => {
  if (typeof message !== "object" || message === null) return undefined;
  const { getType, _getType, type } = message as { getType?: unknown; _getType?: unknown; type?: unknown };
  if (typeof getType === "function") return getType.call(message) as unknown;
  return typeof _getType === "function" ? (_getType.call(message) as unknown) : type;
};

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content.slice(0, 1_000);
  if (!Array.isArray(content)) return "";
  return content
    .map((block: { text?: unknown } | null) =>
      typeof block?.text === "string" ? block.text.slice(0, 1_000) : "",
    )
    .join(" ");
};
