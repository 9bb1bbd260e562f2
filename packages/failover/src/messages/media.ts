import type { Block } from "./blocks.js";

/** What a block holds, whoever spelled it. */
interface Media {
  readonly kind: "image" | "audio" | "video" | "file";
  readonly mime?: string;
  readonly data?: string;
  readonly url?: string;
  readonly text?: string;
}

type Fields = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

const KIND_OF_TYPE: Readonly<Record<string, Media["kind"]>> = {
  image: "image",
  image_url: "image",
  input_image: "image",
  audio: "audio",
  input_audio: "audio",
  video: "video",
  media: "file",
  file: "file",
  input_file: "file",
  document: "file",
  "text-plain": "file",
};

const fromUrl = (kind: Media["kind"], url: string): Media => {
  const data = /^data:([^;,]*);base64,(.*)$/s.exec(url);
  return data ? { kind, mime: data[1] ?? "", data: data[2] ?? "" } : { kind, url };
};

/** Anthropic's `source`, LangChain's `source_type`, its standard blocks, OpenAI's two APIs, Gemini's `media`. */
const read = (block: Block): Media | undefined => {
  const stated = KIND_OF_TYPE[String(block.type)];
  if (stated === undefined) return undefined;
  const source = fields(block["source"]);
  const file = fields(block["file"]);
  const audio = fields(block["input_audio"]);
  const mime =
    text(source["media_type"]) ??
    text(block["mime_type"]) ??
    text(block["mimeType"]) ??
    (text(audio["format"]) === undefined ? undefined : `audio/${String(audio["format"])}`);
  const top = mime?.split("/")[0];
  const kind = top === "image" || top === "audio" || top === "video" ? top : stated;
  const url =
    text(block["image_url"]) ??
    text(fields(block["image_url"])["url"]) ??
    text(source["url"]) ??
    text(block["url"]) ??
    text(block["file_url"]) ??
    text(block["file_data"]) ??
    text(file["file_data"]);
  if (url !== undefined) return fromUrl(kind, url);
  const bytes = source["data"] ?? block["data"] ?? audio["data"];
  if (source["type"] === "text" || block["source_type"] === "text" || block.type === "text-plain")
    return { kind, text: text(block["text"]) ?? text(bytes) ?? "" };
  const data = bytes instanceof Uint8Array ? Buffer.from(bytes).toString("base64") : text(bytes);
  return { kind, ...(mime === undefined ? {} : { mime }), ...(data === undefined ? {} : { data }) };
};

const NAMES = { image: "An image", audio: "Audio", video: "A video", file: "A file" } as const;

/** Words in place of a block that the next model has no place for. */
export const placeNote = (block: Block): Block => {
  const words = text(block["text"]);
  const kind = KIND_OF_TYPE[String(block.type)];
  const name = kind === undefined ? `A block of type ${String(block.type)}` : NAMES[kind];
  return {
    type: "text",
    text: words?.trim() ? words : `[${name} stood here; it cannot be given to this model.]`,
  };
};

const ANTHROPIC_IMAGES = /^image\/(?:jpeg|png|gif|webp)$/;

const forAnthropic = ({ kind, mime = "", data, url }: Media): Block | undefined => {
  const type = kind === "image" ? "image" : kind === "file" ? "document" : undefined;
  if (type === undefined) return undefined;
  if (url !== undefined) return /^https?:/.test(url) ? { type, source: { type: "url", url } } : undefined;
  const taken = type === "image" ? ANTHROPIC_IMAGES.test(mime) : mime === "application/pdf";
  return taken && data !== undefined
    ? { type, source: { type: "base64", media_type: mime, data } }
    : undefined;
};

const forGemini = ({ kind, mime, data }: Media): Block | undefined => {
  if (!mime || data === undefined) return undefined; // Its client takes no URLs of images, and a type must be known.
  return kind === "image"
    ? { type: "image_url", image_url: { url: `data:${mime};base64,${data}` } }
    : { type: "media", mimeType: mime, data };
};

const forOpenAI = ({ kind, mime, data, url }: Media, files: boolean): Block | undefined => {
  if (kind === "image") {
    if (url !== undefined)
      return /^https?:/.test(url) ? { type: "image_url", image_url: { url } } : undefined;
    return mime && data !== undefined
      ? { type: "image_url", image_url: { url: `data:${mime};base64,${data}` } }
      : undefined;
  }
  const format = /^audio\/(?:x-)?(wav|mp3|mpeg)$/.exec(mime ?? "")?.[1];
  if (kind === "audio" && format !== undefined && data !== undefined)
    return { type: "input_audio", input_audio: { data, format: format === "wav" ? "wav" : "mp3" } };
  // LangChain's own block: its client makes of it what either of OpenAI's APIs takes.
  return files && mime === "application/pdf" && data !== undefined
    ? {
        type: "file",
        source_type: "base64",
        mime_type: mime,
        data,
        metadata: { filename: "document.pdf" },
      }
    : undefined;
};

const OPENAI = new Set(["openai", "azure-openai"]);

/** Whether the block is one that the reader's client or API knows as it stands. */
const isNative = (block: Block, media: Media, reader: string): boolean => {
  const { source, source_type: sourceType } = block;
  if (reader === "anthropic")
    return block.type === "image_url"
      ? forAnthropic(media) !== undefined // Its client converts it.
      : typeof source === "object" && source !== null;
  if (reader === "bedrock")
    return (
      sourceType !== undefined || ["image", "document", "video"].some((key) => typeof block[key] === "object")
    );
  if (reader === "gemini")
    return (
      block.type === "media" ||
      (block.type === "image_url" && forGemini(media) !== undefined) ||
      (sourceType !== undefined && sourceType !== "id")
    );
  switch (block.type) {
    case "image_url":
    case "input_audio":
      return true;
    case "file":
      return OPENAI.has(reader) && (typeof block["file"] === "object" || sourceType !== undefined);
    case "input_image":
    case "input_file":
      return OPENAI.has(reader);
    default:
      return false;
  }
};

/** Readers whose clients throw for, or send as it is, a block that they do not know. */
const KNOWN_ELSEWHERE = new Set(["anthropic", "bedrock"]);
/** Readers whose spelling is known here; a model of somebody's own gets what it was given. */
const SPELLERS = new Set(
  "openai azure-openai openrouter groq deepseek xai qwen glm local mistral anthropic bedrock gemini".split(
    " ",
  ),
);
const PLAIN = new Set(["text", "tool_result", "input_text", "refusal"]);

/**
 * A block in the spelling of who reads it. OpenAI answers 400 for Anthropic's `source`, Gemini's client throws for it, and
 * so on around: where no conversion is certain, words stand in its place.
 */
export const spelled = (block: Block, reader: string): Block => {
  if (!SPELLERS.has(reader)) return block;
  const media = read(block);
  if (!media)
    return PLAIN.has(String(block.type)) || KNOWN_ELSEWHERE.has(reader) || "functionResponse" in block
      ? block
      : placeNote(block);
  if (isNative(block, media, reader)) return block;
  if (media.text !== undefined) return { type: "text", text: media.text };
  const converted =
    reader === "anthropic"
      ? forAnthropic(media)
      : reader === "gemini"
        ? forGemini(media)
        : forOpenAI(media, reader === "bedrock" || OPENAI.has(reader));
  if (!converted) return placeNote(block);
  const mark = block["cache_control"];
  return mark === undefined || !KNOWN_ELSEWHERE.has(reader)
    ? converted
    : { ...converted, cache_control: mark };
};
