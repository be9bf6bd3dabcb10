/** A seeded source of random numbers. The same seed gives the same numbers, on any machine. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #count = 1;

  /** @param seed number or string; each seed gives a different sequence */
  constructor(seed: number | string) {
    const text = String(seed);
    [this.#a, this.#b, this.#c] = [hash(text, 0x9e3779b9), hash(text, 0x85ebca6b), hash(text, 0xc2b2ae35)];
    for (let turn = 0; turn < 12; turn++) this.next();
  }

  /** Returns a number in [0, 1). @see PractRand sfc32 */
  readonly next = (): number => {
    const sum = (this.#a + this.#b + this.#count++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  };

  /** Returns a whole number from 0 to `end`, exclusive. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** Returns a whole number from `first` to `last`, inclusive. */
  between(first: number, last: number): number {
    return first + this.below(last - first + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  one<T>(values: readonly [T, ...T[]]): T;
  one<T>(values: readonly T[]): T | undefined;
  one<T>(values: readonly T[]): T | undefined {
    return values[this.below(values.length)];
  }

  /** Fills an array with random bytes, and returns it. */
  fill<A extends Uint8Array>(bytes: A): A {
    for (let at = 0; at < bytes.length; at++) bytes[at] = this.below(256);
    return bytes;
  }

  /** Returns a random UUID of version 4. */
  uuid(): `${string}-${string}-${string}-${string}-${string}` {
    const digits = (count: number): string => {
      let text = "";
      while (text.length < count) text += this.below(16).toString(16);
      return text;
    };
    return `${digits(8)}-${digits(4)}-4${digits(3)}-${"89ab"[this.below(4)]}${digits(3)}-${digits(12)}`;
  }
}

/** @see FNV-1a, with murmur3's finalizer */
function hash(text: string, basis: number): number {
  let value = basis;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 16_777_619);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}
