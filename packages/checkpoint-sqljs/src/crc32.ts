import zlib from "node:zlib";

const TABLE = /* @__PURE__ */ (() => {
  const table = new Int32Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xed_b8_83_20 : crc >>> 1;
    table[byte] = crc;
  }
  return table;
})();

export const crc32InScript = (bytes: Uint8Array, start = 0): number => {
  let crc = ~start;
  for (let index = 0; index < bytes.length; index += 1)
    crc = TABLE[(crc ^ bytes[index]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
};

/** Node has it since 20.15; a named import would keep older releases from loading this at all. */
export const crc32: (bytes: Uint8Array, start?: number) => number =
  typeof zlib.crc32 === "function" ? zlib.crc32 : crc32InScript;
