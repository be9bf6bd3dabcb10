import process from "node:process";

/** A source of random values. Code that uses no other source behaves identically on every run with the same seed. */
export interface Random {
  /** Returns a number from 0 to, but not including, 1. It must not be used for secrets. */
  number(): number;
  /** Returns an integer from 0 to, but not including, `below`, which is at most 2^48 - 1. */
  integer(below: number): number;
  /** Returns `length` random bytes, for example for a secret or the name of a temporary file. */
  bytes(length: number): Buffer;
  /** Returns a random UUID (version 4). */
  uuid(): string;
}

/** The system's random source. All values except {@link Random.number} are cryptographically secure. */
export const systemRandom: Random = {
  number: () => Math.random(),
  integer: (below) => crypto().randomInt(below),
  bytes: (length) => crypto().randomBytes(length),
  uuid: () => crypto().randomUUID(),
};

/** Loads the module when it is first used, because most programs that import this package do not need it. */
const crypto = (): typeof import("node:crypto") => process.getBuiltinModule("node:crypto");
