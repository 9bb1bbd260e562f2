export { CassetteError, CassetteMissError, type CassetteErrorCode } from "./errors.js";
export { recordModel, type RecordOptions, type Recording } from "./cassette/record-model.js";
export { replayModel, type ReplayChatModel, type ReplayOptions } from "./cassette/replay-model.js";
export {
  cassetteModel,
  type Cassette,
  type CassetteMode,
  type CassetteOptions,
} from "./cassette/cassette-model.js";
export type { MatchMode } from "./cassette/player.js";
export type { RedactOptions } from "./cassette/redact.js";
export {
  startProviderEmulator,
  type EmulatedRequest,
  type EmulatorOptions,
  type ProviderEmulator,
} from "./emulator/provider-emulator.js";
export type { ProviderFault } from "./emulator/faults.js";
export type {
  EmulatedExtras,
  EmulatedPolicy,
  EmulatedStep,
  EmulatedTurn,
  EmulatedUsage,
  Protocol,
} from "./emulator/turn.js";
export { orphanToolCalls, type OrphanToolCall } from "./checks/orphans.js";
export {
  createVirtualClock,
  type VirtualClock,
  type VirtualClockOptions,
  type VirtualTimer,
} from "./clock/virtual-clock.js";
export {
  collectRun,
  type CollectedRun,
  type CollectedTool,
  type FinishedEvent,
} from "./events/collect-run.js";
export { transcriptOf, type TranscriptOptions } from "./events/transcript.js";
export type { RunEventLike, RunEvents } from "./events/run-event.js";
