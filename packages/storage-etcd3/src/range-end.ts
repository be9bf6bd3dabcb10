/** Returns the end of the range of keys that start with a prefix: the first key after all of them. */
export function endOfPrefix(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  for (let index = end.length - 1; index >= 0; index--) {
    const byte = end[index] ?? 0;
    if (byte === 0xff) continue;
    end[index] = byte + 1;
    return end.subarray(0, index + 1);
  }
  return Buffer.from([0]);
}
