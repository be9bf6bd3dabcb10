/** Encodes an element in DER. The functions below encode the types that certificates use. */
const element = (tag: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);

function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

/** Encodes a SEQUENCE of elements that are already encoded. */
export const sequence = (...items: readonly Buffer[]): Buffer => element(0x30, Buffer.concat(items));
export const setOf = (...items: readonly Buffer[]): Buffer => element(0x31, Buffer.concat(items));
export const utf8String = (text: string): Buffer => element(0x0c, Buffer.from(text));
export const octetString = (content: Buffer): Buffer => element(0x04, content);
export const bitString = (content: Buffer, unusedBits = 0): Buffer =>
  element(0x03, Buffer.concat([Buffer.from([unusedBits]), content]));
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]));

/** Encodes a positive integer from its big-endian bytes. */
export const integer = (bytes: Buffer): Buffer =>
  element(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);

/** Encodes content with the context-specific tag `[number]`. Set `constructed` to false if the content is primitive. */
export const tagged = (number: number, content: Buffer, constructed = true): Buffer =>
  element((constructed ? 0xa0 : 0x80) | number, content);

/** Encodes an OBJECT IDENTIFIER, given in its dotted form such as `2.5.4.3`. Its numbers must be below 2^32. */
export function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** Encodes a time as `UTCTime` up to 2049 and as `GeneralizedTime` from 2050, as RFC 5280 requires. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, "").slice(0, 14);
  return digits < "2050" ? element(0x17, Buffer.from(`${digits.slice(2)}Z`)) : element(0x18, Buffer.from(`${digits}Z`));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
