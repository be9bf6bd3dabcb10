import { afterSpace, endOfJsonString, endOfJsonValue } from "./json-bytes.ts";

const [comma, colon, openBrace, closeBrace, openBracket, closeBracket] = [0x2c, 0x3a, 0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Iterates over the members of a JSON object or the elements of a JSON array. After each call to {@link next}, the
 * caller must skip the value with {@link skip} or, if the caller has read the value itself, with {@link skipTo}.
 */
export class JsonMembers {
  readonly #bytes: Uint8Array;
  readonly #close: number | undefined;
  #at: number;
  #isFirst = true;
  /** Position of the member's name after its opening quote. The name may contain escapes. Not set for the elements of an array. */
  nameStart = 0;
  /** Position of the closing quote of the name. */
  nameEnd = 0;
  /** Position of the value. */
  valueStart = 0;
  /** Position after the value. It is set once the value has been skipped. */
  valueEnd = 0;
  /**
   * Position after the closing bracket, once {@link next} has returned false. -1 if the bytes are not valid, as in {@link endOfJsonValue}.
   */
  end = -1;

  constructor(bytes: Uint8Array, start: number) {
    const open = bytes[start];
    this.#bytes = bytes;
    this.#close = open === openBrace ? closeBrace : open === openBracket ? closeBracket : undefined;
    this.#at = this.#close === undefined ? -1 : start + 1;
  }

  /** Moves to the next value. Returns false at the end, or if the bytes are not valid. */
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

  /** Skips the value. */
  skip(): void {
    this.skipTo(endOfJsonValue(this.#bytes, this.valueStart));
  }

  /** Sets the end of the value, or -1 if the value is not valid. */
  skipTo(valueEnd: number): void {
    this.valueEnd = valueEnd;
    this.#at = valueEnd;
  }
}
