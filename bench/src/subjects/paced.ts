const everyMs = 10;

/** Hands over `count` things at so many a second, as numbers from and to; what could not be in time is made up for. */
export async function paced(count: number, perSecond: number, hand: (from: number, to: number) => void): Promise<void> {
  const began = performance.now();
  for (let done = 0; done < count; ) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    const due = Math.min(count, Math.ceil(((performance.now() - began) * perSecond) / 1_000));
    if (due > done) hand(done, due);
    done = due;
  }
}
