import { gzipSync } from "node:zlib";

/** Index of the header byte that names the operating system; 255 means "unknown". */
const systemByte = 9;

/** Compresses reproducibly: the output contains no time, file name or operating system. */
export function gzipped(bytes: Uint8Array): Buffer {
  const packed = gzipSync(bytes, { level: 9 });
  packed[systemByte] = 255;
  return packed;
}

/** Formats a size in a readable form, such as `1.7 MB` or `435 KB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
