import { afterSpace, endOfJsonString, endOfJsonValue } from "./json-bytes.ts";

const [comma, colon, openBrace, closeBrace, openBracket, closeBracket] = [0x2c, 0x3a, 0x7b, 0x7d, 0x5b, 0x5d];

/**
 * The members of the JSON object, or elements of the JSON array, that begins at `start`, one after the other. After each
 * {@link next} the value is passed over by {@link skip}, or by {@link skipTo} if somebody looked into it.
 */
export class JsonMembers {
  readonly #bytes: Uint8Array;
  readonly #close: number | undefined;
  #at: number;
  #isFirst = true;
  /** The name as it is written, escapes and all, between its quotes. Members only. */
  nameStart = 0;
  /** The position of the quote that ends the name. */
  nameEnd = 0;
  /** Where the value begins. */
  valueStart = 0;
  /** The position after the value, once it has been passed over. */
  valueEnd = 0;
  /** The position after the closing bracket, once {@link next} has returned false; -1 if anything was wrong, as in {@link endOfJsonValue}. */
  end = -1;

  constructor(bytes: Uint8Array, start: number) {
    const open = bytes[start];
    this.#bytes = bytes;
    this.#close = open === openBrace ? closeBrace : open === openBracket ? closeBracket : undefined;
    this.#at = this.#close === undefined ? -1 : start + 1;
  }

  /** Goes on to the next value; false at the end, or where the bytes are wrong. */
  next(): boolean {
    if (this.#at < 0) return false;
    const bytes = this.#bytes;
    let at = afterSpace(bytes, this.#at);
    this.#at = -1;
    if (bytes[at] === this.#close) {
      this.end = at + 1;
      return false;
    }
    if (this.#isFirst) this.#isFirst = false;
    else {
      if (bytes[at] !== comma) return false;
      at = afterSpace(bytes, at + 1);
    }
    if (this.#close === closeBrace) {
      const end = endOfJsonString(bytes, at);
      if (end < 0) return false;
      this.nameStart = at + 1;
      this.nameEnd = end - 1;
      at = afterSpace(bytes, end);
      if (bytes[at] !== colon) return false;
      at = afterSpace(bytes, at + 1);
    }
    this.valueStart = at;
    return true;
  }

  /** Passes over the value. */
  skip(): void {
    this.skipTo(endOfJsonValue(this.#bytes, this.valueStart));
  }

  /** The value ends there; -1 if it was found to be wrong. */
  skipTo(valueEnd: number): void {
    this.valueEnd = valueEnd;
    this.#at = valueEnd;
  }
}
