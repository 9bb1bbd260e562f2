/** A browser has no `Buffer`; where there is one it is many times faster. */
const CHUNK = 8_192;

/** One character per byte. */
export const latin1Of = (bytes: Uint8Array): string => {
  if (typeof Buffer !== "undefined")
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return text;
};

/** Back again, in memory of its own: `Buffer.from` would hand out a slice of a pool. */
export const bytesOf = (latin1: string): Uint8Array => {
  const bytes = new Uint8Array(latin1.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = latin1.charCodeAt(at);
  return bytes;
};
