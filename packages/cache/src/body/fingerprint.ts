import { crc32 } from "node:zlib";

/** Length and CRC-32 of some bytes in one number. 0: there is no fingerprint. */
export type Fingerprint = number;

const afterChecksum = 2 ** 32;
/** In bytes. The length of longer ones does not fit into an exact double beside the checksum. */
const maxLength = 2 ** 20;

/** The fingerprint of the bytes from `start` to `end`; 0 if they are too many. */
export const fingerprintOf = (bytes: Buffer, start: number, end: number): Fingerprint =>
  end - start < maxLength ? (end - start) * afterChecksum + crc32(bytes.subarray(start, end)) : 0;

/** Where the bytes that begin at `start` and have this fingerprint end; -1 if the bytes there have another. */
export function endOfFingerprint(fingerprint: Fingerprint, bytes: Buffer, start: number): number {
  if (fingerprint === 0) return -1;
  const end = start + Math.floor(fingerprint / afterChecksum);
  return end <= bytes.length && fingerprintOf(bytes, start, end) === fingerprint ? end : -1;
}
