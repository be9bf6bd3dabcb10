/** A stream that a test fills by hand: values, then an end or an error. */
export class EventChannel<V> implements AsyncIterableIterator<V, undefined> {
  readonly #values: V[] = [];
  readonly #onClose: () => void;
  readonly #signal: AbortSignal | undefined;
  #ending: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;
  /** How often the reader closed it. */
  closed = 0;

  constructor(signal: AbortSignal | undefined, onClose: () => void = () => {}) {
    this.#signal = signal;
    this.#onClose = onClose;
    if (signal?.aborted) this.end();
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  push(value: V): void {
    if (this.#ending) return;
    this.#values.push(value);
    this.#wake?.();
  }

  end(): void {
    this.#ending ??= {};
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#ending ??= { error };
    this.#wake?.();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<V, undefined>> {
    while (this.#values.length === 0 && !this.#ending)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const [value] = this.#values.splice(0, 1);
    if (value !== undefined && !this.#signal?.aborted) return { value, done: false };
    if (this.#ending && "error" in this.#ending && !this.#signal?.aborted) throw this.#ending.error;
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<V, undefined>> {
    this.closed++;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.end();
    this.#onClose();
    return { value: undefined, done: true };
  }

  readonly #onAbort = (): void => this.end();
}
