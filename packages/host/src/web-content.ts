import { TextDecoder } from "node:util";
import type { HtmlToTextOptions } from "html-to-text";
import type { WebPage } from "./web-fetch-port.js";

/** What a body is made of, from its headers and its first bytes. */
export interface WebContent {
  readonly contentType: string;
  readonly kind: WebPage["kind"];
  readonly title?: string;
  readonly text: string;
  /** The text is that of a part of the page. */
  readonly cut?: boolean;
}

export const readContent = async (
  body: Buffer,
  header: string,
  url: string,
  truncated: boolean,
): Promise<WebContent> => {
  const [type = "", ...parameters] = header.split(";").map((part) => part.trim());
  const contentType = type.toLowerCase();
  const charset = /^charset\s*=\s*"?([^"\s]+)/i.exec(
    parameters.find((each) => /^charset/i.test(each)) ?? "",
  )?.[1];
  const kind = kindOf(contentType, body);
  if (kind === "binary") return { contentType, kind, text: "" };
  const decoder = decoderFor(body, charset, kind);
  // A decoder holds back the character that a cut goes through.
  const text = decoder.decode(body, { stream: truncated });
  // Zeros in what is said to be text: it is none, unless they belong to its encoding.
  if (!decoder.encoding.startsWith("utf-16") && body.subarray(0, 8_000).includes(0))
    return { contentType, kind: "binary", text: "" };
  if (kind !== "html") return { contentType, kind, text };
  const convert = await converting();
  const title = titleOf(convert, text);
  const part = firstPartOf(text);
  return {
    contentType,
    kind,
    ...(title === "" ? {} : { title }),
    text: textOfHtml(convert, part, url),
    cut: part.length < text.length,
  };
};

const kindOf = (contentType: string, body: Buffer): WebPage["kind"] => {
  if (contentType === "text/html" || contentType === "application/xhtml+xml") return "html";
  if (/^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(contentType)) return "json";
  if (
    /^text\/|[/+](?:xml|yaml|toml|javascript|x-javascript|x-sh|x-yaml|x-ndjson|graphql|sql)$/.test(
      contentType,
    )
  )
    return "text";
  if (contentType !== "") return "binary";
  if (body.subarray(0, 8_000).includes(0)) return "binary";
  return /^\s*<(?:!doctype html|html)/i.test(body.subarray(0, 1_000).toString("latin1")) ? "html" : "text";
};

const decoderFor = (body: Buffer, charset: string | undefined, kind: WebPage["kind"]): TextDecoder => {
  const start = body.subarray(0, 1_024).toString("latin1");
  const declared = kind === "html" ? /<meta[^<>]+charset\s*=\s*["']?([\w-]+)/i.exec(start)?.[1] : undefined;
  const mark = start.startsWith("\xFF\xFE")
    ? "utf-16le"
    : start.startsWith("\xFE\xFF")
      ? "utf-16be"
      : undefined;
  for (const label of [mark, charset, declared]) {
    if (label === undefined) continue;
    try {
      return new TextDecoder(label);
    } catch {
      // A label that nobody knows says nothing: the next one, or UTF-8.
    }
  }
  return new TextDecoder();
};

/**
 * Beyond this a page is cut before it is read. A tree is built of it in one go, in which nothing else happens in this
 * process: 2 MB of "<p>" took 5 s. Marks are what takes time; a long article has some 30,000.
 */
const MAX_HTML_CHARACTERS = 4_000_000;
const MAX_HTML_MARKS = 60_000;

const firstPartOf = (html: string): string => {
  let at = -1;
  for (let marks = 0; marks <= MAX_HTML_MARKS; marks += 1) {
    at = html.indexOf("<", at + 1);
    if (at < 0) return html.slice(0, MAX_HTML_CHARACTERS);
  }
  return html.slice(0, Math.min(at, MAX_HTML_CHARACTERS));
};

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  limits: { maxInputLength: MAX_HTML_CHARACTERS, maxDepth: 300 },
  formatters: {
    heading: (element, walk, builder) => {
      builder.openBlock({ leadingLineBreaks: 2 });
      builder.addLiteral(`${"#".repeat(Number(element.name?.slice(1)))} `);
      walk(element.children, builder);
      builder.closeBlock({ trailingLineBreaks: 2 });
    },
    code: (element, walk, builder) => {
      const mark = element.parent?.name === "pre" ? "" : "`";
      builder.addLiteral(mark);
      walk(element.children, builder);
      builder.addLiteral(mark);
    },
    // The whole address of a link, whatever it is relative to; a link within the page is its text.
    link: (element, walk, builder) => {
      const target = (element.attribs as Record<string, string>)["href"] ?? "";
      const base = (builder as unknown as { metadata: { url: string } }).metadata.url;
      const address =
        target.startsWith("#") || !URL.canParse(target, base) ? undefined : new URL(target, base);
      if (!address || !/^https?:$/.test(address.protocol)) return walk(element.children, builder);
      builder.addInline("[");
      walk(element.children, builder);
      builder.addInline(`](${address.href})`, { noWordTransform: true });
    },
  },
  selectors: [
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, format: "heading" })),
    { selector: "a", format: "link" },
    { selector: "code", format: "code" },
    ...["img", "script", "style", "noscript", "template", "svg", "iframe", "head"].map((selector) => ({
      selector,
      format: "skip",
    })),
  ],
};

// The types leave out that a compiled converter takes data along, which a formatter finds in `builder.metadata`.
type Convert = (html: string, metadata: { readonly url: string }) => string;

let converter: Promise<Convert> | undefined;

// Loaded with the first page: it takes a while, and most agents start without one.
const converting = (): Promise<Convert> =>
  (converter ??= import("html-to-text").then(({ compile }) => compile(OPTIONS) as Convert));

const textOfHtml = (convert: Convert, html: string, url: string): string => convert(html, { url }).trim();

const titleOf = (convert: Convert, html: string): string => {
  const inside = /<title[^<>]{0,1000}>([^<]{0,1000})/i.exec(html.slice(0, 200_000))?.[1] ?? "";
  return convert(inside, { url: "" }).replaceAll(/\s+/g, " ").trim().slice(0, 300);
};
