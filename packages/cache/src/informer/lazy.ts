/**
 * A value that is computed when it is wanted and stale. Readers that come together share one computation, and none gets a value
 * older than the last {@link markStale} before it asked. A failure is not kept: the next reader tries again.
 *
 * @see client-go tools/cache/synctrack Lazy
 */
export class Lazy<V> {
  readonly #compute: () => Promise<V> | V;
  #computed: Promise<V> | undefined;

  constructor(compute: () => Promise<V> | V) {
    this.#compute = compute;
  }

  /** The value from here on has to be computed anew. */
  markStale(): void {
    this.#computed = undefined;
  }

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
