import { randomFrom } from "../schedule/random.ts";

/** A seeded source of random choices. */
export class Dice {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomFrom(seed);
  }

  /** Returns a number in [0, 1). */
  readonly number = (): number => this.#next();

  /** Returns a whole number from 0 to `end`, exclusive. */
  below(end: number): number {
    return Math.floor(this.#next() * end);
  }

  one<T>(values: readonly [T, ...T[]]): T;
  one<T>(values: readonly T[]): T | undefined;
  one<T>(values: readonly T[]): T | undefined {
    return values[this.below(values.length)];
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }
}
