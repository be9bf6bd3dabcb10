/** An element in DER data. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** Bytes of the whole element, including its tag and length. */
  readonly whole: Buffer;
}

/** Returns the consecutive elements in a buffer. @throws {Error} for invalid DER */
export function readDer(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1];
    if (first === undefined) throw new Error("asn1: structure error: truncated element");
    const lengthBytes = first & 0x80 ? first & 0x7f : 0;
    if (first === 0x80) throw new Error("asn1: syntax error: indefinite length found (not DER)");
    if (lengthBytes > 4) throw new Error("asn1: structure error: length too large");
    const length = lengthBytes === 0 ? first : Number.parseInt(bytes.toString("hex", at + 2, at + 2 + lengthBytes), 16);
    const start = at + 2 + lengthBytes;
    const end = start + length;
    if (!(end <= bytes.length)) throw new Error("asn1: syntax error: data truncated");
    if (lengthBytes > 0 && bytes[at + 2] === 0)
      throw new Error("asn1: structure error: superfluous leading zeros in length");
    if (lengthBytes > 0 && length < 0x80) throw new Error("asn1: structure error: non-minimal length");
    elements.push({ tag, content: bytes.subarray(start, end), whole: bytes.subarray(at, end) });
    at = end;
  }
  return elements;
}

/** Returns the elements within an element. @throws {Error} if they are not valid DER */
export const childrenOf = (element: DerElement | undefined): DerElement[] =>
  readDer(element?.content ?? Buffer.alloc(0));

/** Formats an object identifier as text. */
export function identifierText({ content }: DerElement): string {
  const arcs: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    if (arcs.length === 0)
      arcs.push(Math.min(Math.floor(value / 40), 2), value - 40 * Math.min(Math.floor(value / 40), 2));
    else arcs.push(value);
    value = 0;
  }
  return arcs.join(".");
}

/** Returns the content of the first PEM block of the given type, or `undefined` if there is none. */
export function pemBody(pem: string, type: string): Buffer | undefined {
  const body = new RegExp(`-----BEGIN ${type}-----([A-Za-z0-9+/=\\s]+)-----END ${type}-----`).exec(pem)?.[1];
  return body === undefined ? undefined : Buffer.from(body, "base64");
}
