/** A cluster address or a node port. */
type Allocation = string | number;

interface Reservation {
  readonly owner: unknown;
  /**
   * Number of the last read of the list that started before the request ended. Absent while the request is in
   * progress.
   */
  endedAt?: number;
}

/**
 * Addresses and ports that requests in progress have allocated to Services. An address or port remains reserved until
 * it appears in a list of Services, so that concurrent requests never get the same one.
 *
 * Servers that share an etcd do not share their reservations.
 */
export class ServiceReservations {
  readonly #held = new Map<Allocation, Reservation>();
  readonly #reading = new Set<number>();
  #reads = 0;

  /**
   * Reads the list of Services and passes it to `use`. The second argument of `use` is a function that returns the
   * reservations of other callers that may be missing from the list.
   */
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

  /**
   * Reserves an allocation for `owner`. The reservation ends when the signal has aborted and all lists that were read
   * before then are out of use.
   */
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
