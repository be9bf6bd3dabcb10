/** How a queue remembers why items were added. */
export interface CauseOptions<Cause> {
  /** Most causes kept for an item; the oldest give way. Default 10. */
  readonly maxCauses?: number;
  /** Causes with the same key are one; the latest stays. Default: the causes themselves are compared. */
  readonly causeKey?: (cause: Cause) => unknown;
}

const none: readonly never[] = [];

/**
 * Why items are worked on and why they will be. Causes gather while an item waits, go with it when it is handed out, and are
 * dropped when it is done; those that come meanwhile belong to the next round.
 */
export class CauseBook<T, Cause> {
  readonly #max: number;
  readonly #keyOf: (cause: Cause) => unknown;
  readonly #coming = new Map<T, Map<unknown, Cause>>();
  readonly #current = new Map<T, readonly Cause[]>();

  constructor(options: CauseOptions<Cause>) {
    this.#max = options.maxCauses ?? 10;
    this.#keyOf = options.causeKey ?? ((cause) => cause);
  }

  note(item: T, cause: Cause): void {
    let causes = this.#coming.get(item);
    if (!causes) {
      causes = new Map();
      this.#coming.set(item, causes);
    }
    const key = this.#keyOf(cause);
    causes.delete(key); // so that the latest comes last
    causes.set(key, cause);
    if (causes.size <= this.#max) return;
    for (const oldest of causes.keys()) {
      causes.delete(oldest);
      return;
    }
  }

  /** The item is handed out, with what has gathered. */
  take(item: T): void {
    if (this.#coming.size === 0) return;
    const causes = this.#coming.get(item);
    if (!causes) return;
    this.#coming.delete(item);
    this.#current.set(item, [...causes.values()]);
  }

  done(item: T): void {
    if (this.#current.size > 0) this.#current.delete(item);
  }

  causesOf(item: T, isProcessing: boolean): readonly Cause[] {
    if (isProcessing) return this.#current.get(item) ?? none;
    const coming = this.#coming.get(item);
    return coming ? [...coming.values()] : none;
  }

  /** Nothing that waits will be handed out any more. */
  dropComing(): void {
    this.#coming.clear();
  }
}
