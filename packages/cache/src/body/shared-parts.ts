const slots = 2_048;

interface Part {
  readonly text: string;
  readonly value: unknown;
}

/**
 * Values that occur again and again in one place of many objects, such as namespaces: the same bytes give the same value, which
 * then costs neither time nor memory. What is kept is bounded, and nothing is kept of what occurs once.
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
    if (latest && isText(latest.text, bytes, start, end)) return latest.value;
    const hash = hashOf(bytes, start, end);
    const slot = hash & (slots - 1);
    const known = this.#parts[slot];
    if (known && isText(known.text, bytes, start, end)) {
      this.#latest = known;
      return known.value;
    }
    const value = this.#make(bytes, start, end);
    if (this.#seen[slot] === hash) this.#parts[slot] = { text: bytes.toString("latin1", start, end), value };
    else this.#seen[slot] = hash;
    return value;
  }
}

const firstBeyondAscii = 0x80;

/** Whether the bytes from `start` to `end` are a text, which has to be of ASCII characters. */
function isText(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let i = 0; i < text.length; i++) {
    const byte = bytes[start + i] as number;
    if (byte !== text.charCodeAt(i) || byte >= firstBeyondAscii) return false;
  }
  return true;
}

/** FNV-1a. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash ^ (hash >>> 15);
}
