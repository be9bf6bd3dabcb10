import type { ResponseMessage } from "./messages.ts";

const mostBytes = 128 * 1024 * 1024;
const mostCompressors = 32;

/** Memory held by a server's answers until their clients have taken them: a client may request thousands and read none. */
export class UntakenAnswers {
  #bytes = 0;
  #compressors = 0;

  /** True if another large answer may be created as a whole. */
  get hasRoom(): boolean {
    return this.#bytes < mostBytes;
  }

  /** Counts the bytes of an answer until it ends. */
  hold(response: ResponseMessage, bytes: number): void {
    this.#bytes += bytes;
    response.on("close", () => {
      this.#bytes -= bytes;
    });
  }

  /** Reserves a compressor, if one is free. Each holds about 300 KiB; release it at the end. */
  beginCompressor(): boolean {
    if (this.#compressors >= mostCompressors) return false;
    this.#compressors++;
    return true;
  }

  endCompressor(): void {
    this.#compressors--;
  }
}
