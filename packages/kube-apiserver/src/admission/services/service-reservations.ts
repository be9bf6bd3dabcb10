/** A cluster address, or a node port. */
type Allocation = string | number;

interface Reservation {
  readonly owner: unknown;
  /** The last read that started before the request ended; absent while the request is in progress. */
  endedAt?: number;
}

/**
 * Allocations of requests in progress. They remain reserved until a list of Services shows them, so that concurrent requests never get the
 * same allocation.
 *
 * This covers only one server: several servers that share an etcd do not coordinate concurrent allocations.
 */
export class ServiceReservations {
  readonly #held = new Map<Allocation, Reservation>();
  readonly #reading = new Set<number>();
  #reads = 0;

  /** Calls `use` with the list, and with other requests' allocations that the list may not show yet. */
  async whileReading<L, R>(
    list: () => Promise<L>,
    use: (listed: L, reservedBeside: (owner: unknown) => Allocation[]) => R,
  ): Promise<R> {
    const read = ++this.#reads;
    this.#reading.add(read);
    try {
      const listed = await list();
      return use(listed, (owner) =>
        [...this.#held].flatMap(([allocation, held]) =>
          held.owner === owner || (held.endedAt ?? read) < read ? [] : [allocation],
        ),
      );
    } finally {
      this.#reading.delete(read);
      this.#forgetShown();
    }
  }

  /** Number of reserved allocations. */
  get size(): number {
    return this.#held.size;
  }

  /** Keeps an allocation for `owner` until the signal aborts and every later reader could have seen it. */
  reserve(allocation: Allocation, owner: unknown, signal: AbortSignal): void {
    const reservation: Reservation = { owner };
    this.#held.set(allocation, reservation);
    const end = (): void => {
      reservation.endedAt = this.#reads;
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
  }

  #forgetShown(): void {
    const [oldest = Number.POSITIVE_INFINITY] = this.#reading;
    for (const [allocation, { endedAt = Number.POSITIVE_INFINITY }] of this.#held)
      if (endedAt < oldest && endedAt < this.#reads) this.#held.delete(allocation);
  }
}
