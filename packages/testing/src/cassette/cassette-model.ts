import { existsSync } from "node:fs";
import path from "node:path";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { CassetteError } from "../errors.js";
import { recordModel } from "./record-model.js";
import { replayModel, type ReplayOptions } from "./replay-model.js";

export type CassetteMode = "auto" | "record" | "replay";

export interface CassetteOptions extends ReplayOptions {
  /** The model to record. A function is called only when something is recorded, so that replaying needs no key. */
  model: BaseChatModel | (() => BaseChatModel | Promise<BaseChatModel>);
  /**
   * "auto" replays when the file is there and records otherwise, except in CI, where that is an error. The default is
   * what `FIVESEAM_CASSETTE` says, else "auto".
   */
  mode?: CassetteMode;
  /** Where `CI` and `FIVESEAM_CASSETTE` are read; default `process.env`. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** A model and the cassette behind it, whichever way it runs. */
export interface Cassette {
  readonly mode: "record" | "replay";
  readonly file: string;
  readonly model: BaseChatModel;
  /** Writes the recording, or checks that every recorded call was asked for. The last line of a test. */
  finish(): Promise<void>;
  /** Without `finish`, a recording is discarded. */
  [Symbol.asyncDispose](): Promise<void>;
}

const COMMAND = "FIVESEAM_CASSETTE=record npx vitest run";

const modeOf = ({ mode, env = process.env, file }: CassetteOptions): "record" | "replay" => {
  const asked = mode ?? env["FIVESEAM_CASSETTE"] ?? "auto";
  if (asked === "record" || asked === "replay") return asked;
  if (asked !== "auto")
    throw new CassetteError(
      "invalid_option",
      file,
      `A cassette's mode is auto, record or replay, not "${asked}".`,
    );
  if (existsSync(file)) return "replay";
  if (env["CI"] === undefined || env["CI"] === "" || env["CI"] === "false") return "record";
  throw new CassetteError(
    "cassette_missing",
    file,
    `${file} does not exist, and CI does not record. Run \`${COMMAND}\` where the provider's key is, and commit the file.`,
  );
};

/**
 * One line for both: records where there is no cassette yet, replays where there is one.
 *
 * @throws {CassetteError} `cassette_missing` in CI or in mode "replay" without the file, `invalid_option`, and what
 *   `recordModel` and `replayModel` throw.
 *
 * @example
 * ```ts
 * import { createChatModel } from "@fiveseam/models";
 * import { cassetteModel } from "@fiveseam/testing";
 *
 * await using cassette = await cassetteModel({
 *   file: "test/cassettes/greeting.jsonl",
 *   model: () => createChatModel("anthropic:claude-sonnet-4-6"),
 * });
 * await cassette.model.invoke("Say hello.");
 * await cassette.finish();
 * ```
 */
export const cassetteModel = async (options: CassetteOptions): Promise<Cassette> => {
  const { model, redact } = options;
  const file = path.resolve(options.file);
  const mode = modeOf({ ...options, file });
  if (mode === "replay") {
    const replay = replayModel({ ...options, file });
    return {
      mode,
      file,
      model: replay,
      finish: async () => replay.assertFinished(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  const real = typeof model === "function" ? await model() : model;
  const recording = recordModel(real, { file, ...(redact ? { redact } : {}) });
  return {
    mode,
    file,
    model: recording.model,
    finish: () => recording.finish(),
    [Symbol.asyncDispose]: () => recording[Symbol.asyncDispose](),
  };
};
