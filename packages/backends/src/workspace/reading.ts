import { readdirSync } from "node:fs";
import type { FileInfo, LsResult, ReadRawResult, ReadResult } from "deepagents";
import { readPage, readWhole, withFile } from "./file-content.js";
import { FileError } from "./file-error.js";
import { mediaTypeOf } from "./media.js";
import { decodeText, detectFormat } from "./text-codec.js";
import { parsePath } from "./virtual-path.js";
import { breathe, type WorkspaceRoot } from "./workspace-root.js";

const BREATHE_EVERY = 1_000;

export const listDirectory = async (root: WorkspaceRoot, directory: string): Promise<LsResult> => {
  const parts = parsePath(directory);
  const place = root.place(parts);
  try {
    const opened = root.enter(place, root.show(parts));
    try {
      const files: FileInfo[] = [];
      for (const name of readdirSync(opened.self).sort()) {
        if (files.length % BREATHE_EVERY === BREATHE_EVERY - 1) await breathe();
        const info = root.info(opened, [...parts, name], [...place.parts, name], name);
        if (info) files.push(info);
      }
      if (files.length === 0) root.protection.checkReadFile(place.parts);
      return { files };
    } finally {
      opened.close();
    }
  } finally {
    place.close();
  }
};

/** A page of lines, or the bytes of an image or a PDF. */
export const readLines = async (
  root: WorkspaceRoot,
  filePath: string,
  offset: number,
  limit: number,
): Promise<ReadResult> => {
  const from = Math.floor(offset);
  const many = Math.floor(limit);
  if (!(from >= 0) || !(many >= 0))
    throw new FileError("invalid_path", "offset and limit are numbers of lines, 0 or more.");
  const place = root.existing(parsePath(filePath));
  try {
    const file = place.shown;
    const page = await withFile(place, (opened) => readPage(opened, from, many));
    const metadata = { file, hash: page.hash };
    if (page.kind === "media")
      return { content: page.bytes, mimeType: page.mimeType, metadata } as ReadResult;
    const { lines, totalLines, cut } = page;
    if (from > 0 && from >= totalLines)
      throw new FileError(
        "not_found",
        `Offset ${from} exceeds file length: ${file} has ${totalLines} lines.`,
      );
    const next = from + lines.length;
    return {
      content: lines.join("\n"),
      mimeType: "text/plain",
      totalLines,
      ...(lines.length > 0 ? { startLine: from + 1, endLine: next } : {}),
      ...(next < totalLines ? { nextOffset: next } : {}),
      ...(cut ? { truncated: true } : {}),
      metadata,
    } as ReadResult;
  } finally {
    place.close();
  }
};

export const readData = async (root: WorkspaceRoot, filePath: string): Promise<ReadRawResult> => {
  const place = root.existing(parsePath(filePath));
  try {
    const { bytes, stats } = await withFile(place, async (opened) => ({
      bytes: await readWhole(opened, root.maxFileBytes),
      stats: opened.stats,
    }));
    const format = detectFormat(bytes);
    const times = {
      created_at: new Date(Number(stats.birthtimeMs)).toISOString(),
      modified_at: new Date(Number(stats.mtimeMs)).toISOString(),
    };
    return format
      ? { data: { content: decodeText(bytes, format), mimeType: "text/plain", ...times } }
      : {
          data: {
            content: bytes,
            mimeType: mediaTypeOf(place.name, bytes) ?? "application/octet-stream",
            ...times,
          },
        };
  } finally {
    place.close();
  }
};

/** The bytes as they are. */
export const readBytes = async (root: WorkspaceRoot, filePath: string): Promise<{ content: Buffer }> => {
  const place = root.existing(parsePath(filePath));
  try {
    return { content: await withFile(place, (opened) => readWhole(opened, root.maxFileBytes)) };
  } finally {
    place.close();
  }
};
