import * as crypto from "node:crypto";
import type { ToolMessage } from "@langchain/core/messages";
import { canonicalJson } from "./canonical-json.js";

// `crypto.hash` came with Node 20.12 and takes a third of the time that a Hash object does.
const once = (crypto as { hash?: (algorithm: string, data: string, encoding: "hex") => string }).hash;

export const sha256 = (text: string): string =>
  once ? once("sha256", text, "hex") : crypto.createHash("sha256").update(text).digest("hex");

// Hashing is the largest part of what a call costs here, and more than one layer asks for the same.
const ofArgs = new WeakMap<object, string>();
const ofMessages = new WeakMap<ToolMessage, { content: unknown; digest: string }>();

/** Of a call's arguments in canonical form, which nobody changes while the call is on its way. Throws for what is not JSON. */
export const argsDigest = (args: object): string => {
  let digest = ofArgs.get(args);
  if (digest === undefined) {
    digest = sha256(canonicalJson(args));
    ofArgs.set(args, digest);
  }
  return digest;
};

/** A message's content as text. */
export const contentText = ({ content }: ToolMessage): string =>
  typeof content === "string" ? content : JSON.stringify(content);

/** Of a message's content, taken anew when the message has been given another content. */
export const contentDigest = (message: ToolMessage): string => {
  const known = ofMessages.get(message);
  if (known && known.content === message.content) return known.digest;
  const digest = sha256(contentText(message));
  ofMessages.set(message, { content: message.content, digest });
  return digest;
};
