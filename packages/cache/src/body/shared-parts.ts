const slots = 2_048;

interface Part {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/**
 * Values that occur again and again in one place of many objects, such as the labels of a deployment's pods: the same bytes give
 * the same value, which then costs neither time nor memory. What is kept is bounded, and nothing is kept of what occurs once.
 *
 * Each place has a table of its own, so that no object has the same value twice: a copy of it, too, is to have two.
 */
export class SharedParts {
  readonly #make: (bytes: Buffer, start: number, end: number) => unknown;
  readonly #seen = new Int32Array(slots);
  readonly #parts: (Part | undefined)[] = new Array<Part | undefined>(slots).fill(undefined);
  #latest: Part | undefined;

  /** @param make what is made of bytes; it may be given to many */
  constructor(make: (bytes: Buffer, start: number, end: number) => unknown) {
    this.#make = make;
  }

  /** The value that the bytes from `start` to `end` stand for. */
  of(bytes: Buffer, start: number, end: number): unknown {
    const latest = this.#latest;
    if (latest && isSame(latest.bytes, bytes, start, end)) return latest.value;
    const hash = hashOf(bytes, start, end);
    const slot = hash & (slots - 1);
    const known = this.#parts[slot];
    if (known && isSame(known.bytes, bytes, start, end)) {
      this.#latest = known;
      return known.value;
    }
    const value = this.#make(bytes, start, end);
    if (this.#seen[slot] === hash) this.#keep(slot, bytes, start, end, value);
    else this.#seen[slot] = hash;
    return value;
  }

  #keep(slot: number, bytes: Buffer, start: number, end: number, value: unknown): void {
    const copy = Buffer.allocUnsafeSlow(end - start);
    bytes.copy(copy, 0, start, end);
    this.#parts[slot] = { bytes: copy, value };
  }
}

function isSame(part: Buffer, bytes: Buffer, start: number, end: number): boolean {
  const { length } = part;
  if (length !== end - start) return false;
  if (length > 64) return part.compare(bytes, start, end) === 0;
  for (let i = 0; i < length; i++) if (part[i] !== bytes[start + i]) return false;
  return true;
}

/** FNV-1a. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash ^ (hash >>> 15);
}
