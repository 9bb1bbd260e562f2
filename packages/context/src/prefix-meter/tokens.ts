import { PrefixMeterError } from "./errors.js";
import { isObject } from "./json.js";

/** Tokens of one serialised block. It must be pure: the same text, the same number. */
export type CountTokens = (text: string) => number;

/** Tokens taken for an image, document or recording when none are given: about what a large picture costs. */
export const DEFAULT_IMAGE_TOKENS = 1_600;

const MEDIA = new Set([
  "image",
  "image_url",
  "input_image",
  "document",
  "file",
  "input_file",
  "input_audio",
  "audio",
]);

/** A document of plain text is counted as text. */
const isMedia = (value: unknown): boolean =>
  isObject(value) &&
  MEDIA.has(String(value["type"])) &&
  !(isObject(value["source"]) && ["text", "content"].includes(String(value["source"]["type"])));

/** How many images and other media a block holds, at any depth. */
export const countMedia = (value: unknown): number => {
  if (isMedia(value)) return 1;
  const inside = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return inside.reduce<number>((sum, each) => sum + countMedia(each), 0);
};

/** Counts a block: its text by `count`, its media at `imageTokens` each whatever their bytes. */
export const blockTokens = (block: unknown, count: CountTokens, imageTokens: number): number => {
  const text = JSON.stringify(block, (_key, value: unknown) => (isMedia(value) ? undefined : value)) ?? "";
  const tokens = text === "" ? 0 : count(text);
  if (!Number.isFinite(tokens) || tokens < 0)
    throw new PrefixMeterError(
      "invalid_option",
      `countTokens returned ${tokens}; return a number from 0 up.`,
    );
  return Math.ceil(tokens) + countMedia(block) * imageTokens;
};

/** Four characters a token, rounded up. */
export const fourCharactersAToken: CountTokens = (text) => Math.ceil(text.length / 4);
