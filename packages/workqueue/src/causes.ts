/** Options for the causes that a queue records. */
export interface CauseOptions<Cause> {
  /** Maximum number of causes per item; the oldest are dropped. Default 10. */
  readonly maxCauses?: number | undefined;
  /** Returns a key by which causes are merged; the latest is kept. Default: the causes themselves are compared. */
  readonly causeKey?: ((cause: Cause) => unknown) | undefined;
}

const none: readonly never[] = [];

/**
 * The causes of items that are in progress and of items that are waiting. Causes accumulate while an item waits, stay with it while it is
 * processed, and are dropped when it is done; causes that are added meanwhile belong to the next round.
 */
export class Causes<T, Cause> {
  readonly #max: number;
  readonly #keyOf: (cause: Cause) => unknown;
  // Most items have one cause, so lists are searched linearly: the lists are short, and a list costs less than a map.
  readonly #waiting = new Map<T, Cause[]>();
  readonly #processing = new Map<T, readonly Cause[]>();

  constructor(options: CauseOptions<Cause>) {
    this.#max = options.maxCauses ?? 10;
    this.#keyOf = options.causeKey ?? ((cause) => cause);
  }

  add(item: T, cause: Cause): void {
    const causes = this.#waiting.get(item);
    if (!causes) {
      if (this.#max > 0) this.#waiting.set(item, [cause]);
      return;
    }
    const key = this.#keyOf(cause);
    const same = causes.findIndex((known) => this.#keyOf(known) === key);
    if (same >= 0)
      causes.splice(same, 1); // moves the latest to the end
    else if (causes.length >= this.#max) causes.shift();
    causes.push(cause);
  }

  /** Must be called when the item is taken, which keeps its causes so far. */
  take(item: T): void {
    if (this.#waiting.size === 0) return;
    const causes = this.#waiting.get(item);
    if (!causes) return;
    this.#waiting.delete(item);
    this.#processing.set(item, causes);
  }

  done(item: T): void {
    if (this.#processing.size > 0) this.#processing.delete(item);
  }

  of(item: T, isProcessing: boolean): readonly Cause[] {
    if (isProcessing) return this.#processing.get(item) ?? none;
    return this.#waiting.get(item)?.slice() ?? none;
  }

  /** Drops the causes of all waiting items. */
  dropWaiting(): void {
    this.#waiting.clear();
  }
}
