const slots = 4_096;
/** In characters. `JSON.parse` already shares shorter strings. */
const leastLength = 11;
/** In characters. Longer strings are rarely equal. */
const maxLength = 120;

/** The last string of each slot of the hash table. */
const latest = new Array<string>(slots).fill("");

/**
 * Replaces strings in a parsed value, in place, by equal strings seen before: the same images, paths and names occur in thousands of
 * objects. Memory is bounded: 4,096 strings are remembered.
 *
 * @param freezes whether to freeze everything in the value as well
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
  const slot = (hash ^ (hash >>> 12)) & (slots - 1);
  const known = latest[slot] as string;
  if (known === text) return known;
  latest[slot] = text;
  return text;
}
