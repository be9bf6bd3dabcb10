import { randomFrom } from "../schedule/random.ts";

/** A source of choices that are the same for the same seed. */
export class Dice {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomFrom(seed);
  }

  /** A number in [0, 1). */
  readonly number = (): number => this.#next();

  /** A whole number from 0 up to `end`, without it. */
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
