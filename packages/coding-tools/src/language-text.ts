import type { Diagnostics, SourceLocation, SourcePosition, SourceRange, SourceSymbol } from "@fiveseam/host";
import { toVirtualPath } from "./workspace-paths.js";

export const positionText = ({ line, column }: SourcePosition): string => `${line}:${column}`;

export const rangeText = ({ start, end }: SourceRange): string =>
  `${positionText(start)} to ${positionText(end)}`;

export const locationText = ({ path, range }: SourceLocation): string =>
  `${toVirtualPath(path)}:${positionText(range.start)}`;

export const symbolText = ({ name, kind, container, location }: SourceSymbol): string => {
  const lines = `${location.range.start.line}-${location.range.end.line}`;
  const inside = container === undefined || container === "" ? "" : ` in ${container}`;
  return `${kind.replaceAll("_", " ")} ${name}${inside}: ${toVirtualPath(location.path)}:${lines}`;
};

const LABELS = {
  clean: "no problems",
  unknown: "unknown: nobody has checked this content, which is not the same as clean",
} as const;

export const diagnosticsText = (found: Diagnostics): string => {
  const path = toVirtualPath(found.path);
  if (found.status !== "problems") return `${path}: ${LABELS[found.status]}`;
  const lines = found.problems.map(({ severity, message, range, source, code }) => {
    const from = [source, code].filter((part) => part !== undefined && part !== "").join(" ");
    return `  ${positionText(range.start)} ${severity}: ${message}${from === "" ? "" : ` (${from})`}`;
  });
  return [
    `${path}: ${found.problems.length} problem${found.problems.length === 1 ? "" : "s"}`,
    ...lines,
    ...(found.truncated ? ["  [there are more]"] : []),
  ].join("\n");
};
