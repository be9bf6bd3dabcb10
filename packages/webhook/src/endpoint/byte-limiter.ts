import type { Clock } from "@kubewright/clock";

/** Maximum size of a small call, including its overhead. Reviews of most objects are small. */
const smallBytes = 128 * 1024;
/** Share of the budget that large calls leave for small ones. */
const shareOfSmall = 1 / 8;
/** Share of the budget that a peer with more than half of it leaves for others. */
const shareOfOthers = 1 / 16;
/**
 * Time in milliseconds without new data after which a call whose body is incomplete can be dropped under pressure, in favor of any other
 * call.
 */
const quietMs = 250;
/**
 * Time in milliseconds after which a call whose body is still arriving can be dropped under pressure. API servers send a body without
 * pauses.
 */
const slowMs = 5_000;

/**
 * Limits the total number of bytes held by a server's calls. While space is available, nothing is reserved: a single
 * peer, whose address may represent several API servers, can use the whole budget. When space runs low, large calls
 * leave space for small ones. A call whose body is still arriving is dropped if it is slow, or if its peer holds more
 * bytes than the peer that needs space. Calls whose bodies are complete are never dropped.
 */
export class ByteLimiter {
  readonly #maxBytes: number;
  readonly #clock: Clock;
  #used = 0;
  /** Bytes held by large calls. */
  #large = 0;
  readonly #byPeer = new Map<string, number>();
  /** Leases whose bodies are still arriving, ordered by the time of their last chunk, oldest first. */
  readonly #arriving = new Set<ByteLease>();

  constructor(maxBytes: number, clock: Clock) {
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  get used(): number {
    return this.#used;
  }

  /** Creates a lease for a call. @param peer the peer that makes the call */
  lease(peer: string): ByteLease {
    const lease = new ByteLease(peer, this.#clock.monotonic(), {
      grow: (bytes) => this.#grow(lease, bytes),
      charge: (bytes) => this.#add(lease, bytes),
      settle: () => void this.#arriving.delete(lease),
      release: () => this.#release(lease),
    });
    return lease;
  }

  #grow(lease: ByteLease, bytes: number): boolean {
    if (!this.#fits(lease, bytes)) this.#makeRoom(lease, bytes);
    if (!this.#fits(lease, bytes)) return false;
    this.#add(lease, bytes);
    lease.grownMs = this.#clock.monotonic();
    this.#arriving.delete(lease);
    this.#arriving.add(lease);
    return true;
  }

  #fits(lease: ByteLease, bytes: number): boolean {
    const held = lease.held + bytes;
    const others = this.#used - lease.held;
    if (others === 0) return held <= this.#maxBytes;
    const ofPeer = this.#heldBy(lease.peer) + bytes;
    const maxBytes = ofPeer > this.#maxBytes / 2 ? this.#maxBytes * (1 - shareOfOthers) : this.#maxBytes;
    if (others + held > maxBytes) return false;
    if (held <= smallBytes) return true;
    return this.#large - largeOf(lease.held) + held <= this.#maxBytes * (1 - shareOfSmall);
  }

  #makeRoom(lease: ByteLease, bytes: number): void {
    const now = this.#clock.monotonic();
    for (const other of this.#arriving) {
      if (this.#fits(lease, bytes)) return;
      if (other === lease) continue;
      const isSlow = now - other.grownMs >= quietMs || now - other.sinceMs >= slowMs;
      const hasMore = this.#heldBy(other.peer) - other.held >= this.#heldBy(lease.peer) + bytes;
      if (isSlow || hasMore) other.lose();
    }
  }

  #heldBy(peer: string): number {
    return this.#byPeer.get(peer) ?? 0;
  }

  #add(lease: ByteLease, bytes: number): void {
    this.#large += largeOf(lease.held + bytes) - largeOf(lease.held);
    this.#used += bytes;
    const ofPeer = this.#heldBy(lease.peer) + bytes;
    if (ofPeer === 0) this.#byPeer.delete(lease.peer);
    else this.#byPeer.set(lease.peer, ofPeer);
    lease.held += bytes;
  }

  #release(lease: ByteLease): void {
    this.#arriving.delete(lease);
    this.#add(lease, -lease.held);
  }
}

const largeOf = (held: number): number => (held > smallBytes ? held : 0);

interface LimiterActions {
  grow(bytes: number): boolean;
  charge(bytes: number): void;
  settle(): void;
  release(): void;
}

/** The bytes that one call holds. */
export class ByteLease {
  readonly peer: string;
  readonly sinceMs: number;
  held = 0;
  /** Time of the last growth. */
  grownMs: number;
  readonly #limiter: LimiterActions;
  readonly #lost = new AbortController();

  constructor(peer: string, sinceMs: number, limiter: LimiterActions) {
    this.peer = peer;
    this.sinceMs = sinceMs;
    this.grownMs = sinceMs;
    this.#limiter = limiter;
  }

  /** Aborts when the call is dropped in favor of another one. The lease then holds no bytes. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Adds bytes to the lease. Returns false, and adds nothing, if other leases hold too many bytes. */
  grow(bytes: number): boolean {
    return !this.lost.aborted && this.#limiter.grow(bytes);
  }

  /** Adds bytes that already exist, even if they exceed the budget. */
  charge(bytes: number): void {
    this.#limiter.charge(bytes);
  }

  /** Marks the body as complete, so that the call can no longer be dropped. */
  settle(): void {
    this.#limiter.settle();
  }

  lose(): void {
    this.release();
    this.#lost.abort();
  }

  /** Returns all bytes to the budget. A second call has no effect. */
  release(): void {
    this.#limiter.release();
  }
}
