/** Seeded random numbers. */
export interface Random {
  /** Returns a whole number from 0 to `limit - 1`. */
  below(limit: number): number;
}

/** Mulberry32, by Tommy Ettinger: small, and good enough for shuffling. */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  return {
    below(limit) {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
    },
  };
}
