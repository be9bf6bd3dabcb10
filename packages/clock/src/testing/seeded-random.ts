import type { Random } from "../random.ts";

/**
 * A random source for tests and simulations: the same seed gives the same values in the same order. The values are
 * predictable, so do not use them for security. The algorithm is sfc32.
 */
export class SeededRandom implements Random {
  #a: number;
  #b: number;
  #c = 0x9e3779b9;
  #counter = 1;

  /** @param seed an integer. */
  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 2 ** 32) | 0;
    for (let i = 0; i < 12; i++) this.#next();
  }

  readonly number = (): number => (this.#next() >>> 0) / 2 ** 32;

  /** Returns an integer from 0 to, but not including, `below`. */
  integer(below: number): number {
    const high = (this.#next() >>> 0) * 2 ** 21;
    return Math.floor(((high + (this.#next() >>> 11)) / 2 ** 53) * below);
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let i = 0; i < length; i++) bytes[i] = this.#next() & 0xff;
    return bytes;
  }

  uuid(): string {
    const bytes = this.bytes(16);
    bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x40; // version 4
    bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80; // RFC 9562
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }

  /** Returns the next 32 bits. */
  #next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum;
  }
}
