const [quote, backslash] = [0x22, 0x5c];

/** The bytes from `start` to `end` as text. Buffers find their way to UTF-8 faster when it is not named. */
export const textAt = (bytes: Buffer, start: number, end: number): string => bytes.toString(undefined, start, end);

/** What JSON stands for. A string without escapes is what is between its quotes. */
export function parsedValue(bytes: Buffer, start: number, end: number): unknown {
  if (isPlainString(bytes, start, end)) return textAt(bytes, start + 1, end - 1);
  return JSON.parse(textAt(bytes, start, end));
}

/** Whether it is a string without escapes. */
export function isPlainString(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] !== quote) return false;
  for (let at = start; at < end; at++) if (bytes[at] === backslash) return false;
  return true;
}
