/** The bytes of one watch, between the server that writes and the client that reads. */
export class WatchBody implements AsyncIterable<Buffer> {
  readonly #onAbandoned: () => void;
  #chunks: Buffer[] = [];
  #phase: "open" | "silent" | "over" = "open";
  #error: unknown;
  #wake = (): void => {};

  /** @param onAbandoned called once when the reader leaves */
  constructor(signal: AbortSignal | undefined, onAbandoned: () => void) {
    const abort = (): void => this.#leave(signal?.reason);
    this.#onAbandoned = () => {
      signal?.removeEventListener("abort", abort);
      onAbandoned();
    };
    signal?.addEventListener("abort", abort, { once: true });
  }

  /** True if written bytes arrive. */
  get isOpen(): boolean {
    return this.#phase === "open";
  }

  get isSilent(): boolean {
    return this.#phase === "silent";
  }

  push(chunk: Buffer): void {
    if (!this.isOpen || chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#wake();
  }

  /** Ends the stream, optionally with an error of the network. Bytes written before still arrive. */
  end(error?: Error): void {
    if (!this.isOpen) return;
    this.#phase = "over";
    this.#error = error;
    this.#wake();
  }

  /** From now on nothing arrives, not even the end. */
  fallSilent(): void {
    if (this.isOpen) this.#phase = "silent";
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk) yield chunk;
        else if (this.#phase !== "over") {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        } else if (this.#error !== undefined) throw this.#error;
        else return;
      }
    } finally {
      this.#leave(undefined);
    }
  }

  #leave(reason: unknown): void {
    this.#phase = "over";
    this.#error ??= reason;
    this.#onAbandoned();
    this.#wake();
  }
}
