const key = Buffer.from('"managedFields":[');
const [quote, backslash, open, close, comma] = [0x22, 0x5c, 0x5b, 0x5d, 0x2c];

/**
 * Returns a JSON text without its first `managedFields`. Relies on the format of the feed, in which they come last in the metadata. It
 * shows the minimum cost of removing them, and is not meant to be copied.
 */
export function cutManagedFields(text: Buffer): string {
  const at = text.indexOf(key);
  if (at < 0) return text.toString("latin1");
  let depth = 1;
  let end = at + key.length;
  for (; depth > 0 && end < text.length; end++) {
    const byte = text[end];
    if (byte === quote) end = endOfString(text, end);
    else if (byte === open) depth += 1;
    else if (byte === close) depth -= 1;
  }
  const from = text[at - 1] === comma ? at - 1 : at;
  return text.toString("latin1", 0, from) + text.toString("latin1", end);
}

function endOfString(text: Buffer, start: number): number {
  let end = text.indexOf(quote, start + 1);
  while (end > 0 && text[end - 1] === backslash) end = text.indexOf(quote, end + 1);
  return end;
}
