const [quote, backslash] = [0x22, 0x5c];

/** Returns the bytes from `start` to `end` as UTF-8. Naming the encoding would take a slower path through `Buffer`. */
export const textAt = (bytes: Buffer, start: number, end: number): string => bytes.toString(undefined, start, end);

/** Parses the JSON from `start` to `end`. A string without escapes is simply the text between its quotes. */
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

/** Reports whether the bytes from `start` to `end` are a given name. */
export function isName(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
  return true;
}
