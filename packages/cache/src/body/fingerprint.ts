import { crc32 } from "node:zlib";

/** Length and checksum of some bytes in one number; 0 of none. */
export type Fingerprint = number;

const afterChecksum = 2 ** 32;
/** Longer ones do not fit into the number. */
const maxLength = 2 ** 20;

export const fingerprintOf = (bytes: Buffer, start: number, end: number): Fingerprint =>
  end - start < maxLength ? (end - start) * afterChecksum + crc32(bytes.subarray(start, end)) : 0;

/** Where the bytes end that begin at `start` and have this fingerprint; -1 if there are none. */
export function endOfFingerprint(fingerprint: Fingerprint, bytes: Buffer, start: number): number {
  if (fingerprint === 0) return -1;
  const end = start + Math.floor(fingerprint / afterChecksum);
  return end <= bytes.length && fingerprintOf(bytes, start, end) === fingerprint ? end : -1;
}
