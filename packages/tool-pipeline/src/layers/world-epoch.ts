import type { Effect } from "../effects.js";

/** Moves whenever a tool of the process may have changed something that another tool's answer depends on. */
export interface WorldEpoch {
  /** The number of changes begun or ended so far. */
  readonly now: number;
  /** True while a tool that may change something is running. */
  readonly changing: boolean;
  /** Called when such a tool starts; the function it returns is called when the tool has ended. */
  begin(): () => void;
}

const CHANGES: ReadonlySet<Effect> = new Set<Effect>(["fs.write", "exec", "vcs.write", "browser"]);

export const changesWorld = (effects: readonly Effect[]): boolean =>
  effects.some((effect) => CHANGES.has(effect));

export const createWorldEpoch = (): WorldEpoch => {
  let now = 0;
  let running = 0;
  return {
    get now() {
      return now;
    },
    get changing() {
      return running > 0;
    },
    begin() {
      now += 1;
      running += 1;
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        now += 1;
        running -= 1;
      };
    },
  };
};

const EPOCH = Symbol.for("fiveseam.world-epoch.1");

/** The one that all pipelines of the process share, whichever copies of this package are loaded. */
export const processEpoch = (): WorldEpoch => {
  const global = globalThis as { [EPOCH]?: WorldEpoch };
  return (global[EPOCH] ??= createWorldEpoch());
};
