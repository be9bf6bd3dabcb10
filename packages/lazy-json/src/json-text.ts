const [quote, comma, colon, openBrace, closeBrace, backslash] = [0x22, 0x2c, 0x3a, 0x7b, 0x7d, 0x5c];
const [space, firstBeyondAscii] = [0x20, 0x80];

/** Returns the bytes from `start` to `end` as UTF-8. Omitting the encoding avoids a slower path in `Buffer`. */
export const textAt = (bytes: Buffer, start: number, end: number): string => bytes.toString(undefined, start, end);

/** Parses the JSON from `start` to `end`. For a string without escapes, the result is the text between the quotes. */
export function parsedValue(bytes: Buffer, start: number, end: number): unknown {
  if (isPlainString(bytes, start, end)) return textAt(bytes, start + 1, end - 1);
  return JSON.parse(textAt(bytes, start, end));
}

/** Reports whether the JSON from `start` to `end` is a string without escapes. */
export function isPlainString(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] !== quote) return false;
  for (let at = start; at < end; at++) if (bytes[at] === backslash) return false;
  return true;
}

/** Reports whether the bytes from `start` to `end` equal a name. */
export function isName(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
  return true;
}

/**
 * Compares an object whose members are all strings with the JSON that starts at `start`.
 *
 * @returns the end offset of the JSON if it has the same members in the same order and contains only ASCII, without white space and
 *   escapes; otherwise -1
 */
export function endOfSameStrings(object: object, bytes: Uint8Array, start: number): number {
  if (bytes[start] !== openBrace) return -1;
  let at = start;
  for (const name in object) {
    const value: unknown = (object as Record<string, unknown>)[name];
    if (typeof value !== "string" || (at > start && bytes[at] !== comma)) return -1;
    at = endOfSameString(name, bytes, at + 1);
    if (at < 0 || bytes[at] !== colon) return -1;
    at = endOfSameString(value, bytes, at + 1);
    if (at < 0) return -1;
  }
  if (at === start) at++;
  return bytes[at] === closeBrace ? at + 1 : -1;
}

/** Compares one string with the JSON that starts at `start`, like {@link endOfSameStrings}. */
export function endOfSameString(text: string, bytes: Uint8Array, start: number): number {
  if (bytes[start] !== quote) return -1;
  const first = start + 1;
  for (let i = 0; i < text.length; i++) {
    const byte = bytes[first + i] as number;
    if (byte !== text.charCodeAt(i) || byte === quote || byte === backslash) return -1;
    if (byte < space || byte >= firstBeyondAscii) return -1;
  }
  return bytes[first + text.length] === quote ? first + text.length + 1 : -1;
}
