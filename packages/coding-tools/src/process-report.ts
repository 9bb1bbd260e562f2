import type { ProcessResult } from "@fiveseam/host";

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** One line that says how a process ended, for a model to read. */
export const endingLine = (result: { ending: ProcessResult["ending"]; durationMs?: number }): string => {
  const took = result.durationMs === undefined ? "" : ` (${seconds(result.durationMs)})`;
  switch (result.ending.kind) {
    case "exited":
      return `exit code ${result.ending.exitCode}${took}`;
    case "signaled":
      return `killed by ${result.ending.signal}${took}`;
    case "timeout":
      return `stopped after ${seconds(result.ending.timeoutMs)}, the time limit, with every process it started`;
    case "aborted":
      return `aborted${took}`;
    case "not_started":
      return `could not be started: ${result.ending.message}`;
  }
};

/** Facts about the result that the ending does not say, each on its own line. */
export const noteLines = (result: ProcessResult): string[] => [
  ...(result.stoppedBackground
    ? ["[processes left in the background were stopped: a command must finish by itself]"]
    : []),
  ...(result.truncated ? [`[${result.omittedBytes} bytes were cut from the middle of the output]`] : []),
];

/** What programs get beside the model's text. */
export interface ProcessArtifact {
  command: string;
  ending: ProcessResult["ending"];
  durationMs: number;
  omittedBytes: number;
  stoppedBackground: boolean;
}

export const artifactOf = (command: string, result: ProcessResult): ProcessArtifact => ({
  command,
  ending: result.ending,
  durationMs: Math.round(result.durationMs),
  omittedBytes: result.omittedBytes,
  stoppedBackground: result.stoppedBackground,
});
