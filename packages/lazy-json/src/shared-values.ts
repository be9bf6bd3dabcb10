const partSlots = 2_048;

interface Part {
  readonly text: string;
  readonly value: unknown;
}

/**
 * Values of one member, such as the namespace, that recur in many objects. Equal bytes yield the same value, which is
 * parsed only once. Memory is limited to a table with 2,048 slots, and a value is stored only once it has occurred
 * twice.
 *
 * Each member needs its own table, so that no object contains a value twice: `structuredClone` would preserve that identity.
 */
export class SharedParts {
  readonly #make: (bytes: Buffer, start: number, end: number) => unknown;
  readonly #seen = new Int32Array(partSlots);
  readonly #parts: (Part | undefined)[] = new Array<Part | undefined>(partSlots).fill(undefined);
  #latest: Part | undefined;

  /** Creates an empty table. @param make function that creates a value from bytes; the value is shared, so it must be immutable */
  constructor(make: (bytes: Buffer, start: number, end: number) => unknown) {
    this.#make = make;
  }

  /** Returns the value for the bytes from `start` to `end`. */
  of(bytes: Buffer, start: number, end: number): unknown {
    const latest = this.#latest;
    if (latest && isText(latest.text, bytes, start, end)) return latest.value;
    const hash = hashOf(bytes, start, end);
    const slot = hash & (partSlots - 1);
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

/** Reports whether the bytes from `start` to `end` equal a string. Returns false if they contain a non-ASCII character. */
function isText(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let i = 0; i < text.length; i++) {
    const byte = bytes[start + i] as number;
    if (byte !== text.charCodeAt(i) || byte >= firstBeyondAscii) return false;
  }
  return true;
}

/** Returns the FNV-1a hash of the bytes from `start` to `end`. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash ^ (hash >>> 15);
}

const stringSlots = 4_096;
/** Minimum length in characters. `JSON.parse` already shares shorter strings. */
const leastLength = 11;
/** Maximum length in characters. Longer strings are rarely equal. */
const maxLength = 120;

/** Last string in each slot of the hash table. */
const latest = new Array<string>(stringSlots).fill("");

/**
 * Replaces the strings in a parsed value with equal strings that have occurred before. This saves memory, because the
 * same images, paths and names occur in thousands of objects. Modifies the value, and stores at most 4,096 strings.
 *
 * @param freezes true to freeze the value recursively as well
 */
export function shareStrings(value: object, freezes = false): void {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const part: unknown = value[i];
      if (typeof part === "object" && part !== null) shareStrings(part, freezes);
      else if (isShareable(part)) value[i] = shared(part);
    }
  } else {
    const members = value as Record<string, unknown>;
    for (const name in members) {
      const part = members[name];
      if (typeof part === "object" && part !== null) shareStrings(part, freezes);
      else if (isShareable(part)) members[name] = shared(part);
    }
  }
  if (freezes) Object.freeze(value);
}

const isShareable = (part: unknown): part is string =>
  typeof part === "string" && part.length >= leastLength && part.length <= maxLength;

function shared(text: string): string {
  const { length } = text;
  let hash = length;
  for (let i = length - 1, step = (length >> 3) + 1; i >= 0; i -= step) hash = Math.imul(hash, 31) + text.charCodeAt(i);
  const slot = (hash ^ (hash >>> 12)) & (stringSlots - 1);
  const known = latest[slot] as string;
  if (known === text) return known;
  latest[slot] = text;
  return text;
}
