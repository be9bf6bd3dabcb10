/** An address in the cluster, or a port on the nodes. */
type Allocation = string | number;

interface Reservation {
  readonly owner: unknown;
  /** The last read that had begun when the request was over; absent while it is under way. */
  endedAt?: number;
}

/**
 * What requests under way have been given, until a list of Services shows it: two that ask at the same time must not be given the same.
 * Of one server; what several servers on one etcd give out at the same time they do not tell each other.
 */
export class ServiceReservations {
  readonly #held = new Map<Allocation, Reservation>();
  readonly #reading = new Set<number>();
  #reads = 0;

  /** Hands `use` what is listed, and what others than an owner have been given that the list may not show yet. */
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

  /** How many are remembered. */
  get size(): number {
    return this.#held.size;
  }

  /** Keeps an allocation for `owner` until the signal aborts, and until everybody who reads then could have seen it. */
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
