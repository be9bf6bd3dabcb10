const key = Buffer.from('"managedFields":[');
const [quote, backslash, open, close, comma] = [0x22, 0x5c, 0x5b, 0x5d, 0x2c];

/**
 * A JSON text without its first `managedFields`, as bytes. Knows how the feed writes them, last in the metadata: this is the
 * least that cutting can cost, not something to copy.
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
