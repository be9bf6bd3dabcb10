import type { ResponseMessage } from "./messages.ts";

const maxBytes = 128 * 1024 * 1024;
const maxCompressors = 32;

/**
 * Limits the memory used by responses that clients have not received yet, because a client may send thousands of
 * requests without reading any response.
 */
export class UnreadResponses {
  #bytes = 0;
  #compressors = 0;

  /** True if enough memory is left to build another large response completely before it is sent. */
  get hasRoom(): boolean {
    return this.#bytes < maxBytes;
  }

  /** Counts the bytes of a response until the response ends. */
  hold(response: ResponseMessage, bytes: number): void {
    this.#bytes += bytes;
    response.on("close", () => {
      this.#bytes -= bytes;
    });
  }

  /** Reserves a compressor, which takes about 300 KiB, and returns true if one is free. The caller must release it at the end. */
  beginCompressor(): boolean {
    if (this.#compressors >= maxCompressors) return false;
    this.#compressors++;
    return true;
  }

  endCompressor(): void {
    this.#compressors--;
  }
}
