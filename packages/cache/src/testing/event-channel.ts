/** A stream of values that a test provides, and then ends or fails. */
export class EventChannel<V> implements AsyncIterableIterator<V, undefined> {
  readonly #values: V[] = [];
  readonly #onClose: () => void;
  readonly #signal: AbortSignal | undefined;
  #closure: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;
  /** Number of times the reader closed the stream. */
  closed = 0;

  /** @param onClose called once when the stream ends, for any reason */
  constructor(signal: AbortSignal | undefined, onClose: () => void = () => {}) {
    this.#signal = signal;
    this.#onClose = onClose;
    if (signal?.aborted) this.#closure = {};
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  push(value: V): void {
    if (this.#closure) return;
    this.#values.push(value);
    this.#wake?.();
  }

  end(): void {
    this.#endWith({});
  }

  fail(error: unknown): void {
    this.#endWith({ error });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<V, undefined>> {
    while (this.#values.length === 0 && !this.#closure)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const [value] = this.#values.splice(0, 1);
    if (value !== undefined && !this.#signal?.aborted) return { value, done: false };
    if (this.#closure && "error" in this.#closure && !this.#signal?.aborted) throw this.#closure.error;
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<V, undefined>> {
    this.closed++;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.end();
    return { value: undefined, done: true };
  }

  #endWith(closure: { readonly error?: unknown }): void {
    if (this.#closure) return;
    this.#closure = closure;
    this.#wake?.();
    this.#onClose();
  }

  readonly #onAbort = (): void => this.end();
}
