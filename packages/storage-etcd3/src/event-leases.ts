import { type Clock, systemRandom } from "@kubewright/clock";
import type { LeaseClient } from "etcd3";

const keysPerLease = 1_000;
const maxExactId = 2 ** 48 - 1;

/**
 * Manages leases for objects that expire. Many objects share one lease.
 *
 * @see apiserver pkg/storage/etcd3 leaseManager
 */
export class EventLeases {
  readonly #client: Pick<LeaseClient, "leaseGrant">;
  readonly #clock: Clock;
  /** Leases by the requested lifetime in seconds. */
  readonly #leases = new Map<
    number,
    { readonly id: Promise<string>; readonly reusableUntilMs: number; keys: number }
  >();

  constructor(client: Pick<LeaseClient, "leaseGrant">, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Returns a lease whose lifetime is at least the requested one and exceeds it by at most 5% or one minute. */
  async idFor(ttlSeconds: number): Promise<string> {
    const known = this.#leases.get(ttlSeconds);
    if (known && known.keys < keysPerLease && this.#clock.now() < known.reusableUntilMs) {
      known.keys++;
      return known.id;
    }
    const extraSeconds = Math.min(60, Math.ceil(ttlSeconds * 0.05));
    const ours = 1 + systemRandom.integer(maxExactId - 1); // an ID that etcd chooses might be too large for the client to represent it exactly
    const id = this.#client.leaseGrant({ TTL: ttlSeconds + extraSeconds, ID: ours }).then((lease) => lease.ID);
    this.#leases.set(ttlSeconds, { id, reusableUntilMs: this.#clock.now() + extraSeconds * 1_000, keys: 1 });
    id.catch(() => this.#leases.delete(ttlSeconds));
    return id;
  }
}
