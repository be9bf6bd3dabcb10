/** Size in bytes above which a buffer is released after one message. */
const keptBytes = 1024 * 1024;
/** Maximum length of strings that are copied character by character. For short strings, this is faster than measuring them first. */
const shortText = 64;

/**
 * Writes protobuf messages from the end to the start, so that nested content is written before its length and need not
 * be measured separately. A writer can be used for many messages.
 */
export class ProtobufWriter {
  #bytes: Buffer = Buffer.allocUnsafeSlow(64 * 1024);
  #start: number = this.#bytes.length;

  /** Number of bytes that have been written so far. */
  get length(): number {
    return this.#bytes.length - this.#start;
  }

  /** Returns a copy of the written bytes and empties the writer. */
  finish(): Buffer {
    const written = Buffer.allocUnsafeSlow(this.length);
    this.#bytes.copy(written, 0, this.#start);
    if (this.#bytes.length > keptBytes) this.#bytes = Buffer.allocUnsafeSlow(keptBytes);
    this.#start = this.#bytes.length;
    return written;
  }

  /** Empties the writer. */
  clear(): void {
    this.#start = this.#bytes.length;
  }

  /** Writes a varint. @param value must not be negative */
  varint(value: number): void {
    this.#reserve(10);
    if (value < 0x80) {
      this.#bytes[--this.#start] = value;
      return;
    }
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
    let at = this.#start - size;
    this.#start = at;
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[at++] = (rest % 0x80) | 0x80;
    this.#bytes[at] = rest;
  }

  /** Writes a 64-bit integer. Negative integers take ten bytes. */
  integer(value: number | bigint): void {
    if (typeof value === "number" && value >= 0) {
      this.varint(value);
      return;
    }
    this.#reserve(10);
    const parts: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 0x80n; rest >>= 7n) parts.push(Number(rest & 0x7fn) | 0x80);
    parts.push(Number(rest));
    this.#start -= parts.length;
    this.#bytes.set(parts, this.#start);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    this.#bytes.writeDoubleLE(value, this.#start);
  }

  bytes(content: Uint8Array): void {
    this.#reserve(content.length);
    this.#start -= content.length;
    this.#bytes.set(content, this.#start);
  }

  /** Writes a string as UTF-8. */
  text(text: string): void {
    if (text.length <= shortText && this.#ascii(text)) return;
    const size = Buffer.byteLength(text);
    this.#reserve(size);
    this.#start -= size;
    this.#bytes.write(text, this.#start, size, "utf8");
  }

  #ascii(text: string): boolean {
    this.#reserve(text.length);
    let at = this.#start;
    for (let index = text.length - 1; index >= 0; index--) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) return false;
      this.#bytes[--at] = code;
    }
    this.#start = at;
    return true;
  }

  #reserve(size: number): void {
    if (this.#start >= size) return;
    const { length } = this;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, length + size));
    this.#bytes.copy(larger, larger.length - length, this.#start);
    this.#bytes = larger;
    this.#start = larger.length - length;
  }
}
