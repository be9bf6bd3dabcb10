/**
 * A value that is computed when it is read and stale. Concurrent readers share one computation. None gets a value that was computed
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

  /** Makes the next reader compute the value anew. */
  markStale(): void {
    this.#computed = undefined;
  }

  /** @throws what the computation throws */
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
