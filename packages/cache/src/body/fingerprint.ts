import { crc32 } from "node:zlib";

/** Length and CRC-32 of some bytes in one number. 0 means that there is no fingerprint. */
export type Fingerprint = number;

const afterChecksum = 2 ** 32;
/** In bytes. A larger length and the checksum together would not fit exactly into a double. */
const maxLength = 2 ** 20;

/** Returns the fingerprint of the bytes from `start` to `end`; 0 if there are too many. */
export const fingerprintOf = (bytes: Buffer, start: number, end: number): Fingerprint =>
  end - start < maxLength ? (end - start) * afterChecksum + crc32(bytes.subarray(start, end)) : 0;

/** Returns the end of the bytes that begin at `start` and have this fingerprint; -1 if the bytes there have a different one. */
export function endOfFingerprint(fingerprint: Fingerprint, bytes: Buffer, start: number): number {
  if (fingerprint === 0) return -1;
  const end = start + Math.floor(fingerprint / afterChecksum);
  return end <= bytes.length && fingerprintOf(bytes, start, end) === fingerprint ? end : -1;
}
