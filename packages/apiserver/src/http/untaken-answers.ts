import type { ResponseMessage } from "./messages.ts";

const mostBytes = 128 * 1024 * 1024;
const mostCompressors = 32;

/** What the answers of a server hold in memory until their clients have taken them: a client may ask for thousands and take none. */
export class UntakenAnswers {
  #bytes = 0;
  #compressors = 0;

  /** Whether another large answer may be made as a whole. */
  get hasRoom(): boolean {
    return this.#bytes < mostBytes;
  }

  /** Counts the bytes of an answer until it is over. */
  hold(response: ResponseMessage, bytes: number): void {
    this.#bytes += bytes;
    response.on("close", () => {
      this.#bytes -= bytes;
    });
  }

  /** Whether another answer may be compressed while it is taken. Each holds some 300 KiB; to be told when it is over. */
  beginCompressor(): boolean {
    if (this.#compressors >= mostCompressors) return false;
    this.#compressors++;
    return true;
  }

  endCompressor(): void {
    this.#compressors--;
  }
}
