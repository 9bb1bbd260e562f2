import { StringDecoder } from "node:string_decoder";
import type { TerminalEnding, TerminalRunOptions, TerminalRunResult } from "../terminal-port.js";
import type { ShellEnd } from "./shell-process.js";

/** A command in a session's queue. */
export interface Job {
  command: string;
  options: TerminalRunOptions;
  timeoutMs: number;
  resolve: (result: TerminalRunResult) => void;
  reject: (error: unknown) => void;
}

export const endingOf = (end: ShellEnd): TerminalEnding => {
  if (end.kind === "died" && end.signal !== null) return { kind: "signaled", signal: end.signal };
  return { kind: "exited", exitCode: end.exitCode ?? 0 };
};

/** Progress is a convenience; a listener's fault, now or in a promise, is not the command's. */
export const listenerOf = ({ onOutput }: TerminalRunOptions): ((chunk: Buffer) => void) | undefined => {
  if (!onOutput) return undefined;
  const decoder = new StringDecoder("utf8");
  return (chunk) => {
    const text = decoder.write(chunk);
    if (text === "") return;
    try {
      Promise.resolve(onOutput(text)).catch(() => {});
    } catch {}
  };
};
