/**
 * Maximum length of a search text for which JavaScript's own search is used. With a longer one, malicious input could make the search take
 * time proportional to the product of both lengths.
 */
const maxForEngine = 128;

/**
 * Returns the offset of the first occurrence of `part` that starts at or after `from`, or -1. The time is linear in
 * both lengths.
 */
export function indexOfText(text: string, part: string, from = 0): number {
  return part.length <= maxForEngine ? text.indexOf(part, from) : (occurrences(text, part, from).next().value ?? -1);
}

/** Returns the offset of the last occurrence of `part` that starts at or before `from`, or -1. */
export function lastIndexOfText(text: string, part: string, from = text.length): number {
  if (part.length <= 1) return text.lastIndexOf(part, from);
  let found = -1;
  for (const at of occurrences(text.slice(0, from + part.length), part, 0)) found = at;
  return found;
}

/** Splits a string at each occurrence of `part`, like `String.prototype.split`. `part` must not be empty. */
export function splitText(text: string, part: string): string[] {
  if (part.length <= maxForEngine) return text.split(part);
  const parts: string[] = [];
  let start = 0;
  for (let at = indexOfText(text, part); at >= 0; at = indexOfText(text, part, start)) {
    parts.push(text.slice(start, at));
    start = at + part.length;
  }
  return [...parts, text.slice(start)];
}

/** Yields every offset at which `part` occurs. Occurrences may overlap. @see Knuth, Morris, Pratt */
function* occurrences(text: string, part: string, from: number): Generator<number> {
  const fallback = fallbacks(part);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = fallback[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === unit) matched++;
    if (matched < part.length) continue;
    yield at - matched + 1;
    matched = fallback[matched - 1] ?? 0;
  }
}

/**
 * Returns, for each prefix of a string, the length of its longest border: the longest shorter string that the prefix both starts and ends with.
 */
function fallbacks(part: string): Int32Array {
  const fallback = new Int32Array(part.length);
  for (let at = 1, matched = 0; at < part.length; at++) {
    const unit = part.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = fallback[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === unit) matched++;
    fallback[at] = matched;
  }
  return fallback;
}
