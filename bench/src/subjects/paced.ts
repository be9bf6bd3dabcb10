const everyMs = 10;

export interface Pace {
  readonly count: number;
  readonly perSecond: number;
  /** How many have been done of those handed over. */
  readonly done: () => number;
  /** So many at most are handed over and not done. */
  readonly mostWaiting: number;
}

/** Hands over things at so many a second, as numbers from and to; what could not be in time is made up for. */
export async function paced(pace: Pace, hand: (from: number, to: number) => void): Promise<void> {
  const { count, perSecond, done, mostWaiting } = pace;
  const began = performance.now();
  for (let handed = 0; handed < count; ) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    const inTime = Math.ceil(((performance.now() - began) * perSecond) / 1_000);
    const due = Math.min(count, inTime, done() + mostWaiting);
    if (due > handed) hand(handed, due);
    handed = Math.max(handed, due);
  }
}
