/**
 * A value that is computed when it is read and stale. Concurrent readers share one computation. No reader gets a value that was computed
 * before the last {@link markStale}. A failure is not kept: the next reader tries again.
 *
 * @see client-go tools/cache/synctrack Lazy
 */
export class Lazy<V> {
  readonly #compute: () => Promise<V> | V;
  #computed: Promise<V> | undefined;

  constructor(compute: () => Promise<V> | V) {
    this.#compute = compute;
  }

  /** Makes the next reader recompute the value. */
  markStale(): void {
    this.#computed = undefined;
  }

  /**
   * Returns the value, computing it if it is stale.
   *
   * @throws any error of the computation
   */
  get(): Promise<V> {
    if (this.#computed) return this.#computed;
    const computed = Promise.resolve().then(this.#compute);
    computed.catch(() => {
      if (this.#computed === computed) this.#computed = undefined;
    });
    this.#computed = computed;
    return computed;
  }
}
