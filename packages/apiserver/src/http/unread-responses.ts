import type { ResponseMessage } from "./messages.ts";

const maxBytes = 128 * 1024 * 1024;
const maxCompressors = 32;

/**
 * Memory that a server's responses hold until their clients have received them. A client may request thousands of responses without
 * reading any.
 */
export class UnreadResponses {
  #bytes = 0;
  #compressors = 0;

  /** True if another large response may be created as a whole. */
  get hasRoom(): boolean {
    return this.#bytes < maxBytes;
  }

  /** Counts a response's bytes until the response ends. */
  hold(response: ResponseMessage, bytes: number): void {
    this.#bytes += bytes;
    response.on("close", () => {
      this.#bytes -= bytes;
    });
  }

  /** Reserves a compressor, if one is free. Each holds about 300 KiB; release it at the end. */
  beginCompressor(): boolean {
    if (this.#compressors >= maxCompressors) return false;
    this.#compressors++;
    return true;
  }

  endCompressor(): void {
    this.#compressors--;
  }
}
