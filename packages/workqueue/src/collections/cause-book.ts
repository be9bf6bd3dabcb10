/** How a queue remembers why items were added. */
export interface CauseOptions<Cause> {
  /** Most causes kept for an item; the oldest give way. Default 10. */
  readonly maxCauses?: number | undefined;
  /** Causes with the same key are one; the latest stays. Default: the causes themselves are compared. */
  readonly causeKey?: ((cause: Cause) => unknown) | undefined;
}

const none: readonly never[] = [];

/**
 * Why items are worked on and why they will be. Causes gather while an item waits, go with it when it is handed out, and are
 * dropped when it is done; those that come meanwhile belong to the next round.
 */
export class CauseBook<T, Cause> {
  readonly #max: number;
  readonly #keyOf: (cause: Cause) => unknown;
  // Most items have one cause, so lists are compared by looking at each: the lists are short, and one costs less than a map.
  readonly #coming = new Map<T, Cause[]>();
  readonly #current = new Map<T, readonly Cause[]>();

  constructor(options: CauseOptions<Cause>) {
    this.#max = options.maxCauses ?? 10;
    this.#keyOf = options.causeKey ?? ((cause) => cause);
  }

  note(item: T, cause: Cause): void {
    const causes = this.#coming.get(item);
    if (!causes) {
      if (this.#max > 0) this.#coming.set(item, [cause]);
      return;
    }
    const key = this.#keyOf(cause);
    const same = causes.findIndex((known) => this.#keyOf(known) === key);
    if (same >= 0)
      causes.splice(same, 1); // so that the latest comes last
    else if (causes.length >= this.#max) causes.shift();
    causes.push(cause);
  }

  /** The item is handed out, with what has gathered. */
  take(item: T): void {
    if (this.#coming.size === 0) return;
    const causes = this.#coming.get(item);
    if (!causes) return;
    this.#coming.delete(item);
    this.#current.set(item, causes);
  }

  done(item: T): void {
    if (this.#current.size > 0) this.#current.delete(item);
  }

  causesOf(item: T, isProcessing: boolean): readonly Cause[] {
    if (isProcessing) return this.#current.get(item) ?? none;
    return this.#coming.get(item)?.slice() ?? none;
  }

  /** Nothing that waits will be handed out any more. */
  dropComing(): void {
    this.#coming.clear();
  }
}
