const slots = 4_096;
/** The engine has shorter ones once anyway. */
const leastLength = 11;
/** Longer ones are hardly ever the same. */
const maxLength = 120;

/** The latest string of each slot. */
const latest = new Array<string>(slots).fill("");

/**
 * Puts in the place of strings in a parsed value others that are equal: images, paths and names of one object occur in thousands.
 * What is remembered is bounded.
 */
export function shareStrings(value: object): void {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const part: unknown = value[i];
      if (typeof part === "object" && part !== null) shareStrings(part);
      else if (isShareable(part)) value[i] = shared(part);
    }
    return;
  }
  const members = value as Record<string, unknown>;
  for (const name in members) {
    const part = members[name];
    if (typeof part === "object" && part !== null) shareStrings(part);
    else if (isShareable(part)) members[name] = shared(part);
  }
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
