/** Size in bytes of headers and of the blocks to which contents are padded. */
export const blockBytes = 512;

/** A file or folder in an archive. Folder names end in a slash. */
export interface TarEntry {
  readonly name: string;
  /** Length of the content in bytes; 0 for folders. */
  readonly size: number;
  /** Permissions, such as 0o644. */
  readonly mode: number;
  /** ID of the user and group that own the entry. Default 0. */
  readonly owner?: number | undefined;
}

/** Returns a USTAR header. The timestamp is always the Unix epoch, which keeps archives reproducible. */
export function tarHeader({ name, size, mode, owner = 0 }: TarEntry): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is longer than the 100 bytes that a tar header allows`);
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, length: number): void => {
    header.write(value.toString(8).padStart(length - 1, "0"), at, "ascii");
  };
  header.write(name, 0, "utf8");
  octal(mode, 100, 8);
  octal(owner, 108, 8);
  octal(owner, 116, 8);
  if (size >= 8 ** 11) {
    // GNU extension for sizes that need more than eleven octal digits.
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(size), 128);
  } else octal(size, 124, 12);
  octal(0, 136, 12);
  header.write("        ", 148, "ascii"); // the checksum is computed with blanks in its own field
  header.write(name.endsWith("/") ? "5" : "0", 156, "ascii");
  header.write("ustar\u000000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

/** Returns the padding for content of a given length. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes);

/** End marker of an archive. */
export const tarEnd: Buffer = Buffer.alloc(2 * blockBytes);

/** Creates a small archive in memory. */
export function tarOf(files: readonly (Omit<TarEntry, "size"> & { readonly bytes?: Uint8Array })[]): Buffer {
  const blocks = files.flatMap(({ bytes = Buffer.alloc(0), ...entry }) => [
    tarHeader({ ...entry, size: bytes.length }),
    bytes,
    tarPadding(bytes.length),
  ]);
  return Buffer.concat([...blocks, tarEnd]);
}

/** Parses a header. Returns undefined at the end of the archive. @throws {Error} if the block is not a header */
export function parseTarHeader(
  block: Buffer,
): { readonly name: string; readonly size: number; readonly type: string } | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const text = (at: number, length: number): string =>
    block
      .toString("utf8", at, at + length)
      .replace(/\0.*$/s, "")
      .trim();
  const sum = block.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0);
  if (sum !== Number.parseInt(text(148, 8), 8)) throw new Error("the file is not a tar archive, or is corrupted");
  const size = block.readUInt8(124) === 0x80 ? Number(block.readBigUInt64BE(128)) : Number.parseInt(text(124, 12), 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new Error("the archive contains an entry with an invalid size");
  const prefix = text(257, 5) === "ustar" ? text(345, 155) : "";
  return { name: `${prefix ? `${prefix}/` : ""}${text(0, 100)}`, size, type: text(156, 1) || "0" };
}
