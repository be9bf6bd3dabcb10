import { gzipSync } from "node:zlib";

/** Says which system compressed it; 255 is "unknown". */
const systemByte = 9;

/** Compressed so that the same bytes give the same bytes: without a time, a name, or the system it was done on. */
export function gzipped(bytes: Uint8Array): Buffer {
  const packed = gzipSync(bytes, { level: 9 });
  packed[systemByte] = 255;
  return packed;
}

/** `1.7 MB`, `435 KB`, for people. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
