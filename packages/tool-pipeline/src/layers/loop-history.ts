/** One call as the loop guard remembers it. */
export interface Seen {
  readonly tool: string;
  /** Digest of tool and arguments. */
  readonly asked: string;
  /** Digest of the result. */
  readonly answered: string;
  /** It changed nothing: its tool only reads, or it failed. */
  readonly idle: boolean;
}

export const LONGEST_CYCLE = 5;

/** How often the end of the history repeats itself: the best over cycles of one to five calls. */
export const repetitions = (history: readonly Seen[]): { times: number; length: number } => {
  let best = { times: 1, length: 1 };
  for (let length = 1; length <= LONGEST_CYCLE; length += 1) {
    let same = 0;
    for (let at = history.length - 1; at - length >= 0; at -= 1) {
      const [one, earlier] = [history[at] as Seen, history[at - length] as Seen];
      if (one.asked !== earlier.asked || one.answered !== earlier.answered) break;
      same += 1;
    }
    const times = Math.floor(same / length) + 1;
    if (times > best.times) best = { times, length };
  }
  return best;
};

/** How many calls at the end of the history went to one tool with one and the same answer, and changed nothing. */
export const fruitless = (history: readonly Seen[]): number => {
  const last = history.at(-1);
  if (!last?.idle) return 0;
  let count = 0;
  for (let at = history.length - 1; at >= 0; at -= 1) {
    const each = history[at] as Seen;
    if (each.tool !== last.tool || each.answered !== last.answered || !each.idle) break;
    count += 1;
  }
  return count;
};
